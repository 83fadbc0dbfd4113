package pdf

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// inliner converts the inline nodes of a block to spans. Without a writer it resolves no destinations.
type inliner struct {
	*writer
	source []byte
}

// spans returns the spans of a node's children, based on the appearance of the node.
func (in inliner) spans(parent ast.Node, l appearance) (spans []span) {
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		spans = append(spans, in.node(node, l)...)
	}
	return spans
}

func (in inliner) node(node ast.Node, l appearance) []span {
	switch n := node.(type) {
	case *ast.Text:
		return []span{{text: in.text(n), appearance: l}}
	case *ast.String:
		return []span{{text: string(n.Value), appearance: l}}
	case *ast.CodeSpan:
		l.style |= mono
		var code strings.Builder
		for child := n.FirstChild(); child != nil; child = child.NextSibling() {
			if t, ok := child.(*ast.Text); ok {
				code.WriteString(strings.ReplaceAll(string(t.Value(in.source)), "\n", " "))
			}
		}
		return []span{{text: code.String(), appearance: l}}
	case *ast.Emphasis:
		if n.Level == 1 {
			l.style |= italic
		} else {
			l.style |= bold
		}
		return in.spans(n, l)
	case *extast.Strikethrough:
		l.strike = true
		return in.spans(n, l)
	case *ast.Link:
		l.link = in.target(string(unescape(n.Destination)))
		return in.spans(n, l)
	case *ast.AutoLink:
		l.link = in.target(string(n.URL(in.source)))
		return []span{{text: string(n.Label(in.source)), appearance: l}}
	case *ast.Image:
		return in.image(string(unescape(n.Destination)), in.spans(n, l), l)
	case *ast.RawHTML:
		return in.html(string(n.Segments.Value(in.source)), l)
	case *extast.TaskCheckBox:
		return nil // printed as the marker of its item
	}
	return in.spans(node, l)
}

func (in inliner) text(n *ast.Text) string {
	value := n.Value(in.source)
	if !n.IsRaw() {
		value = unescape(value)
	}
	switch {
	case n.HardLineBreak():
		return string(value) + "\n"
	case n.SoftLineBreak():
		return string(value) + " "
	}
	return string(value)
}

// unescape resolves escapes and character references.
func unescape(value []byte) []byte {
	return util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(value)))
}

func (in inliner) target(destination string) Target {
	if in.writer == nil {
		return Target{}
	}
	return in.resources.Link(in.page, destination)
}

// image returns the picture of a destination, else its alternative text with a note about the missing picture.
func (in inliner) image(destination string, alternative []span, l appearance) []span {
	if in.writer == nil {
		return alternative
	}
	if p := in.picture(destination); p != nil {
		return []span{{image: p}}
	}
	missing := " [picture not printed: " + pictureName(destination) + "]"
	return append(alternative, span{text: missing, appearance: l})
}

// pictureName returns the last path element of a destination, which helps readers find the picture.
func pictureName(destination string) string {
	if scheme, _, _ := strings.Cut(destination, ":"); strings.EqualFold(scheme, "data") {
		return "without a name"
	}
	name, _, _ := strings.Cut(destination, "#")
	name, _, _ = strings.Cut(name, "?")
	name = path.Base(name)
	if text, err := url.PathUnescape(name); err == nil {
		name = text
	}
	return name
}

// withWidth scales an image down to the width in pixels given in the markup. Other spans and invalid widths are ignored.
func withWidth(spans []span, width string) []span {
	pixels, err := strconv.Atoi(strings.TrimSuffix(width, "px"))
	if err == nil && pixels > 0 && len(spans) == 1 && spans[0].image != nil {
		spans[0].image = spans[0].image.scaleToFit(float64(pixels)*pixelSize, maxImageHeight)
	}
	return spans
}

// html returns the text, images and line breaks of HTML.
func (in inliner) html(markup string, l appearance) (spans []span) {
	tokens := html.NewTokenizer(strings.NewReader(markup))
	hidden := false
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return spans
		case html.TextToken:
			if !hidden {
				spans = append(spans, span{text: strings.ReplaceAll(string(tokens.Text()), "\n", " "), appearance: l})
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokens.Token()
			hidden = token.Data == "script" || token.Data == "style"
			spans = append(spans, in.element(token, l)...)
		case html.EndTagToken:
			hidden = false
			name, _ := tokens.TagName()
			if lineBreakElements[string(name)] {
				spans = append(spans, span{text: "\n", appearance: l})
			}
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// lineBreakElements is the set of elements whose end tag ends a line.
var lineBreakElements = map[string]bool{
	"p": true, "div": true, "li": true, "tr": true, "summary": true, "h1": true, "h2": true, "h3": true, "figcaption": true,
}

func (in inliner) element(token html.Token, l appearance) []span {
	attributes := map[string]string{}
	for _, a := range token.Attr {
		attributes[a.Key] = a.Val
	}
	switch token.Data {
	case "br":
		return []span{{text: "\n", appearance: l}}
	case "td", "th":
		return []span{{text: " ", appearance: l}}
	case "img":
		return withWidth(in.image(attributes["src"], []span{{text: attributes["alt"], appearance: l}}, l), attributes["width"])
	}
	return nil
}
