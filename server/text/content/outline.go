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

// Outline holds the anchors of a text, its links, and its words by section.
type Outline struct {
	Anchors  []string // fragments that lead to a position in the text, sorted
	Links    []Link   // see Links
	Sections []Section
}

// Section is a heading with the text below it, up to the next heading. The text before the first heading is a section
// without a title.
type Section struct {
	Title      string // of the heading
	Anchor     string // fragment that leads to the section
	Level      int    // of the heading, 0 without one
	Start, End int    // byte span, heading included
	Text       string // words below the heading, without markup, in lines
}

// ParseOutline returns the outline of a text.
func ParseOutline(markdown []byte) Outline {
	o := newOutliner(markdown)
	o.walk(parseSyntax(o.finder.source), o.finder.visit)
	o.finish(len(markdown))
	slices.SortFunc(o.finder.links, func(a, b Link) int { return a.Start - b.Start })
	return Outline{Anchors: o.anchors.sorted(), Links: o.finder.finish(o.shift), Sections: o.sections}
}

// Sections returns the sections of a text without the rest of its outline, which takes half the time. The search index uses it.
func Sections(source []byte) []Section {
	o := newOutliner(source)
	o.walk(markdown.ParseWords(o.finder.source), ignoreNode)
	o.finish(len(source))
	return o.sections
}

// ignoreNode ignores a node, used when links are not collected.
func ignoreNode(ast.Node) {}

func newOutliner(markdown []byte) *outliner {
	shift := bodyStart(markdown)
	return &outliner{
		shift: shift, finder: linkFinder{source: slices.Clip(markdown[shift:])}, anchors: newAnchors(),
		slugs: map[string]int{}, fragments: map[string]int{},
		sections: []Section{{}}, words: &bytes.Buffer{},
	}
}

func (o *outliner) walk(root ast.Node, visit func(ast.Node)) {
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // the callback returns no error
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
	shift      int // offset of the parsed text
	finder     linkFinder
	anchors    anchors
	block      int            // offset of the last block
	starts     []int          // offsets of blocks, including nested ones
	slugs      map[string]int // ASCII fragments of headings in use, see uniqueFragment
	fragments  map[string]int
	sections   []Section
	words      *bytes.Buffer // text of the last section
	paragraph  int           // start of the last paragraph in words
	explicitID string        // explicit id of the current heading
}

func (o *outliner) enter(node ast.Node) ast.WalkStatus {
	o.beginBlock(node)
	switch n := node.(type) {
	case *ast.Heading:
		o.addHeading(n)
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
		o.addCode(n.Lines())
	case *ast.HTMLBlock:
		o.addHTML(n.Lines())
	case *ast.RawHTML:
		o.addIDs(n.Segments)
	}
	return ast.WalkContinue
}

// beginBlock records the offset of a block, except for rows and cells, which belong to their table.
func (o *outliner) beginBlock(node ast.Node) {
	switch node.Kind() {
	case extast.KindTableHeader, extast.KindTableRow, extast.KindTableCell:
		return
	}
	if node.Type() != ast.TypeBlock {
		return
	}
	if start, ok := StartOf(node); ok {
		o.block = o.shift + lineStart(o.finder.source, min(start, len(o.finder.source)))
		if last := len(o.starts) - 1; last < 0 || o.starts[last] < o.block {
			o.starts = append(o.starts, o.block)
		}
	}
}

// leave handles the end of a node: it sets the title at the end of a heading, replaces the tags of a paragraph, and ends the
// line after any other block.
func (o *outliner) leave(node ast.Node) {
	switch {
	case node.Kind() == ast.KindParagraph:
		o.removeTags()
		o.words.WriteByte('\n')
	case node.Kind() == ast.KindHeading:
		o.setTitle(node.(*ast.Heading))
	case node.Type() == ast.TypeBlock:
		o.words.WriteByte('\n')
	}
}

// removeTags replaces the tags in the finished paragraph by their titles.
func (o *outliner) removeTags() {
	at := min(o.paragraph, o.words.Len())
	if last := o.words.Bytes()[at:]; bytes.Contains(last, []byte("{%")) {
		words := withoutTags(string(last))
		o.words.Truncate(at)
		o.words.WriteString(words)
	}
}

// addHeading begins a section, unless the heading is inside a quote or a list.
func (o *outliner) addHeading(h *ast.Heading) {
	o.explicitID = markdown.HeadingID(h)
	if o.explicitID != "" {
		o.anchors.explicit.add(o.explicitID, o.block)
	}
	start, ok := StartOf(h)
	if h.Parent().Kind() != ast.KindDocument || !ok {
		o.words.WriteByte('\n')
		return
	}
	o.endSection()
	o.sections = append(o.sections, Section{Level: h.Level, Start: lineStart(o.finder.source, min(start, len(o.finder.source)))})
}

// setTitle moves the words collected since a heading began to the title of its section. A heading inside another block only
// gets an anchor, and its words remain.
func (o *outliner) setTitle(h *ast.Heading) {
	read := o.words.Bytes()
	if h.Parent().Kind() != ast.KindDocument {
		line := read[bytes.LastIndexByte(read, '\n')+1:]
		o.addAnchor(oneLine(string(line)))
		o.words.WriteByte('\n')
		return
	}
	last := &o.sections[len(o.sections)-1]
	last.Title = oneLine(string(read))
	last.Anchor = o.addAnchor(last.Title)
	if o.explicitID != "" {
		last.Anchor = o.explicitID
	}
	o.words.Reset()
}

func (o *outliner) endSection() {
	o.sections[len(o.sections)-1].Text = strings.TrimSpace(o.words.String())
	o.words.Reset()
}

// addAnchor records two fragments of a heading and returns the usual one. The other is in ASCII, for users whose keyboards lack
// the letters of the title.
func (o *outliner) addAnchor(title string) string {
	o.anchors.ascii.add(uniqueFragment(o.slugs, Slug(title)), o.block)
	usual := uniqueFragment(o.fragments, Fragment(title))
	o.anchors.usual.add(usual, o.block)
	return usual
}

// uniqueFragment returns a fragment, with a suffix -1, -2 and so on if it is taken. taken holds the next number to try.
func uniqueFragment(taken map[string]int, fragment string) string {
	free := fragment
	for n := taken[fragment]; taken[free] > 0; n++ {
		free = fragment + "-" + strconv.Itoa(n)
		taken[fragment] = n + 1
	}
	taken[free]++
	return free
}

// addCode adds the lines of a code block to the words.
func (o *outliner) addCode(lines *text.Segments) {
	o.words.Write(lines.Value(o.finder.source))
}

// addHTML adds the words between the tags of an HTML block, and its ids.
func (o *outliner) addHTML(lines *text.Segments) {
	o.addIDs(lines)
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

// addIDs records the ids and names of HTML elements.
func (o *outliner) addIDs(segments *text.Segments) {
	source := segments.Value(o.finder.source)
	for _, a := range attributes(source) {
		if a.name == "id" || a.name == "name" {
			id := string(unescapeHTML(source[a.start:a.end]))
			o.anchors.explicit.add(id, o.block)
			o.explicitID = id
		}
	}
}

// finish ends the last section, sets the spans of all sections relative to the whole text, and drops the first section if it
// has no text and is not the only one.
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

// Fragment returns the fragment of a heading as most renderers derive it: lower case, letters and digits of any
// script, hyphens for spaces.
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

// Fragments assigns unique fragments to the headings of a text, in order. It holds the assigned ones.
type Fragments map[string]int

// Next returns the fragment of the next heading.
func (f Fragments) Next(title string) string { return uniqueFragment(f, Fragment(title)) }
