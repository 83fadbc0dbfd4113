package importer

import (
	"crypto/sha256"
	"slices"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// boilerplate selects the surroundings of the text if no main content is found.
var boilerplate = selector(`nav, body > header, body > footer, aside:not(.footnote, .footnote-list, .topic, .sidebar),
	[role="navigation"], [role="banner"], [role="contentinfo"], [role="search"],
	.navheader, .navfooter, #toc, #footer, #sidebar, .sidebar-nav,
	#titlearea, #main-nav, #nav-path, #side-nav, #MSearchSelectWindow, #MSearchResultsWindow, hr.footer, address.footer`)

// neighbourLinks selects links to the previous, next and parent page, which converted manuals have at the edges of a
// page.
var neighbourLinks = selector(`a[rel="next"], a[rel="prev"], a[rel="previous"], a[rel="up"],
	a[accesskey="n"], a[accesskey="p"], a[accesskey="u"]`)

// maxLabel is the maximum number of letters of a label in a row of such links, such as Next, Previous, Up.
const maxLabel = 40

// removeBoilerplate removes the navigation from a body: known navigation elements, rows of links to neighbours, and
// elements that the site repeats at the edges of its pages.
func removeBoilerplate(body *goquery.Selection, repeated map[edge]bool) {
	removeKeepingNames(body.FindMatcher(boilerplate))
	body.FindMatcher(neighbourLinks).Each(func(_ int, a *goquery.Selection) {
		if row := linkRow(a.Get(0)); row != nil {
			removeRule(row)
			removeKeepingNames(goquery.NewDocumentFromNode(row).Selection)
		}
	})
	for _, n := range edges(body.Get(0)) {
		if repeated[hashEdge(n)] {
			removeKeepingNames(goquery.NewDocumentFromNode(n).Selection)
		}
	}
}

// linkRow returns the widest element around a link that only has several links with short labels, or nil if there is none.
func linkRow(link *html.Node) (row *html.Node) {
	for n := link.Parent; n != nil && n.Data != "body"; n = n.Parent {
		s := goquery.NewDocumentFromNode(n)
		if countLetters(s.Text())-countLetters(s.Find("a").Text()) > maxLabel || s.Find("h1, h2, h3, h4, pre").Length() > 0 {
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

func countLetters(text string) (count int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			count++
		}
	}
	return count
}

// removeRule removes the rule that separates a row of links from the text.
func removeRule(row *html.Node) {
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

// removeKeepingNames removes elements but keeps their names, which then refer to the text after them.
func removeKeepingNames(s *goquery.Selection) {
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

// edge is a hash of an element at an edge of a page, for comparison with other pages.
type edge [sha256.Size]byte

// maxEdges is the number of elements compared at each end of a page.
const maxEdges = 4

// edges returns the first and the last visible elements of a body, or of its only division.
func edges(body *html.Node) []*html.Node {
	var shown []*html.Node
	for child := body.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode && child.Data != "script" && child.Data != "style" &&
			hasWords(goquery.NewDocumentFromNode(child).Text()) {
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

// hashEdge returns equal values for elements with equal content, and the zero edge for elements without links, which
// are not navigation.
func hashEdge(n *html.Node) edge {
	s := goquery.NewDocumentFromNode(n)
	if s.Find("a[href]").Length() == 0 {
		return edge{}
	}
	return sha256.Sum256([]byte(nodeText(n)))
}

// minRepeated is the minimum number of pages with an edge that counts as repeated; at least half of the pages must
// have it.
const minRepeated = 5

// repeatedEdges returns the edges that a site repeats.
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
