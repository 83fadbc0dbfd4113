package documents

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/server/text/content"
)

const (
	schemaVersion = 1
	// MaxDepth is the maximum nesting of blocks; deeper blocks are written as text.
	MaxDepth = 24
)

// Source is a text to be written as a document.
type Source struct {
	Text    content.Text
	Title   string   // of the page: a leading level-1 heading with the same text is omitted
	Resolve Resolver // nil means ResolveStable
	Data    api.DocumentData
}

// Write converts a text to a document. All visible text of the Markdown is in its leaves, in order.
func Write(s Source) api.JSONDocument {
	d, _ := WriteWithLayout(s)
	return d
}

// WriteWithLayout is like Write and also returns the positions of the nodes in the text, for package writeback.
func WriteWithLayout(s Source) (api.JSONDocument, Layout) {
	w := newWriter(s)
	d := w.document()
	d.Data = s.Data
	d.Data.SchemaVersion = schemaVersion
	if w.titleOmitted {
		d.Data.Title = s.Title
	}
	return d, w.layout
}

// Layout holds the byte offsets of a document's blocks in its source.
type Layout struct {
	Starts       map[string]int    // start of each block that begins at a position of its own, by key
	BlockStarts  map[string][]int  // starts of the blocks of a sequence, including those without a node, by the key of the parent
	ContentSpans map[string][2]int // span of the children of a block, by its key
}

func newWriter(s Source) *writer {
	if s.Resolve == nil {
		s.Resolve = ResolveStable
	}
	w := &writer{
		markdown: s.Text.Markdown, table: s.Text.Blocks, title: s.Title, resolve: s.Resolve,
		claimed: map[string]bool{}, fragments: content.Fragments{},
		layout: Layout{Starts: map[string]int{}, BlockStarts: map[string][]int{}, ContentSpans: map[string][2]int{}},
	}
	w.start = content.BodyStart(w.markdown)
	if bytes.Contains(w.markdown[w.start:], []byte("]:")) {
		w.references = markdown.ParseDefinitions(w.markdown[w.start:])
	}
	return w
}

// writer writes the tree of one text.
type writer struct {
	markdown     []byte
	start        int // offset of the text after its front matter
	table        content.Table
	title        string
	titleOmitted bool // a heading with the title was omitted
	resolve      Resolver
	claimed      map[string]bool // block ids in use as keys
	references   markdown.References
	fragments    content.Fragments
	layout       Layout
}

func (w *writer) document() api.JSONDocument {
	top := w.sequence("n", "top", true)
	w.blocks(top, w.markdown, w.start, len(w.markdown), 0)
	return api.JSONDocument{Object: "document", Nodes: nonNil(top.nodes)}
}

// nonNil returns nodes, or an empty list that is encoded as [] if nodes is nil.
func nonNil(nodes []api.DocumentNode) []api.DocumentNode {
	if nodes == nil {
		return []api.DocumentNode{}
	}
	return nodes
}

// sequence is the list of child blocks of a document or block.
type sequence struct {
	w          *writer
	parent     string // key of the parent block
	parentKind string // kind of the parent block, which determines the allowed children
	direct     bool   // offsets refer to the text itself, not to lines extracted from a quote or an item
	nodes      []api.DocumentNode
}

func (w *writer) sequence(parent, parentKind string, direct bool) *sequence {
	return &sequence{w: w, parent: parent, parentKind: parentKind, direct: direct}
}

// key returns the key of the next block, which begins at an offset: the id of the block at the offset if it is
// unclaimed, else the index in its parent.
func (s *sequence) key(start int) string {
	if s.direct {
		if id := s.w.claimID(start); id != "" {
			return id
		}
	}
	return s.parent + "." + strconv.Itoa(len(s.nodes))
}

// claimID claims and returns the id of the block at an offset, or "" if it is already claimed.
func (w *writer) claimID(offset int) string {
	id, ok := w.unclaimedID(offset)
	if ok {
		w.claimed[id] = true
	}
	return id
}

// unclaimedID returns the id of the block at an offset without claiming it; ok is false if there is none or it is claimed.
func (w *writer) unclaimedID(offset int) (id string, ok bool) {
	at, found := slices.BinarySearchFunc(w.table, offset, func(b content.Block, offset int) int {
		switch {
		case offset < b.Start:
			return 1
		case offset >= b.End:
			return -1
		}
		return 0
	})
	if !found || w.claimed[w.table[at].ID] {
		return "", false
	}
	return w.table[at].ID, true
}

// recordStart records the start of a block; key is "" if it has no node.
func (s *sequence) recordStart(start int, key string) {
	if !s.direct {
		return
	}
	if key != "" {
		s.w.layout.Starts[key] = start
	}
	if all := s.w.layout.BlockStarts[s.parent]; len(all) == 0 || all[len(all)-1] < start {
		s.w.layout.BlockStarts[s.parent] = append(all, start)
	}
}

// recordContentSpan records the span of a block's children.
func (s *sequence) recordContentSpan(key string, from, to int) {
	if s.direct {
		s.w.layout.ContentSpans[key] = [2]int{from, to}
	}
}

// add appends a block, lowered if its parent does not allow it, and sets missing keys.
func (s *sequence) add(n api.DocumentNode) {
	if !allowed(s.parentKind, n.Type) {
		lowered := lower(s.parentKind, n)
		if len(lowered) > 0 && n.Key != "" {
			lowered[0].Key = n.Key
		}
		for i, l := range lowered {
			if i > 0 || l.Key == "" {
				l.Key = s.parent + "." + strconv.Itoa(len(s.nodes))
			}
			s.append(l)
		}
		return
	}
	if n.Key == "" {
		n.Key = s.parent + "." + strconv.Itoa(len(s.nodes))
	}
	s.append(n)
}

func (s *sequence) append(n api.DocumentNode) {
	fillKeys(&n)
	s.nodes = append(s.nodes, n)
}

// fillKeys sets missing keys of the descendants of a node.
func fillKeys(n *api.DocumentNode) {
	for i := range n.Nodes {
		if n.Nodes[i].Key == "" {
			n.Nodes[i].Key = n.Key + "." + strconv.Itoa(i)
		}
		fillKeys(&n.Nodes[i])
	}
	for i := range n.Fragments {
		if n.Fragments[i].Key == "" {
			n.Fragments[i].Key = n.Key + ".f" + strconv.Itoa(i)
		}
		fillKeys(&n.Fragments[i])
	}
}

// blocks writes the blocks of source[from:to]. Regions are found first; the text between them is parsed as Markdown.
func (w *writer) blocks(s *sequence, source []byte, from, to, depth int) {
	if depth <= MaxDepth {
		for _, r := range regions(source[:to], from) {
			w.plainBlocks(s, source, from, r.Start, depth)
			w.region(s, source, r, depth)
			from = r.End
		}
	}
	w.plainBlocks(s, source, from, to, depth)
}

// Names of regions other than tags.
const (
	detailsRegion = "<details"
	MathRegion    = "$$"
)

// regions returns the outermost regions of source[from:]: pairs of tags, details, and formulas.
func regions(source []byte, from int) []content.Region {
	if rest := source[from:]; !mayHaveRegions(rest) {
		return nil
	}
	formula := false
	return content.Regions(source, from, func(line []byte) (name string, end, ok bool) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case string(trimmed) == MathRegion:
			formula = !formula
			return MathRegion, !formula, true
		case formula:
			return "", false, false
		case bytes.HasPrefix(trimmed, []byte(detailsRegion)) && (len(trimmed) > 8 && (trimmed[8] == '>' || trimmed[8] == ' ')):
			return detailsRegion, false, !bytes.Contains(trimmed, []byte("</details>"))
		case string(trimmed) == "</details>":
			return detailsRegion, true, true
		}
		return content.ParseTag(line)
	})
}

func mayHaveRegions(source []byte) bool {
	return bytes.Contains(source, []byte("{%")) || bytes.Contains(source, []byte(MathRegion)) ||
		bytes.Contains(source, []byte(detailsRegion))
}

// cutLine returns the line at an offset with its line ending, and the offset of the next one.
func cutLine(b []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return b[at : at+i+1], at + i + 1
	}
	return b[at:], len(b)
}

func lineStart(b []byte, at int) int { return bytes.LastIndexByte(b[:at], '\n') + 1 }

// taggedText is the text between a pair of tags.
type taggedText struct {
	key       string // of the node
	source    []byte
	line      []byte // opening tag
	open, end int    // start and end of the text in source
	depth     int
}

// region writes a region: a container by its tag, details or a formula. The tags of unknown containers are written as
// text.
func (w *writer) region(s *sequence, source []byte, r content.Region, depth int) {
	line, open := cutLine(source, r.Start)
	end := lineStart(source, r.Start+len(content.TrimEnd(source[r.Start:r.End])))
	key := s.key(r.Start)
	s.recordStart(r.Start, key)
	t := taggedText{key: key, source: source, line: line, open: open, end: end, depth: depth}
	switch c, known := containers[r.Name]; {
	case r.Name == MathRegion:
		formula := strings.TrimSuffix(strings.TrimSuffix(string(source[open:max(open, end)]), "\n"), "\r")
		s.add(api.DocumentNode{Object: "block", Type: "math", Key: key, IsVoid: new(true), Data: map[string]any{"formula": formula}})
	case r.Name == detailsRegion:
		w.details(s, t)
	case r.Name == "code" && w.taggedCode(s, t):
	case known:
		w.container(s, c, t)
	default:
		w.unknownContainer(s, t, r.End)
	}
}

// unknownContainer writes an unknown container: its tags as text around its content.
// stop is the end of the closing tag.
func (w *writer) unknownContainer(s *sequence, t taggedText, stop int) {
	first := paragraph(text(string(content.TrimEnd(t.line))))
	first.Key = t.key
	s.add(first)
	inside := w.sequence(t.key, s.parentKind, false)
	w.blocks(inside, t.source, t.open, t.end, t.depth+1)
	s.nodes = append(s.nodes, inside.nodes...)
	s.add(paragraph(text(string(content.TrimEnd(t.source[t.end:stop])))))
}

// taggedCode writes a code block with a tag around it. It returns false if the content is anything else.
func (w *writer) taggedCode(s *sequence, t taggedText) bool {
	inside := w.sequence(t.key, "code", false)
	w.blocks(inside, t.source, t.open, t.end, t.depth+1)
	if len(inside.nodes) != 1 || inside.nodes[0].Type != "code" {
		return false
	}
	n := inside.nodes[0]
	n.Key = t.key
	applyCodeTag(&n, t.line)
	s.add(n)
	return true
}
