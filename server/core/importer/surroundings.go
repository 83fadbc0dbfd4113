package importer

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// chrome is what surrounds the text where no selector finds it.
var chrome = selector(`nav, body > header, body > footer, aside:not(.footnote, .footnote-list, .topic, .sidebar),
	[role="navigation"], [role="banner"], [role="contentinfo"], [role="search"],
	.navheader, .navfooter, #toc, #footer, #sidebar, .sidebar-nav,
	#titlearea, #main-nav, #nav-path, #side-nav, #MSearchSelectWindow, #MSearchResultsWindow, hr.footer, address.footer`)

// neighbours are links to the pages before, behind and above, as printed manuals have them at the edges of a page.
var neighbours = selector(`a[rel="next"], a[rel="prev"], a[rel="previous"], a[rel="up"],
	a[accesskey="n"], a[accesskey="p"], a[accesskey="u"]`)

// maxLabel letters beside the links of a row of neighbours say what they are: Next, Previous, Up.
const maxLabel = 40

// removeSurroundings takes the navigation out of a body: what is known as such, rows of links to the neighbours, and what
// the site repeats at the edges of its pages.
func removeSurroundings(body *goquery.Selection, repeated map[edge]bool) {
	removeKept(body.FindMatcher(chrome))
	body.FindMatcher(neighbours).Each(func(_ int, a *goquery.Selection) {
		if row := rowOf(a.Get(0)); row != nil {
			dropRule(row)
			removeKept(goquery.NewDocumentFromNode(row).Selection)
		}
	})
	for _, n := range edges(body.Get(0)) {
		if repeated[edgeOf(n)] {
			removeKept(goquery.NewDocumentFromNode(n).Selection)
		}
	}
}

// rowOf is the widest element around a link that has nothing but several links with short labels; nil where there is none.
func rowOf(link *html.Node) (row *html.Node) {
	for n := link.Parent; n != nil && n.Data != "body"; n = n.Parent {
		s := goquery.NewDocumentFromNode(n)
		if letters(s.Text())-letters(s.Find("a").Text()) > maxLabel || s.Find("h1, h2, h3, h4, pre").Length() > 0 {
			break
		}
		switch n.Data {
		case "p", "div", "table", "ul":
			if s.Find("a").Length() > 1 {
				row = n
			}
		}
	}
	return row
}

func letters(text string) (count int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			count++
		}
	}
	return count
}

// dropRule takes the line away that divides a row of links from the text.
func dropRule(row *html.Node) {
	for _, step := range []func(*html.Node) *html.Node{
		func(n *html.Node) *html.Node { return n.NextSibling }, func(n *html.Node) *html.Node { return n.PrevSibling },
	} {
		n := step(row)
		for n != nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" {
			n = step(n)
		}
		if n != nil && n.Data == "hr" {
			detach(n)
			return
		}
	}
}

// removeKept removes elements but for their names, which lead to what follows.
func removeKept(s *goquery.Selection) {
	s.Each(func(_ int, gone *goquery.Selection) {
		node := gone.Get(0)
		if node.Parent == nil {
			return
		}
		gone.Find("*").AddSelection(gone).Each(func(_ int, named *goquery.Selection) {
			for _, name := range namesOf(named.Get(0)) {
				span := element("span")
				span.Attr = []html.Attribute{{Key: "id", Val: name}}
				node.Parent.InsertBefore(span, node)
			}
		})
		detach(node)
	})
}

// edge is what stands at an edge of a page, for comparison with other pages.
type edge [sha256.Size]byte

// maxEdges elements at either end of a page may be repeated on others.
const maxEdges = 4

// edges are the first and the last elements of a body, or of the one division in it, that show something.
func edges(body *html.Node) []*html.Node {
	var shown []*html.Node
	for child := body.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode && child.Data != "script" && child.Data != "style" && hasWords(goquery.NewDocumentFromNode(child).Text()) {
			shown = append(shown, child)
		}
	}
	if len(shown) == 1 && shown[0].Data == "div" {
		return edges(shown[0])
	}
	if len(shown) > 2*maxEdges {
		shown = slices.Concat(shown[:maxEdges], shown[len(shown)-maxEdges:])
	}
	return shown
}

// edgeOf is the same for elements that read alike. What has no links is no navigation, which is the zero edge.
func edgeOf(n *html.Node) edge {
	s := goquery.NewDocumentFromNode(n)
	if s.Find("a[href]").Length() == 0 {
		return edge{}
	}
	return sha256.Sum256([]byte(nodeText(n)))
}

// A site repeats what stands on so many of its pages, and on at least half of them.
const minRepeated = 5

// repeatedEdges are those that a site repeats.
func repeatedEdges(pages []*webPage) map[edge]bool {
	count := map[edge]int{}
	for _, page := range pages {
		for _, e := range page.edges {
			count[e]++
		}
	}
	repeated := map[edge]bool{}
	for e, n := range count {
		repeated[e] = e != edge{} && n >= minRepeated && 2*n >= len(pages)
	}
	return repeated
}
