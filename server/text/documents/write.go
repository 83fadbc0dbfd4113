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
	// MaxDepth bounds how deep blocks are looked for in each other; what is deeper is text.
	MaxDepth = 24
)

// Source is a text to write as a document.
type Source struct {
	Text  content.Text
	Title string // of the page: a level-1 heading that opens the text and reads so is left out
	Place Place  // nil: Stable
	Data  api.DocumentData
}

// Write writes a text as a document. All that people read of the Markdown is in its leaves, in its order. Rooms call it
// for every document that they answer.
func Write(s Source) api.JSONDocument {
	d, _ := WriteLaidOut(s)
	return d
}

// WriteLaidOut is Write for who asks where the nodes stand in the text: package writeback.
func WriteLaidOut(s Source) (api.JSONDocument, Layout) {
	w := newWriter(s)
	d := w.document()
	d.Data = s.Data
	d.Data.SchemaVersion = schemaVersion
	if w.titled {
		d.Data.Title = s.Title
	}
	return d, w.layout
}

// Layout says where the blocks of a document stand in the text that it was made from.
type Layout struct {
	Starts  map[string]int    // where the blocks begin that have a beginning of their own, by key
	Bounds  map[string][]int  // where the blocks of a sequence begin, those too that are no nodes, by its parent
	Insides map[string][2]int // where the blocks in a block stand, by its key
}

func newWriter(s Source) *writer {
	if s.Place == nil {
		s.Place = Stable
	}
	w := &writer{
		markdown: s.Text.Markdown, table: s.Text.Blocks, title: s.Title, place: s.Place,
		claimed: map[string]bool{}, fragments: content.Fragments{},
		layout: Layout{Starts: map[string]int{}, Bounds: map[string][]int{}, Insides: map[string][2]int{}},
	}
	w.start = content.BodyStart(w.markdown)
	if bytes.Contains(w.markdown[w.start:], []byte("]:")) {
		w.references = markdown.Definitions(w.markdown[w.start:])
	}
	return w
}

// writer writes the tree of one text.
type writer struct {
	markdown   []byte
	start      int // of the text behind its front matter
	table      content.Table
	title      string
	titled     bool // a heading says the title
	place      Place
	claimed    map[string]bool // ids of blocks that are keys already
	references markdown.References
	fragments  content.Fragments
	layout     Layout
}

func (w *writer) document() api.JSONDocument {
	top := w.sequence("n", "top", true)
	w.blocks(top, w.markdown, w.start, len(w.markdown), 0)
	return api.JSONDocument{Object: "document", Nodes: orNone(top.nodes)}
}

// orNone is a list that is written even when it is empty.
func orNone(nodes []api.DocumentNode) []api.DocumentNode {
	if nodes == nil {
		return []api.DocumentNode{}
	}
	return nodes
}

// sequence is the list of blocks of a document, or of one of its blocks.
type sequence struct {
	w      *writer
	parent string // key of the block that they are in
	place  string // what kind of block that is: it says which blocks are allowed
	own    bool   // the blocks stand in the text itself, not in lines that were taken out of something
	nodes  []api.DocumentNode
}

func (w *writer) sequence(parent, place string, own bool) *sequence {
	return &sequence{w: w, parent: parent, place: place, own: own}
}

// key is the key of the next block, which begins at an offset of the text: the id of the block that has the byte there,
// for the first that asks, or else the place in its parent.
func (s *sequence) key(start int) string {
	if s.own {
		if id := s.w.id(start); id != "" {
			return id
		}
	}
	return s.parent + "." + strconv.Itoa(len(s.nodes))
}

// id is the id of the block that has the byte at an offset, for the first that asks.
func (w *writer) id(offset int) string {
	id, ok := w.block(offset)
	if ok {
		w.claimed[id] = true
	}
	return id
}

// block is that id, for who does not take it; ok is false where there is none.
func (w *writer) block(offset int) (id string, ok bool) {
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

// begin notes where a block begins that has the key; "" is one that is no node.
func (s *sequence) begin(start int, key string) {
	if !s.own {
		return
	}
	if key != "" {
		s.w.layout.Starts[key] = start
	}
	if all := s.w.layout.Bounds[s.parent]; len(all) == 0 || all[len(all)-1] < start {
		s.w.layout.Bounds[s.parent] = append(all, start)
	}
}

// inside notes where the blocks in a block stand.
func (s *sequence) inside(key string, from, to int) {
	if s.own {
		s.w.layout.Insides[key] = [2]int{from, to}
	}
}

// add appends a block, or what stands for it where such a block is not allowed, and gives keys to what has none.
func (s *sequence) add(n api.DocumentNode) {
	if !allowed(s.place, n.Type) {
		lowered := lower(s.place, n)
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

// fillKeys gives keys to the nodes in a node that have none.
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

// blocks writes the blocks of source[from:to]. Regions are found first; the Markdown parser cuts what lies between.
func (w *writer) blocks(s *sequence, source []byte, from, to, depth int) {
	if depth <= MaxDepth {
		for _, r := range regions(source[:to], from) {
			w.plain(s, source, from, r.Start, depth)
			w.region(s, source, r, depth)
			from = r.End
		}
	}
	w.plain(s, source, from, to, depth)
}

// The names of regions that are not tags.
const (
	detailsRegion = "<details"
	MathRegion    = "$$"
)

// regions finds the outermost regions of source[from:]: pairs of tags, details, and formulas.
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
		return content.Tag(line)
	})
}

func mayHaveRegions(source []byte) bool {
	return bytes.Contains(source, []byte("{%")) || bytes.Contains(source, []byte(MathRegion)) || bytes.Contains(source, []byte(detailsRegion))
}

// cutLine returns the line at an offset with its end, and the offset of the next one.
func cutLine(b []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return b[at : at+i+1], at + i + 1
	}
	return b[at:], len(b)
}

func lineStart(b []byte, at int) int { return bytes.LastIndexByte(b[:at], '\n') + 1 }

// region writes a region: a container by its tag, details or a formula. The tags of others are text around what is in
// them.
func (w *writer) region(s *sequence, source []byte, r content.Region, depth int) {
	line, open := cutLine(source, r.Start)
	end := lineStart(source, r.Start+len(content.TrimEnd(source[r.Start:r.End])))
	key := s.key(r.Start)
	s.begin(r.Start, key)
	switch c, known := containers[r.Name]; {
	case r.Name == MathRegion:
		formula := strings.TrimSuffix(strings.TrimSuffix(string(source[open:max(open, end)]), "\n"), "\r")
		s.add(api.DocumentNode{Object: "block", Type: "math", Key: key, IsVoid: new(true), Data: map[string]any{"formula": formula}})
	case r.Name == detailsRegion:
		w.details(s, key, source, line, open, max(open, end), depth)
	case r.Name == "code" && w.codeIn(s, key, source, line, open, end, depth):
	case known:
		w.container(s, key, c, source, line, open, end, depth)
	default:
		w.around(s, key, source, line, open, end, r.End, depth)
	}
}

// around writes a container that is not known: its tags are text around what is in it.
func (w *writer) around(s *sequence, key string, source, line []byte, open, end, stop, depth int) {
	first := paragraph(text(string(content.TrimEnd(line))))
	first.Key = key
	s.add(first)
	inside := w.sequence(key, s.place, false)
	w.blocks(inside, source, open, end, depth+1)
	s.nodes = append(s.nodes, inside.nodes...)
	s.add(paragraph(text(string(content.TrimEnd(source[end:stop])))))
}

// codeIn writes code that a tag says more of.
func (w *writer) codeIn(s *sequence, key string, source, line []byte, open, end, depth int) bool {
	inside := w.sequence(key, "code", false)
	w.blocks(inside, source, open, end, depth+1)
	if len(inside.nodes) != 1 || inside.nodes[0].Type != "code" {
		return false
	}
	n := inside.nodes[0]
	n.Key = key
	codeTag(&n, line)
	s.add(n)
	return true
}
