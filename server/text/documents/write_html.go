package documents

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"docspace.dev/wsd/client/api"
)

// htmlMarks are the marks of HTML tags.
var htmlMarks = map[string]string{
	"b": "bold", "strong": "bold", "i": "italic", "em": "italic", "code": "code", "kbd": "keyboard",
	"s": "strikethrough", "del": "strikethrough", "sup": "superscript", "sub": "subscript", "mark": "color",
}

// inlineElements are the elements that are inlines, those that have the attribute, if one is named.
var inlineElements = map[string]string{"a": "href", "abbr": "title", "span": "data-emoji", "i": "class", "code": "class"}

// tagOf reads one tag of HTML.
func tagOf(raw []byte) (name string, said map[string]string, ends bool) {
	tokens := html.NewTokenizer(bytes.NewReader(raw))
	kind := tokens.Next()
	token := tokens.Token()
	if kind != html.StartTagToken && kind != html.EndTagToken && kind != html.SelfClosingTagToken {
		return "", nil, false
	}
	return token.Data, attributesIn(token), kind == html.EndTagToken
}

func attributesIn(token html.Token) map[string]string {
	said := make(map[string]string, len(token.Attr))
	for _, a := range token.Attr {
		if _, have := said[a.Key]; !have {
			said[a.Key] = a.Val
		}
	}
	return said
}

// tag writes a tag of HTML: a mark for what follows, a line break, an image, or the beginning or the end of an inline.
// Of others, and of comments, there is nothing to see.
func (w *inlineWriter) tag(raw []byte, marks []api.DocumentMark) {
	name, said, ends := tagOf(raw)
	switch {
	case name == "br":
		w.add("\n", marks)
	case name == "source":
		w.dark = darkSource(said)
	case name == "picture":
		w.dark = ""
	case name == "img" && !ends:
		w.picture(said, marks)
	case ends && w.closes(name):
	case isInline(name, said) && !ends:
		w.settle()
		w.open = append(w.open, element{name: name, said: said, before: w.nodes})
		w.nodes = nil
	default:
		w.mark(name, said, ends)
	}
}

// isInline reports whether a tag begins an inline, rather than a mark.
func isInline(name string, said map[string]string) bool {
	value, has := said[inlineElements[name]]
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

// mark opens or closes a mark.
func (w *inlineWriter) mark(name string, said map[string]string, ends bool) {
	kind, known := htmlMarks[name]
	if !known {
		return
	}
	if !ends {
		m := Mark(kind)
		if name == "mark" {
			m.Data = colorOf(said["style"])
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

// styleColor is a color in the style of an element.
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

// darkSource is the image that a source of a picture has for dark screens, "" for others.
func darkSource(said map[string]string) string {
	if strings.ReplaceAll(said["media"], " ", "") != "(prefers-color-scheme:dark)" {
		return ""
	}
	return strings.TrimSpace(said["srcset"])
}

// picture writes an image of HTML. One that leads nowhere is the text that stands for it.
func (w *inlineWriter) picture(said map[string]string, marks []api.DocumentMark) {
	if data, ok := w.w.pictureData(said, w.dark); ok {
		w.node(inlineVoid("inline-image", data))
		return
	}
	w.add(said["alt"], marks)
}

// pictureData is what an image of HTML says, with the one for dark screens; ok is false where it leads nowhere.
func (w *writer) pictureData(said map[string]string, dark string) (data map[string]any, ok bool) {
	ref, ok := w.ref(said["src"], true)
	if !ok {
		return nil, false
	}
	data = map[string]any{"ref": ref}
	if said["alt"] != "" {
		data["caption"] = said["alt"]
	}
	if size := said["data-size"]; size == "original" || size == "line" {
		data["size"] = size
	}
	if ref, leads := w.ref(dark, true); leads && dark != "" {
		data["refDark"] = ref
	}
	return data, true
}

// closes ends the innermost open element of a name, and is false where there is none.
func (w *inlineWriter) closes(name string) bool {
	at := len(w.open) - 1
	for at >= 0 && w.open[at].name != name {
		at--
	}
	if at < 0 {
		return false
	}
	w.settle()
	for len(w.open) > at+1 {
		w.abandon()
	}
	e := w.open[at]
	inside := w.nodes
	w.open, w.nodes = w.open[:at], e.before
	w.nodes = append(w.nodes, w.element(e, inside)...)
	return true
}

// element is the inline that an element of HTML is.
func (w *inlineWriter) element(e element, inside []api.DocumentNode) []api.DocumentNode {
	switch e.name {
	case "i":
		return []api.DocumentNode{inlineVoid("icon", map[string]any{"icon": strings.TrimPrefix(e.said["class"], "fa-")})}
	case "span":
		return []api.DocumentNode{inlineVoid("emoji", map[string]any{"code": e.said["data-emoji"]})}
	case "code":
		return []api.DocumentNode{inlineVoid("expression", map[string]any{"expression": shownIn(inside)})}
	case "abbr":
		return []api.DocumentNode{w.annotation(e.said["title"], inside)}
	}
	ref, ok := w.w.ref(e.said["href"], false)
	if !ok {
		return inside
	}
	if kinds := strings.Fields(e.said["class"]); len(kinds) == 2 && kinds[0] == "button" && (kinds[1] == "primary" || kinds[1] == "secondary") {
		data := map[string]any{"ref": ref, "label": shownIn(inside), "kind": kinds[1]}
		if icon := e.said["data-icon"]; icon != "" {
			data["icon"] = icon
		}
		return []api.DocumentNode{inlineVoid("button", data)}
	}
	return []api.DocumentNode{linkTo(ref, inside)}
}

// shownIn is what people read of inlines.
func shownIn(nodes []api.DocumentNode) string {
	var out strings.Builder
	for _, n := range nodes {
		out.WriteString(shownText(n))
	}
	return out.String()
}

// annotation is a text with something that is said of it: Markdown of its own.
func (w *inlineWriter) annotation(body string, inside []api.DocumentNode) api.DocumentNode {
	about := w.w.sequence("", "annotation-body", false)
	if w.depth < MaxDepth {
		w.w.blocks(about, []byte(body), 0, len(body), w.depth+1)
	} else {
		about.nodes = []api.DocumentNode{paragraph(text(body))}
	}
	for i := range about.nodes {
		withoutKeys(&about.nodes[i])
	}
	texts := linkTo(nil, inside).Nodes
	for i, n := range texts {
		if n.Object != "text" {
			texts[i] = text(shownText(n))
		}
	}
	return api.DocumentNode{
		Object: "inline", Type: "annotation", IsVoid: new(false), Nodes: texts,
		Fragments: []api.DocumentNode{{Object: "fragment", Type: "annotation-body", Fragment: "annotation-body", Nodes: orNone(about.nodes)}},
	}
}

// withoutKeys takes the keys off nodes that do not know yet where they will stand.
func withoutKeys(n *api.DocumentNode) {
	n.Key = ""
	for i := range n.Nodes {
		withoutKeys(&n.Nodes[i])
	}
	for i := range n.Fragments {
		withoutKeys(&n.Fragments[i])
	}
}
