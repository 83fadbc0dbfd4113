package importer

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// document is one parsed HTML document.
type document struct {
	root *goquery.Document
	base *url.URL // what its links are relative to
	note string   // a conversion of its charset

	navItems int // read so far
}

// link is a reference of a document to another resource.
type link struct {
	url   *url.URL
	image bool // shown in the text
	main  bool // in the main content rather than in the navigation
}

// converterMarks are characters that the converter uses for itself: a bell, and a
// private one that only icon fonts draw.
var converterMarks = [][]byte{marker.BytesMarkerEscaping, marker.BytesMarkerCodeBlockNewline}

// parse reads HTML in its declared charset.
func parse(body []byte, contentType string, at *url.URL) (*document, error) {
	text, note := decode(body, contentType, at.String())
	for _, mark := range converterMarks {
		text = bytes.ReplaceAll(text, mark, []byte(" "))
	}
	// As a browser without scripts reads it: <noscript> is text like any other.
	root, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	d := &document{root: goquery.NewDocumentFromNode(root), base: at, note: note}
	d.root.Find(`object[data][type^="image/"]`).Each(func(_ int, s *goquery.Selection) { shown(s) })
	d.root.Find("svg").Each(func(_ int, s *goquery.Selection) { drawn(s) })
	if href, ok := d.root.Find("base[href]").First().Attr("href"); ok {
		if base, err := at.Parse(strings.TrimSpace(href)); err == nil {
			d.base = base
		}
	}
	return d, nil
}

// shown makes an <img> of an image in an <object>; what stands for the image where it cannot be drawn describes it.
func shown(object *goquery.Selection) {
	image := element("img")
	image.Attr = []html.Attribute{
		{Key: "src", Val: object.AttrOr("data", "")},
		{Key: "alt", Val: strings.Join(strings.Fields(object.Text()), " ")},
	}
	object.ReplaceWithNodes(image)
}

// drawn makes an <img> of a drawing in the text that says something; its words describe it. Others are decoration.
func drawn(svg *goquery.Selection) {
	var said []string
	svg.Find("text").Each(func(_ int, text *goquery.Selection) { said = append(said, strings.Fields(text.Text())...) })
	node := svg.Get(0)
	if alt := strings.Join(said, " "); hasWords(alt) && node.Parent != nil {
		image := element("img")
		image.Attr = []html.Attribute{{Key: "src", Val: drawing(node)}, {Key: "alt", Val: alt}}
		svg.ReplaceWithNodes(image)
	}
}

// drawing is a drawing as the data: URL of a file. HTML leaves the namespaces out, which a file has to name.
func drawing(svg *html.Node) string {
	named := map[string]bool{}
	for _, a := range svg.Attr {
		named[strings.TrimPrefix(a.Namespace+":"+a.Key, ":")] = true
	}
	for _, space := range []html.Attribute{{Key: "xmlns", Val: "http://www.w3.org/2000/svg"}, {Key: "xmlns:xlink", Val: "http://www.w3.org/1999/xlink"}} {
		if !named[space.Key] {
			svg.Attr = append(svg.Attr, space)
		}
	}
	var file bytes.Buffer
	if err := html.Render(&file, svg); err != nil {
		return ""
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(file.Bytes())
}

// resolve makes a reference absolute; nil where it is no URL of the web.
func (d *document) resolve(ref string) *url.URL {
	u, err := d.base.Parse(strings.TrimSpace(ref))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil
	}
	return u
}

// links lists what the document refers to, in its order, the navigation's pages
// included.
func (d *document) links(main *goquery.Selection) []link {
	inMain := map[*html.Node]bool{}
	main.Find("a[href], img[src]").Each(func(_ int, s *goquery.Selection) { inMain[s.Get(0)] = true })
	var links []link
	d.root.Find("a[href], img[src]").Each(func(_ int, s *goquery.Selection) {
		node := s.Get(0)
		image := node.Data == "img"
		if image && !inMain[node] {
			return
		}
		ref := s.AttrOr("href", "")
		if image {
			ref = s.AttrOr("src", "")
		}
		if strings.HasPrefix(ref, "#") {
			return
		}
		if u := d.resolve(ref); u != nil {
			links = append(links, link{url: u, image: image, main: inMain[node]})
		}
	})
	if target := d.refresh(); target != nil {
		links = append(links, link{url: target})
	}
	return links
}

// refresh is where a page sends its reader on, as the root of a site with several
// versions does; nil where it does not.
func (d *document) refresh() *url.URL {
	content := d.root.Find(`meta[http-equiv="refresh" i]`).First().AttrOr("content", "")
	_, target, _ := strings.Cut(content, "=")
	if target = strings.Trim(target, ` '"`); target == "" {
		return nil
	}
	return d.resolve(target)
}

// title is the first heading of the main content, else of the document, else its
// <title>.
func (d *document) title(main *goquery.Selection) string {
	for _, heading := range []*goquery.Selection{
		main.Find("h1").First(), d.root.Find("h1").First(), main.Find("h2.title").First(), d.root.Find("head title").First(),
	} {
		if text := headingText(heading); text != "" {
			return text
		}
	}
	return "Untitled"
}

func (d *document) description() string {
	content := d.root.Find(`head meta[name="description"]`).First().AttrOr("content", "")
	return cut(strings.Join(strings.Fields(content), " "), maxDescription)
}

const maxDescription = 500

// headingText is a heading's text without the sign that links to itself.
func headingText(heading *goquery.Selection) string {
	if heading.Length() == 0 {
		return ""
	}
	clone := heading.Clone()
	clone.Find("script, style, svg, button").Remove()
	removePermalinks(clone)
	return strings.Join(strings.Fields(clone.Text()), " ")
}
