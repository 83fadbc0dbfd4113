package content

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"docspace.dev/wsd/client/api/markdown"
)

// Outline is what a text shows to the outside: where it can be pointed at, what
// it points at, and its words by section.
type Outline struct {
	Anchors  []string // fragments that lead to a place in the text, sorted
	Links    []Link   // see Links
	Sections []Section
}

// Section is a heading with what stands below it, up to the next heading. The
// text before the first heading is a section without one.
type Section struct {
	Title      string // of the heading
	Anchor     string // fragment that leads to it
	Level      int    // of the heading, 0 without one
	Start, End int    // byte span, heading included
	Text       string // words below the heading, without markup, in lines
}

// Outlined reads a text's outline.
func Outlined(markdown []byte) Outline {
	o := newOutliner(markdown)
	o.walk(syntax(o.finder.source), o.finder.visit)
	o.finish(len(markdown))
	slices.SortFunc(o.finder.links, func(a, b Link) int { return a.Start - b.Start })
	return Outline{Anchors: o.anchors.sorted(), Links: o.finder.finish(o.shift), Sections: o.sections}
}

// Sections reads the sections of an outline alone, in half the time. The search index is made of them.
func Sections(source []byte) []Section {
	o := newOutliner(source)
	o.walk(markdown.Words(o.finder.source), nothing)
	o.finish(len(source))
	return o.sections
}

// nothing is what a reader does who does not look for links.
func nothing(ast.Node) {}

func newOutliner(markdown []byte) *outliner {
	shift := bodyStart(markdown)
	return &outliner{
		shift: shift, finder: linkFinder{source: markdown[shift:]}, anchors: newAnchors(),
		slugs: map[string]int{}, fragments: map[string]int{},
		sections: []Section{{}}, words: &bytes.Buffer{},
	}
}

func (o *outliner) walk(root ast.Node, visit func(ast.Node)) {
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			o.leave(node)
			return ast.WalkContinue, nil
		}
		visit(node)
		return o.enter(node), nil
	})
}

// outliner collects the outline of one parsed text.
type outliner struct {
	shift     int // of the parsed text
	finder    linkFinder
	anchors   anchors
	block     int            // where the last block begins
	begun     []int          // where blocks begin, those in others too
	slugs     map[string]int // those that headings have, in either form
	fragments map[string]int
	sections  []Section
	words     *bytes.Buffer // of the last section
	paragraph int           // where the words of the last paragraph begin
	explicit  string        // id that the heading that is being read says itself
}

func (o *outliner) enter(node ast.Node) ast.WalkStatus {
	o.begin(node)
	switch n := node.(type) {
	case *ast.Heading:
		o.heading(n)
	case *ast.Paragraph:
		o.paragraph = o.words.Len()
	case *ast.Text:
		value := n.Value(o.finder.source)
		if !n.IsRaw() && n.Parent().Kind() != ast.KindCodeSpan {
			value = unescape(value)
		}
		o.words.Write(value)
		if n.SoftLineBreak() || n.HardLineBreak() {
			o.words.WriteByte('\n')
		}
	case *ast.String:
		o.words.Write(n.Value)
	case *ast.AutoLink:
		o.words.Write(n.Label(o.finder.source))
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		o.lines(n.Lines())
	case *ast.HTMLBlock:
		o.html(n.Lines())
	case *ast.RawHTML:
		o.ids(n.Segments)
	}
	return ast.WalkContinue
}

// begin notes where a block begins. Rows and cells are read with their table.
func (o *outliner) begin(node ast.Node) {
	switch node.Kind() {
	case extast.KindTableHeader, extast.KindTableRow, extast.KindTableCell:
		return
	}
	if node.Type() != ast.TypeBlock {
		return
	}
	if start, ok := StartOf(node); ok {
		o.block = o.shift + lineStart(o.finder.source, min(start, len(o.finder.source)))
		if last := len(o.begun) - 1; last < 0 || o.begun[last] < o.block {
			o.begun = append(o.begun, o.block)
		}
	}
}

// leave ends lines behind blocks, and notes a heading when all of it was read.
func (o *outliner) leave(node ast.Node) {
	switch {
	case node.Kind() == ast.KindParagraph:
		o.untag()
		o.words.WriteByte('\n')
	case node.Kind() == ast.KindHeading:
		o.title(node.(*ast.Heading))
	case node.Type() == ast.TypeBlock:
		o.words.WriteByte('\n')
	}
}

// untag takes the tags out of the paragraph that ends.
func (o *outliner) untag() {
	at := min(o.paragraph, o.words.Len())
	if last := o.words.Bytes()[at:]; bytes.Contains(last, []byte("{%")) {
		words := withoutTags(string(last))
		o.words.Truncate(at)
		o.words.WriteString(words)
	}
}

// heading begins a section. A heading inside a quote or a list begins none.
func (o *outliner) heading(h *ast.Heading) {
	o.explicit = markdown.HeadingID(h)
	if o.explicit != "" {
		o.anchors.said.add(o.explicit, o.block)
	}
	start, ok := StartOf(h)
	if h.Parent().Kind() != ast.KindDocument || !ok {
		o.words.WriteByte('\n')
		return
	}
	o.endSection()
	o.sections = append(o.sections, Section{Level: h.Level, Start: lineStart(o.finder.source, min(start, len(o.finder.source)))})
}

// title takes what was read since a heading began as its text.
func (o *outliner) title(h *ast.Heading) {
	read := o.words.Bytes()
	if h.Parent().Kind() != ast.KindDocument {
		line := read[bytes.LastIndexByte(read, '\n')+1:]
		o.anchor(oneLine(string(line)))
		o.words.WriteByte('\n')
		return
	}
	last := &o.sections[len(o.sections)-1]
	last.Title = oneLine(string(read))
	last.Anchor = o.anchor(last.Title)
	if o.explicit != "" {
		last.Anchor = o.explicit
	}
	o.words.Reset()
}

func (o *outliner) endSection() {
	o.sections[len(o.sections)-1].Text = strings.TrimSpace(o.words.String())
	o.words.Reset()
}

// anchor notes the fragments that lead to a heading and returns the usual one.
// The other is in ASCII, as people write it whose keyboards lack the letters.
func (o *outliner) anchor(title string) string {
	o.anchors.ascii.add(unused(o.slugs, Slug(title)), o.block)
	usual := unused(o.fragments, Fragment(title))
	o.anchors.usual.add(usual, o.block)
	return usual
}

// unused takes a fragment, with -1, -2 and so on where it is taken. taken holds
// the number to try next.
func unused(taken map[string]int, fragment string) string {
	free := fragment
	for n := taken[fragment]; taken[free] > 0; n++ {
		free = fragment + "-" + strconv.Itoa(n)
		taken[fragment] = n + 1
	}
	taken[free]++
	return free
}

// lines adds the lines of a code block to the words.
func (o *outliner) lines(lines *text.Segments) {
	o.words.Write(lines.Value(o.finder.source))
}

// html adds the words between the tags of an HTML block, and its ids.
func (o *outliner) html(lines *text.Segments) {
	o.ids(lines)
	rest := lines.Value(o.finder.source)
	for len(rest) > 0 {
		open := bytes.IndexByte(rest, '<')
		if open < 0 {
			break
		}
		o.words.Write(unescapeHTML(rest[:open]))
		o.words.WriteByte(' ')
		rest = rest[skipPast(rest, open, ">"):]
	}
	o.words.Write(unescapeHTML(rest))
}

// ids notes the ids and names of HTML elements.
func (o *outliner) ids(segments *text.Segments) {
	source := segments.Value(o.finder.source)
	for _, a := range attributes(source) {
		if a.name == "id" || a.name == "name" {
			id := string(unescapeHTML(source[a.start:a.end]))
			o.anchors.said.add(id, o.block)
			o.explicit = id
		}
	}
}

// finish shifts the spans by the part of the text before the parsed one.
func (o *outliner) finish(length int) {
	o.endSection()
	for i := range o.sections {
		o.sections[i].Start += o.shift
		o.sections[i].End = length
		if i > 0 {
			o.sections[i-1].End = o.sections[i].Start
		}
	}
	if first := o.sections[0]; first.Text == "" && len(o.sections) > 1 {
		o.sections = o.sections[1:]
	}
}

// Fragment is the fragment of a heading as most renderers make it: lower case,
// letters and digits of any script, hyphens for spaces.
func Fragment(title string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '-', r == '_':
			out.WriteRune(r)
		case unicode.IsSpace(r):
			out.WriteByte('-')
		}
	}
	return out.String()
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Fragments gives the headings of a text their fragments, in their order. It holds those that are taken.
type Fragments map[string]int

// Of returns the fragment of the next heading.
func (f Fragments) Of(title string) string { return unused(f, Fragment(title)) }
