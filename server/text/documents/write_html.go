package documents

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"docspace.dev/wsd/client/api"
)

// htmlMarks maps HTML tags to marks.
var htmlMarks = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "code": "code", "kbd": "keyboard",
	"s": "strikethrough", "del": "strikethrough", "sup": "superscript", "sub": "subscript", "mark": "color",
}

// inlineElements maps elements to the attribute with which they become inlines.
var inlineElements = map[string]string{"a": "href", "abbr": "title", "span": "data-emoji", "i": "class", "code": "class"}

// parseTag parses one HTML tag.
func parseTag(raw []byte) (name string, attrs map[string]string, ends bool) {
	tokens := html.NewTokenizer(bytes.NewReader(raw))
	kind := tokens.Next()
	token := tokens.Token()
	if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
		return "", nil, false
	}
	return token.Data, tokenAttributes(token), kind == html.EndTagToken
}

func tokenAttributes(token html.Token) map[string]string {
	attrs := make(map[string]string, len(token.Attr))
	for _, a := range token.Attr {
		if _, have := attrs[a.Key]; !have {
			attrs[a.Key] = a.Val
		}
	}
	return attrs
}

// tag writes an HTML tag: a mark for the following text, a line break, an image, or the beginning or end of an
// inline. Other tags and comments are not visible.
func (w *inlineWriter) tag(raw []byte, marks []api.DocumentMark) {
	name, attrs, ends := parseTag(raw)
	switch {
	case name == "br":
		w.add("\n", marks)
	case name == "source":
		w.darkImage = darkSource(attrs)
	case name == "picture":
		w.darkImage = ""
	case name == "img" && !ends:
		w.picture(attrs, marks)
	case ends && w.closeElement(name):
	case isInline(name, attrs) && !ends:
		w.endText()
		w.open = append(w.open, element{name: name, attrs: attrs, before: w.nodes})
		w.nodes = nil
	default:
		w.mark(name, attrs, ends)
	}
}

// isInline reports whether a tag begins an inline rather than a mark.
func isInline(name string, attrs map[string]string) bool {
	value, has := attrs[inlineElements[name]]
	switch {
	case inlineElements[name] == "" || !has:
		return false
	case name == "i":
		return strings.HasPrefix(value, "fa-")
	case name == "code":
		return value == "expression"
	}
	return true
}

// mark adds the mark of a start tag to the open ones, or removes the last open one of the same kind for an end tag. Tags
// without a mark are ignored.
func (w *inlineWriter) mark(name string, attrs map[string]string, ends bool) {
	kind, known := htmlMarks[name]
	if !known {
		return
	}
	if !ends {
		m := Mark(kind)
		if name == "mark" {
			m.Data = colorOf(attrs["style"])
		}
		w.html = append(w.html, m)
		return
	}
	for at, m := range slices.Backward(w.html) {
		if m.Type == kind {
			w.html = slices.Delete(w.html, at, at+1)
			return
		}
	}
}

// colors are the colors of text and its background.
var colors = []string{
	"default", "green", "blue", "red", "orange", "yellow", "purple", "$primary", "$info", "$success", "$warning", "$danger",
}

// styleColor matches a color in a style attribute.
var styleColor = regexp.MustCompile(`(?:^|;)\s*(background-color|color)\s*:\s*([$a-z]+)`)

func colorOf(style string) api.DocumentColor {
	c := api.DocumentColor{Text: "default", Background: "default"}
	for _, m := range styleColor.FindAllStringSubmatch(style, -1) {
		switch {
		case !slices.Contains(colors, m[2]):
		case m[1] == "color":
			c.Text = m[2]
		default:
			c.Background = m[2]
		}
	}
	return c
}

// darkSource returns the image of a picture source for dark screens, or "" for other sources.
func darkSource(attrs map[string]string) string {
	if strings.ReplaceAll(attrs["media"], " ", "") != "(prefers-color-scheme:dark)" {
		return ""
	}
	return strings.TrimSpace(attrs["srcset"])
}

// picture writes an HTML image. If it refers to nothing, its alternative text is written.
func (w *inlineWriter) picture(attrs map[string]string, marks []api.DocumentMark) {
	if data, ok := w.w.pictureData(attrs, w.darkImage); ok {
		w.node(inlineVoid("inline-image", data))
		return
	}
	w.add(attrs["alt"], marks)
}

// pictureData returns the data of an HTML image, with the image for dark screens; ok is false if it refers to
// nothing.
func (w *writer) pictureData(attrs map[string]string, dark string) (data map[string]any, ok bool) {
	ref, ok := w.ref(attrs["src"], true)
	if !ok {
		return nil, false
	}
	data = map[string]any{"ref": ref}
	if attrs["alt"] != "" {
		data["caption"] = attrs["alt"]
	}
	if size := attrs["data-size"]; size == "original" || size == "line" {
		data["size"] = size
	}
	if ref, leads := w.ref(dark, true); leads && dark != "" {
		data["refDark"] = ref
	}
	return data, true
}

// closeElement ends the innermost open element with the given name, and drops the open elements inside it. It returns false if
// no such element is open.
func (w *inlineWriter) closeElement(name string) bool {
	at := len(w.open) - 1
	for at >= 0 && w.open[at].name != name {
		at--
	}
	if at < 0 {
		return false
	}
	w.endText()
	for len(w.open) > at+1 {
		w.dropElement()
	}
	e := w.open[at]
	inside := w.nodes
	w.open, w.nodes = w.open[:at], e.before
	w.nodes = append(w.nodes, w.element(e, inside)...)
	return true
}

// element returns the inline of an HTML element.
func (w *inlineWriter) element(e element, inside []api.DocumentNode) []api.DocumentNode {
	switch e.name {
	case "i":
		return []api.DocumentNode{inlineVoid("icon", map[string]any{"icon": strings.TrimPrefix(e.attrs["class"], "fa-")})}
	case "span":
		return []api.DocumentNode{inlineVoid("emoji", map[string]any{"code": e.attrs["data-emoji"]})}
	case "code":
		return []api.DocumentNode{inlineVoid("expression", map[string]any{"expression": visibleText(inside)})}
	case "abbr":
		return []api.DocumentNode{w.annotation(e.attrs["title"], inside)}
	}
	ref, ok := w.w.ref(e.attrs["href"], false)
	if !ok {
		return inside
	}
	if kinds := strings.Fields(e.attrs["class"]); len(kinds) == 2 && kinds[0] == "button" &&
		(kinds[1] == "primary" || kinds[1] == "secondary") {
		data := map[string]any{"ref": ref, "label": visibleText(inside), "kind": kinds[1]}
		if icon := e.attrs["data-icon"]; icon != "" {
			data["icon"] = icon
		}
		return []api.DocumentNode{inlineVoid("button", data)}
	}
	return []api.DocumentNode{linkNode(ref, inside)}
}

// visibleText returns the visible text of inlines.
func visibleText(nodes []api.DocumentNode) string {
	var out strings.Builder
	for _, n := range nodes {
		out.WriteString(inlineText(n))
	}
	return out.String()
}

// annotation returns an annotation of a text; body is Markdown.
func (w *inlineWriter) annotation(body string, inside []api.DocumentNode) api.DocumentNode {
	about := w.w.sequence("", "annotation-body", false)
	if w.depth < MaxDepth {
		w.w.blocks(about, []byte(body), 0, len(body), w.depth+1)
	} else {
		about.nodes = []api.DocumentNode{paragraph(text(body))}
	}
	for i := range about.nodes {
		clearKeys(&about.nodes[i])
	}
	texts := linkNode(nil, inside).Nodes
	for i, n := range texts {
		if n.Object != "text" {
			texts[i] = text(inlineText(n))
		}
	}
	return api.DocumentNode{
		Object: "inline", Type: "annotation", IsVoid: new(false), Nodes: texts,
		Fragments: []api.DocumentNode{
			{Object: "fragment", Type: "annotation-body", Fragment: "annotation-body", Nodes: nonNil(about.nodes)},
		},
	}
}

// clearKeys clears the keys of a node and its descendants, whose positions are not yet final.
func clearKeys(n *api.DocumentNode) {
	n.Key = ""
	for i := range n.Nodes {
		clearKeys(&n.Nodes[i])
	}
	for i := range n.Fragments {
		clearKeys(&n.Fragments[i])
	}
}
