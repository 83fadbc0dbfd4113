package documents

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"docspace.dev/wsd/client/api"
)

// html writes a block of HTML: its text, as what its elements say. Comments are no blocks.
func (b *blockWriter) html(s *sequence, n *ast.HTMLBlock) {
	source := n.Lines().Value(b.source)
	if n.HasClosure() {
		source = append(bytes.Clone(source), n.ClosureLine.Value(b.source)...)
	}
	e := elementWriter{w: b.w, depth: b.depth}
	e.read(source)
	at := b.shift + b.at(n)
	if len(e.nodes) == 0 {
		s.begin(at, "")
		b.w.id(at)
		return
	}
	key := s.key(at)
	s.begin(at, key)
	for i, node := range e.nodes {
		if i == 0 {
			node.Key = key
		}
		s.add(node)
	}
}

// elementWriter writes the elements of a block of HTML.
type elementWriter struct {
	w      *writer
	depth  int
	nodes  []api.DocumentNode
	line   strings.Builder // of HTML, of the paragraph that is being read
	align  string
	opened bool             // the paragraph was begun by a tag: it is one even if it is empty
	level  byte             // of the heading that is being read
	id     string           // of the heading
	images api.DocumentNode // figures that stand together
	hidden string           // the element that is being read and that nobody sees
}

// blockElements end the line of text that stands before them, and behind them.
const blockElements = " address article aside blockquote body center dd details dialog div dl dt fieldset figcaption footer form h1 h2 h3 h4 h5 h6 header hr html li link main menu nav ol option p section summary table tbody td tfoot th thead title tr ul pre "

// spaces are read as one.
var spaces = regexp.MustCompile(`[ \t\r\n]+`)

func (e *elementWriter) read(source []byte) {
	tokens := html.NewTokenizer(bytes.NewReader(source))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := string(tokens.Raw())
		switch token := tokens.Token(); {
		case kind == html.TextToken && e.hidden == "":
			e.line.WriteString(spaces.ReplaceAllString(raw, " "))
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			e.start(tokens, token, raw)
		case kind == html.EndTagToken:
			e.finish(token.Data, raw)
		}
	}
	e.flush()
	e.figures()
}

// start reads a tag that begins an element.
func (e *elementWriter) start(tokens *html.Tokenizer, token html.Token, raw string) {
	said := attributesIn(token)
	switch name := token.Data; {
	case name == "script" || name == "style":
		e.hidden = name
	case name == "table":
		e.flush()
		e.figures()
		e.nodes = append(e.nodes, e.table(tokens, said)...)
	case name == "figure":
		e.flush()
		e.figure(tokens)
	case strings.Contains(blockElements, " "+name+" "):
		e.flush()
		e.figures()
		switch {
		case name == "p":
			e.opened, e.align = true, said["align"]
		case len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6':
			e.opened, e.align, e.level, e.id = true, said["align"], name[1]-'0', said["id"]
		case name == "div":
			e.images = imagesBlock()
			if align := said["align"]; align == "left" || align == "center" || align == "right" {
				e.images.Data["align"] = align
			}
			if said["data-full-width"] == "true" {
				e.images.Data["fullWidth"] = true
			}
		}
	default:
		e.line.WriteString(raw)
	}
}

func (e *elementWriter) finish(name, raw string) {
	switch {
	case e.hidden == name:
		e.hidden = ""
	case strings.Contains(blockElements, " "+name+" "):
		e.flush()
		if name == "div" {
			e.figures()
		}
	default:
		e.line.WriteString(raw)
	}
}

// flush writes the line that was read as a paragraph or a heading.
func (e *elementWriter) flush() {
	inside := e.w.line(strings.ReplaceAll(e.line.String(), "\n", " "), e.depth)
	if len(inside) > 0 || e.opened {
		n := paragraph(inside...)
		if e.level > 0 {
			n.Type, n.Data, n.Meta = headingType(int(e.level)), map[string]any{}, metaOf(e.w.fragments.Of(PlainOf(inside)))
			if e.id != "" {
				n.Meta = metaOf(e.id)
				if headingID.MatchString(e.id) {
					n.Data["id"] = e.id
				}
			}
		}
		if e.align != "" {
			if n.Data == nil {
				n.Data = map[string]any{}
			}
			n.Data["align"] = e.align
		}
		e.figures()
		e.nodes = append(e.nodes, n)
	}
	e.line.Reset()
	e.opened, e.align, e.level, e.id = false, "", 0, ""
}

// figures ends the figures that stand together.
func (e *elementWriter) figures() {
	if len(e.images.Nodes) > 0 {
		e.nodes = append(e.nodes, e.images)
	}
	e.images = api.DocumentNode{}
}

// figure reads a picture with its caption.
func (e *elementWriter) figure(tokens *html.Tokenizer) {
	var said map[string]string
	dark := ""
	var line strings.Builder
	captioned := false
	for {
		kind := tokens.Next()
		raw := string(tokens.Raw())
		token := tokens.Token()
		if kind == html.ErrorToken || kind == html.EndTagToken && token.Data == "figure" {
			break
		}
		switch name := token.Data; {
		case kind == html.CommentToken || kind == html.DoctypeToken:
		case name == "img" && kind != html.TextToken && said == nil:
			said = attributesIn(token)
		case name == "source" && kind != html.TextToken && dark == "":
			dark = darkSource(attributesIn(token))
		case name == "picture" && kind != html.TextToken:
		case name == "figcaption" && kind != html.TextToken:
			captioned = true
		case name == "p" && kind != html.TextToken:
		default:
			line.WriteString(raw)
		}
	}
	caption := e.w.line(line.String(), e.depth)
	data, ok := e.w.pictureData(said, dark)
	if !ok {
		if shown := append(e.w.line(html.EscapeString(said["alt"]), e.depth), caption...); len(shown) > 0 {
			e.figures()
			e.nodes = append(e.nodes, paragraph(shown...))
		}
		return
	}
	for _, name := range []string{"width", "height"} {
		if value := said[name]; value != "" {
			data[name] = length(value)
		}
	}
	if captioned && caption == nil {
		caption = []api.DocumentNode{text("")}
	}
	if e.images.Type == "" {
		e.images = imagesBlock()
	}
	e.images.Nodes = append(e.images.Nodes, imageBlock(data, caption))
}

// details writes what can be expanded: its summary is the title, the rest the body.
func (w *writer) details(s *sequence, key string, source, line []byte, open, end, depth int) {
	tag := bytes.IndexByte(source[open-len(line):], '>')
	start := open - len(line) + tag + 1
	_, said, _ := tagOf(source[open-len(line) : start])
	title := []api.DocumentNode{}
	inner := source[start:max(start, end)]
	if at := bytes.Index(inner, []byte("<summary>")); at >= 0 && len(bytes.TrimSpace(inner[:at])) == 0 {
		if length := bytes.Index(inner[at:], []byte("</summary>")); length > 0 {
			title = append(title, paragraph(w.line(string(inner[at+len("<summary>"):at+length]), depth)...))
			start += at + length + len("</summary>")
		}
	}
	n := api.DocumentNode{Object: "block", Type: "expandable", Key: key, IsVoid: new(true), Data: map[string]any{}}
	if _, expanded := said["open"]; expanded {
		n.Data["defaultExpanded"] = true
	}
	inside := w.sequence(key+".b", "expandable-body", s.own)
	inside.inside(key+".b", start, max(start, end))
	w.blocks(inside, source, start, max(start, end), depth+1)
	n.Fragments = []api.DocumentNode{
		{Object: "fragment", Fragment: "expandable-title", Type: "expandable-title", Nodes: title},
		{Object: "fragment", Fragment: "expandable-body", Type: "expandable-body", Nodes: orNone(inside.nodes)},
	}
	s.add(w.identified(n))
}
