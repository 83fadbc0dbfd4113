package writeback

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
)

// Back writes a document back to the text that it was made from. What stands for a node that did not change keeps its
// bytes, in blocks that did change, too, and so does what is no node: front matter, comments, definitions, and the
// addresses of links that lead nowhere. It refuses what Read refuses. Pages call it when a document is sent that says
// what it was made from.
func Back(was documents.Source, sent api.JSONDocument) ([]byte, error) {
	if sent.Object != "document" {
		return nil, &Refusal{Path: "object", Reason: "must be document"}
	}
	if was.Place == nil {
		was.Place = documents.Stable
	}
	old, layout := documents.WriteLaidOut(was)
	if differs(old, sent) == "" {
		return was.Text.Markdown, nil
	}
	was.Place = leading(was.Place, sent)
	b := backer{layout: layout, source: was.Text.Markdown, ways: map[string]way{}}
	for range maxTries {
		next, err := b.write(old, sent)
		if err != nil {
			return nil, err
		}
		was.Text = content.Text{Markdown: next}
		path := differs(sent, documents.Write(was))
		if path == "" {
			return next, nil
		}
		if !b.otherwise(path, len(sent.Nodes)) {
			return nil, &Refusal{Path: path, Reason: "has no form in Markdown: it would be lost or read otherwise"}
		}
	}
	return nil, &Refusal{Path: "nodes", Reason: "have no form in Markdown together: send fewer changes at once"}
}

// maxTries bounds how often a text is written otherwise because it did not read as what was sent.
const maxTries = 40

// leading is the Place of a text that is written back: what was sent leads where it says, even where nothing is there.
func leading(place documents.Place, sent api.JSONDocument) documents.Place {
	stable := map[string]bool{}
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case []api.DocumentNode:
			for _, n := range v {
				walk(n.Data)
				walk(n.Nodes)
				walk(n.Fragments)
			}
		case map[string]any:
			if _, isRef := v["kind"].(string); isRef {
				stable[documents.DestinationOf(v)] = true
			}
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(sent.Nodes)
	return func(destination string, image bool) (api.ContentRef, bool) {
		if stable[destination] {
			return documents.Stable(destination, image)
		}
		return place(destination, image)
	}
}

// way is how a block that changed is written: the first of these after which it reads as what was sent.
type way int

const (
	inside   way = iota // what changed in it alone
	behind              // its words, new ones behind what only the source has
	before              // its words, new ones before it
	worded              // its words, paired by what has letters first
	named               // its words, and those that have no pair by their names
	broad               // its words, and what they touch
	anew                // from the document alone
	waysOver            // none is left
)

// backer writes a document back.
type backer struct {
	layout documents.Layout
	source []byte
	ways   map[string]way // by the path of a block
}

// topBlock is the block of the document that a path is in.
var topBlock = regexp.MustCompile(`^nodes\[(\d+)\]`)

// otherwise takes another way for the block at a path, or for the one before it, and is false where none is left.
func (b *backer) otherwise(path string, count int) bool {
	m := topBlock.FindStringSubmatch(path)
	if m == nil {
		return false
	}
	at, _ := strconv.Atoi(m[1])
	for _, i := range []int{at, at - 1} {
		if path := "nodes[" + strconv.Itoa(i) + "]"; i >= 0 && i < count && b.ways[path] < anew {
			b.ways[path]++
			return true
		}
	}
	return false
}

func (b *backer) write(old, sent api.JSONDocument) ([]byte, error) {
	out := output{crlf: bytes.Contains(b.source, []byte("\r\n"))}
	err := b.sequence(&out, spot{parent: "n", path: "nodes", to: len(b.source)}, old.Nodes, sent.Nodes)
	return out.text, err
}

// output is a text while it is written.
type output struct {
	text []byte
	crlf bool
}

func (o *output) add(s []byte) { o.text = append(o.text, s...) }

func (o *output) line() string {
	if o.crlf {
		return "\r\n"
	}
	return "\n"
}

// apart ends the line, and leaves one empty where blocks stand apart.
func (o *output) apart(blank bool) {
	if len(o.text) == 0 {
		return
	}
	if !bytes.HasSuffix(o.text, []byte("\n")) {
		o.text = append(o.text, o.line()...)
	}
	if trimmed := bytes.TrimSuffix(bytes.TrimSuffix(o.text, []byte("\n")), []byte("\r")); blank && !bytes.HasSuffix(trimmed, []byte("\n")) {
		o.text = append(o.text, o.line()...)
	}
}

// fresh adds Markdown that was written anew.
func (o *output) fresh(markdown string, blank bool) {
	o.apart(blank)
	if o.crlf {
		markdown = strings.ReplaceAll(markdown, "\n", "\r\n")
	}
	o.text = append(o.text, markdown+o.line()...)
}

// segment is a stretch of a text that begins where a block does: with the nodes that it is, none for what is no node.
type segment struct {
	start, end int
	nodes      []api.DocumentNode
}

// segments cuts a stretch of the text at the blocks of a sequence; ok is false where their beginnings are not known.
func (b *backer) segments(in spot, nodes []api.DocumentNode) (all []segment, ok bool) {
	bounds := b.layout.Bounds[in.parent]
	for i, start := range bounds {
		end := in.to
		if i+1 < len(bounds) {
			end = bounds[i+1]
		}
		all = append(all, segment{start: start, end: end})
	}
	at := -1
	for _, n := range nodes {
		if start, has := b.layout.Starts[n.Key]; has {
			for at+1 < len(all) && (at < 0 || all[at+1].start <= start) {
				at++
			}
		}
		if at < 0 || at >= len(all) {
			return nil, false
		}
		all[at].nodes = append(all[at].nodes, n)
	}
	return all, len(all) > 0 || len(nodes) == 0
}

// unit is what stands in the place of a segment, or something new.
type unit struct {
	from  int // index of the segment, align.None for something new
	at    int // index of the first node among those that were sent
	nodes []api.DocumentNode
}

// units are the nodes that were sent by the segments that they come from.
func units(all []segment, sent []api.DocumentNode) (found []unit) {
	first := map[string]int{}
	for i, s := range all {
		if len(s.nodes) > 0 {
			first[s.nodes[0].Key] = i
		}
	}
	used := map[int]bool{}
	for i := 0; i < len(sent); {
		from, known := first[sent[i].Key]
		if !known || used[from] || sent[i].Key == "" {
			found = append(found, unit{align.None, i, sent[i : i+1]})
			i++
			continue
		}
		used[from] = true
		n := 1
		for n < len(all[from].nodes) && i+n < len(sent) && sent[i+n].Key == all[from].nodes[n].Key {
			n++
		}
		found = append(found, unit{from, i, sent[i : i+n]})
		i += n
	}
	return found
}

// spot is where the blocks of a sequence stand.
type spot struct {
	parent   string // its key
	list     string // the type of the list, if its blocks are items
	path     string
	from, to int
}

// sequence writes the blocks of a sequence in the place of those that were there.
func (b *backer) sequence(out *output, in spot, old, sent []api.DocumentNode) error {
	all, ok := b.segments(in, old)
	if !ok {
		return errNotByParts
	}
	start := in.to
	if len(all) > 0 {
		start = all[0].start
	}
	out.add(b.source[in.from:start])
	found := units(all, sent)
	var order, at []int
	for i, u := range found {
		if u.from != align.None {
			order, at = append(order, u.from), append(at, i)
		}
	}
	stays := map[int]bool{}
	for i, kept := range align.InOrder(order) {
		stays[at[i]] = kept
	}
	next, last := 0, -1 // the segment that is next in the text, and the one that was written last
	skip := func(to int) {
		for ; next < to; next++ {
			if len(all[next].nodes) == 0 {
				b.join(out, in, last == next-1, "", "")
				out.add(b.source[all[next].start:all[next].end])
				last = next
			}
		}
	}
	kind := "" // of the last block
	for i, u := range found {
		if stays[i] {
			skip(u.from)
			next++
		} else {
			skip(b.behind(all, next))
		}
		b.join(out, in, u.from != align.None && last == u.from-1, kind, u.nodes[0].Type)
		if err := b.unit(out, in, all, u); err != nil {
			return err
		}
		last, kind = u.from, u.nodes[len(u.nodes)-1].Type
		if u.from == align.None {
			last = len(all)
		}
	}
	skip(len(all))
	return nil
}

// join puts between two blocks what keeps them apart, but where they followed each other before.
func (b *backer) join(out *output, in spot, followed bool, last, next string) {
	if followed || len(out.text) == 0 {
		return
	}
	out.apart(in.list == "")
	if in.list == "" && joins(last, next) {
		out.fresh(separator, true)
		out.apart(true)
	}
}

// behind is the segment behind those that are no nodes, from one on: what is new stands behind the title, and behind a
// comment that follows what it follows.
func (b *backer) behind(all []segment, next int) int {
	for next < len(all) && len(all[next].nodes) == 0 {
		next++
	}
	return next
}

// errNotByParts says that a block has to be written as a whole.
var errNotByParts = errors.New("the parts of the text are not known")

// unit writes nodes: the bytes of their segment where they did not change.
func (b *backer) unit(out *output, in spot, all []segment, u unit) error {
	at, blank := in.path+"["+strconv.Itoa(u.at)+"]", in.list == ""
	if u.from == align.None {
		p := printer{}
		fresh := p.siblings(u.nodes, in, u.at)
		if p.err != nil {
			return p.err
		}
		out.fresh(fresh, blank)
		return nil
	}
	s := all[u.from]
	source := b.source[s.start:s.end]
	if b.ways[at] < anew && nodesDiffer(s.nodes, u.nodes, "") == "" {
		out.add(source)
		return nil
	}
	chosen := b.ways[at]
	if chosen == inside && len(s.nodes) == 1 && len(u.nodes) == 1 {
		before := len(out.text)
		err := b.within(out, s, u.nodes[0], at)
		if !errors.Is(err, errNotByParts) {
			return err
		}
		out.text = out.text[:before]
	}
	return b.words(out, in, s, u, chosen)
}

// within writes a block in which others changed: a list, or what stands between tags.
func (b *backer) within(out *output, s segment, n api.DocumentNode, path string) error {
	was := s.nodes[0]
	key, oldNodes, newNodes, inner := was.Key, was.Nodes, n.Nodes, path+".nodes"
	list := ""
	if strings.HasPrefix(n.Type, "list-") {
		list = n.Type
	}
	if was.Type == "expandable" && n.Type == was.Type && len(n.Fragments) == 2 && nodesDiffer(was.Fragments[0].Nodes, n.Fragments[0].Nodes, "") == "" {
		key, oldNodes, newNodes, inner = was.Key+".b", was.Fragments[1].Nodes, n.Fragments[1].Nodes, path+".fragments[1].nodes"
	}
	span, known := b.layout.Insides[key]
	if !known || n.Type != was.Type || dataDiffers(cleaned(was), cleaned(n)) != "" {
		return errNotByParts
	}
	span[1] = min(span[1], s.end)
	out.add(b.source[s.start:span[0]])
	if err := b.sequence(out, spot{key, list, inner, span[0], span[1]}, oldNodes, newNodes); err != nil {
		return err
	}
	if span[1] < s.end {
		out.apart(false)
	}
	out.add(b.source[span[1]:s.end])
	return nil
}

// words writes nodes that changed: their words are changed in the source, or they are written anew.
func (b *backer) words(out *output, in spot, s segment, u unit, chosen way) error {
	source := b.source[s.start:s.end]
	body := content.TrimEnd(source)
	p := printer{}
	sent := p.siblings(u.nodes, in, u.at)
	if p.err != nil {
		return p.err
	}
	was := (&printer{}).siblings(s.nodes, in, 0)
	if out.crlf {
		sent, was = strings.ReplaceAll(sent, "\n", "\r\n"), strings.ReplaceAll(was, "\n", "\r\n")
	}
	if chosen >= anew || was == "" {
		out.add([]byte(sent))
	} else {
		out.add([]byte(changed(was, string(body), sent, chosen)))
	}
	out.add(source[len(body):])
	return nil
}

// siblings writes nodes that follow each other in a spot, the first at an index.
func (p *printer) siblings(nodes []api.DocumentNode, in spot, at int) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		path := in.path + "[" + strconv.Itoa(at+i) + "]"
		switch in.list {
		case "":
			parts[i] = p.block(n, path, 0)
		case "list-ordered":
			parts[i] = p.item(in.list, n, "1.", path, 0)
		default:
			parts[i] = p.item(in.list, n, "-", path, 0)
		}
	}
	return strings.Join(parts, "\n\n")
}
