package e2e

import (
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// siteLink is a link to a file of a site, given from its root, with an optional fragment.
type siteLink struct{ file, fragment string }

func (l siteLink) String() string {
	if l.fragment == "" {
		return l.file
	}
	return l.file + "#" + l.fragment
}

// targetWords is the number of words after the target of a link that are compared.
const targetWords = 8

// runningText is the text of a page with the positions of its anchors.
type runningText struct {
	text    string
	anchors map[string]int
}

// newRunningText returns the running text of the main part of a document without its decoration. Anchors outside of
// it are positioned where the text continues.
func newRunningText(root *html.Node, main, decoration *goquery.Selection) runningText {
	isMain, skipped := map[*html.Node]bool{}, map[*html.Node]bool{}
	for _, n := range main.Nodes {
		isMain[n] = true
	}
	for _, n := range decoration.Nodes {
		skipped[n] = true
	}
	r := runningText{anchors: map[string]int{}}
	var b strings.Builder
	var walk func(n *html.Node, shown bool)
	walk = func(n *html.Node, shown bool) {
		shown = (shown || isMain[n]) && !skipped[n]
		for _, name := range anchorNames(n) {
			if _, taken := r.anchors[name]; !taken {
				r.anchors[name] = b.Len()
			}
		}
		if n.Type == html.TextNode && shown {
			b.WriteString(n.Data)
		}
		if shown && blockElements[n.DataAtom] {
			defer b.WriteByte(' ')
			b.WriteByte(' ')
		}
		for child := range n.ChildNodes() {
			walk(child, shown)
		}
	}
	walk(root, false)
	r.text = b.String()
	return r
}

// anchorNames returns the fragments that refer to an element.
func anchorNames(n *html.Node) (found []string) {
	for _, a := range n.Attr {
		if n.Type == html.ElementNode && a.Val != "" && (a.Key == "id" || a.Key == "name" && n.Data == "a") {
			found = append(found, norm.NFC.String(a.Val))
		}
	}
	return found
}

// has reports whether there is an anchor with the name. The empty name is the top of the page.
func (r runningText) has(name string) bool {
	_, has := r.anchors[name]
	return has || name == ""
}

// textAfter returns the letters of the first targetWords words after an anchor.
func (r runningText) textAfter(name string) string {
	return strings.Join(word.FindAllString(r.text[r.anchors[name]:], targetWords), "")
}

// links returns the distinct links of a selection to existing files of the site.
func (s site) links(from string, selection *goquery.Selection) (links []siteLink) {
	seen := map[siteLink]bool{}
	selection.Each(func(_ int, a *goquery.Selection) {
		value, _ := a.Attr("href")
		if strings.TrimSpace(a.Text()) == "" && a.Find("img").Length() == 0 {
			return // a link without text and image is invisible
		}
		if l, ok := s.target(from, value); ok && !seen[l] {
			seen[l] = true
			links = append(links, l)
		}
	})
	return links
}

// target resolves a reference in the file from. It returns false if the target is not an existing file of the site.
func (s site) target(from, reference string) (l siteLink, ok bool) {
	link, err := url.Parse(strings.TrimSpace(reference))
	if err != nil || link.IsAbs() || link.Host != "" || reference == "" || reference == "#" {
		return l, false
	}
	l = siteLink{from, norm.NFC.String(link.Fragment)}
	if link.Path != "" {
		l.file = path.Join(path.Dir(from), link.Path)
	}
	name := filepath.Join(s.dir, filepath.FromSlash(l.file))
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		l.file = path.Join(l.file, "index.html")
		info, err = os.Stat(filepath.Join(name, "index.html"))
	}
	return l, err == nil && info.Mode().IsRegular() && filepath.IsLocal(l.file)
}
