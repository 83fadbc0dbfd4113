package importer

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/marker"
	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// document is a parsed HTML document.
type document struct {
	root *goquery.Document
	base *url.URL // base of relative links
	note string   // describes a charset conversion

	navItems int // number of navigation items read so far
}

// link is a reference of a document to another resource.
type link struct {
	url   *url.URL
	image bool // displayed in the text
	main  bool // it is in the main content rather than in the navigation
}

// converterMarks are characters that the converter uses internally: BEL, and a private-use character that only icon fonts
// display.
var converterMarks = [][]byte{marker.BytesMarkerEscaping, marker.BytesMarkerCodeBlockNewline}

// parse parses HTML in its declared charset.
func parse(body []byte, contentType string, at *url.URL) (*document, error) {
	text, note := decode(body, contentType, at.String())
	for _, mark := range converterMarks {
		text = bytes.ReplaceAll(text, mark, []byte(" "))
	}
	if err := checkElements(text); err != nil {
		return nil, err
	}
	// Scripting is off, so that <noscript> is text.
	root, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	d := &document{root: goquery.NewDocumentFromNode(root), base: at, note: note}
	d.root.Find(`object[data][type^="image/"]`).Each(func(_ int, s *goquery.Selection) { replaceObject(s) })
	d.root.Find("svg").Each(func(_ int, s *goquery.Selection) { replaceSVG(s) })
	if href, ok := d.root.Find("base[href]").First().Attr("href"); ok {
		if base, err := at.Parse(strings.TrimSpace(href)); err == nil {
			d.base = base
		}
	}
	return d, nil
}

// replaceObject replaces an <object> that shows an image with an <img>, whose description is the object's fallback
// content.
func replaceObject(object *goquery.Selection) {
	image := element("img")
	image.Attr = []html.Attribute{
		{Key: "src", Val: object.AttrOr("data", "")},
		{Key: "alt", Val: strings.Join(strings.Fields(object.Text()), " ")},
	}
	object.ReplaceWithNodes(image)
}

// replaceSVG replaces an inline <svg> with text with an <img> that the text describes. An <svg> without text is
// decorative.
func replaceSVG(svg *goquery.Selection) {
	var said []string
	svg.Find("text").Each(func(_ int, text *goquery.Selection) { said = append(said, strings.Fields(text.Text())...) })
	node := svg.Get(0)
	if alt := strings.Join(said, " "); hasWords(alt) && node.Parent != nil {
		image := element("img")
		image.Attr = []html.Attribute{{Key: "src", Val: svgDataURL(node)}, {Key: "alt", Val: alt}}
		svg.ReplaceWithNodes(image)
	}
}

// svgDataURL returns an <svg> as the data: URL of a file, with the namespaces that HTML omits.
func svgDataURL(svg *html.Node) string {
	named := map[string]bool{}
	for _, a := range svg.Attr {
		named[strings.TrimPrefix(a.Namespace+":"+a.Key, ":")] = true
	}
	for _, space := range []html.Attribute{
		{Key: "xmlns", Val: "http://www.w3.org/2000/svg"}, {Key: "xmlns:xlink", Val: "http://www.w3.org/1999/xlink"},
	} {
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

// resolve returns the absolute URL of a reference, or nil if it is not a web URL.
func (d *document) resolve(ref string) *url.URL {
	u, err := d.base.Parse(strings.TrimSpace(ref))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil
	}
	return u
}

// links returns the references of the document in order, including those of its navigation.
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
	if target := d.refreshURL(); target != nil {
		links = append(links, link{url: target})
	}
	return links
}

// unfetchedReferences returns notes about the images and links in the main content of a document that was not fetched, in its order:
// relative ones, which lead nowhere, and images on servers, which stay there.
func (d *document) unfetchedReferences(main *goquery.Selection) []string {
	var notes []string
	seen := map[string]bool{}
	main.Find("a[href], img[src]").Each(func(_ int, s *goquery.Selection) {
		image := s.Get(0).Data == "img"
		ref := strings.TrimSpace(s.AttrOr("href", s.AttrOr("src", "")))
		if seen[ref] || ref == "" || strings.HasPrefix(ref, "#") {
			return
		}
		seen[ref] = true
		u, err := d.base.Parse(ref)
		switch isRelative := err == nil && u.Host == "" && u.Scheme == ""; {
		case isRelative && image:
			notes = append(notes, fmt.Sprintf("%s: this image was not imported, because the document came without an address", ref))
		case isRelative:
			notes = append(notes, fmt.Sprintf("%s: this link leads nowhere, because the document came without an address", ref))
		case image && err == nil && u.Host != "":
			notes = append(notes, fmt.Sprintf("%s: this image was not fetched; the page shows it from there", u))
		}
	})
	return notes
}

// refreshURL returns the target of a refresh, which the root of a site with several versions uses, or nil if there is none.
func (d *document) refreshURL() *url.URL {
	content := d.root.Find(`meta[http-equiv="refresh" i]`).First().AttrOr("content", "")
	_, target, _ := strings.Cut(content, "=")
	if target = strings.Trim(target, ` '"`); target == "" {
		return nil
	}
	return d.resolve(target)
}

// title returns the first heading of the main content, else of the document, else its <title>.
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
	return truncate(strings.Join(strings.Fields(content), " "), maxDescription)
}

const maxDescription = 500

// headingText returns a heading's text without its permalink.
func headingText(heading *goquery.Selection) string {
	if heading.Length() == 0 {
		return ""
	}
	clone := heading.Clone()
	clone.Find("script, style, svg, button").Remove()
	removePermalinks(clone)
	return strings.Join(strings.Fields(clone.Text()), " ")
}
