package documents

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"docspace.dev/wsd/client/api"
)

// html writes a block of HTML as the equivalent blocks of its elements. Comments are skipped.
func (b *blockWriter) html(s *sequence, n *ast.HTMLBlock) {
	source := n.Lines().Value(b.source)
	if n.HasClosure() {
		source = append(bytes.Clone(source), n.ClosureLine.Value(b.source)...)
	}
	e := elementWriter{w: b.w, depth: b.depth}
	e.read(source)
	at := b.shift + b.startOf(n)
	if len(e.nodes) == 0 {
		s.recordStart(at, "")
		b.w.claimID(at)
		return
	}
	key := s.key(at)
	s.recordStart(at, key)
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
	line   strings.Builder // HTML of the current paragraph
	align  string
	opened bool             // the current paragraph has a tag of its own and is written even if it is empty
	level  byte             // of the current heading
	id     string           // of the current heading
	images api.DocumentNode // consecutive figures
	hidden string           // name of the current invisible element
}

// blockElements are the elements that end the line of text before and after them.
const blockElements = " address article aside blockquote body center dd details dialog div dl dt fieldset figcaption footer form h1 h2 " +
	"h3 h4 h5 h6 header hr html li link main menu nav ol option p section summary table tbody td tfoot th thead title tr ul pre "

// spaceRun matches a run of white space, which is equivalent to one space.
var spaceRun = regexp.MustCompile(`[ \t\r\n]+`)

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
			e.line.WriteString(spaceRun.ReplaceAllString(raw, " "))
		case kind == html.StartTagToken || kind == html.SelfClosingTagToken:
			e.start(tokens, token, raw)
		case kind == html.EndTagToken:
			e.finish(token.Data, raw)
		}
	}
	e.flush()
	e.endFigures()
}

// start handles a start tag.
func (e *elementWriter) start(tokens *html.Tokenizer, token html.Token, raw string) {
	attrs := tokenAttributes(token)
	switch name := token.Data; {
	case name == "script" || name == "style":
		e.hidden = name
	case name == "table":
		e.flush()
		e.endFigures()
		e.nodes = append(e.nodes, e.table(tokens, attrs)...)
	case name == "figure":
		e.flush()
		e.figure(tokens)
	case strings.Contains(blockElements, " "+name+" "):
		e.flush()
		e.endFigures()
		switch {
		case name == "p":
			e.opened, e.align = true, attrs["align"]
		case len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6':
			e.opened, e.align, e.level, e.id = true, attrs["align"], name[1]-'0', attrs["id"]
		case name == "div":
			e.images = imagesBlock()
			if align := attrs["align"]; align == "left" || align == "center" || align == "right" {
				e.images.Data["align"] = align
			}
			if attrs["data-full-width"] == "true" {
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
			e.endFigures()
		}
	default:
		e.line.WriteString(raw)
	}
}

// flush writes the current line as a paragraph or a heading.
func (e *elementWriter) flush() {
	inside := e.w.line(strings.ReplaceAll(e.line.String(), "\n", " "), e.depth)
	if len(inside) > 0 || e.opened {
		n := paragraph(inside...)
		if e.level > 0 {
			n.Type, n.Data, n.Meta = headingType(int(e.level)), map[string]any{}, metaOf(e.w.fragments.Next(PlainText(inside)))
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
		e.endFigures()
		e.nodes = append(e.nodes, n)
	}
	e.line.Reset()
	e.opened, e.align, e.level, e.id = false, "", 0, ""
}

// endFigures appends the block of consecutive figures to the nodes, if there are any.
func (e *elementWriter) endFigures() {
	if len(e.images.Nodes) > 0 {
		e.nodes = append(e.nodes, e.images)
	}
	e.images = api.DocumentNode{}
}

// figure reads an HTML figure, a picture with its caption, up to its end tag.
func (e *elementWriter) figure(tokens *html.Tokenizer) {
	var attrs map[string]string
	dark := ""
	var line strings.Builder
	captioned, inCaption := false, false
	for {
		kind := tokens.Next()
		raw := string(tokens.Raw())
		token := tokens.Token()
		if kind == html.ErrorToken || kind == html.EndTagToken && token.Data == "figure" {
			break
		}
		switch name := token.Data; {
		case kind == html.CommentToken || kind == html.DoctypeToken:
		case name == "figcaption" && kind != html.TextToken:
			captioned, inCaption = true, kind == html.StartTagToken
		case name == "p" && kind != html.TextToken:
		case inCaption:
			line.WriteString(raw)
		case name == "img" && kind != html.TextToken && attrs == nil:
			attrs = tokenAttributes(token)
		case name == "source" && kind != html.TextToken && dark == "":
			dark = darkSource(tokenAttributes(token))
		case name == "picture" && kind != html.TextToken:
		default:
			line.WriteString(raw)
		}
	}
	caption := e.w.line(line.String(), e.depth)
	data, ok := e.w.pictureData(attrs, dark)
	if !ok {
		if shown := append(e.w.line(html.EscapeString(attrs["alt"]), e.depth), caption...); len(shown) > 0 {
			e.endFigures()
			e.nodes = append(e.nodes, paragraph(shown...))
		}
		return
	}
	for _, name := range lengthMembers["image"] {
		if length, ok := ParseLength(attrs[name]); ok {
			data[name] = length
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

// details writes an expandable block: its summary is the title, the rest the body.
func (w *writer) details(s *sequence, t taggedText) {
	end := max(t.open, t.end)
	tag := bytes.IndexByte(t.source[t.open-len(t.line):], '>')
	start := t.open - len(t.line) + tag + 1
	_, attrs, _ := parseTag(t.source[t.open-len(t.line) : start])
	title := []api.DocumentNode{}
	inner := t.source[start:max(start, end)]
	if at := bytes.Index(inner, []byte("<summary>")); at >= 0 && len(bytes.TrimSpace(inner[:at])) == 0 {
		if length := bytes.Index(inner[at:], []byte("</summary>")); length > 0 {
			title = append(title, paragraph(w.line(string(inner[at+len("<summary>"):at+length]), t.depth)...))
			start += at + length + len("</summary>")
		}
	}
	n := api.DocumentNode{Object: "block", Type: "expandable", Key: t.key, IsVoid: new(true), Data: map[string]any{}}
	if _, expanded := attrs["open"]; expanded {
		n.Data["defaultExpanded"] = true
	}
	inside := w.sequence(t.key+".b", "expandable-body", s.direct)
	inside.recordContentSpan(t.key+".b", start, max(start, end))
	w.blocks(inside, t.source, start, max(start, end), t.depth+1)
	n.Fragments = []api.DocumentNode{
		{Object: "fragment", Fragment: "expandable-title", Type: "expandable-title", Nodes: title},
		{Object: "fragment", Fragment: "expandable-body", Type: "expandable-body", Nodes: nonNil(inside.nodes)},
	}
	s.add(w.withMeta(n))
}
