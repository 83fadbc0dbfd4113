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

// Update applies a changed document to the text that it was made from. Unchanged nodes keep their bytes, also within
// changed blocks, and so does everything without a node: front matter, comments, definitions, and destinations that
// refer to nothing. It returns a *Refusal for the same documents as Markdown. Pages use it for documents that name the
// version they were made from.
func Update(was documents.Source, sent api.JSONDocument) ([]byte, error) {
	if sent.Object != "document" {
		return nil, &Refusal{Path: "object", Reason: "must be document"}
	}
	if was.Resolve == nil {
		was.Resolve = documents.ResolveStable
	}
	old, layout := documents.WriteWithLayout(was)
	if difference(old, sent) == "" {
		return was.Text.Markdown, nil
	}
	was.Resolve = documentResolver(was.Resolve, sent)
	b := updater{layout: layout, source: was.Text.Markdown, strategies: map[string]strategy{}}
	for range maxTries {
		next, err := b.update(old, sent)
		if err != nil {
			return nil, err
		}
		was.Text = content.Text{Markdown: next}
		path := difference(sent, documents.Write(was))
		if path == "" {
			return next, nil
		}
		if !b.escalate(path, len(sent.Nodes)) {
			return nil, &Refusal{Path: path, Reason: "has no form in Markdown: it would be lost or read otherwise"}
		}
	}
	return nil, &Refusal{Path: "nodes", Reason: "have no form in Markdown together: send fewer changes at once"}
}

// maxTries limits the attempts to write a text so that it reads as the document.
const maxTries = 40

// documentResolver returns a Resolver that resolves the references of the document as given, even if their targets do
// not exist.
func documentResolver(place documents.Resolver, sent api.JSONDocument) documents.Resolver {
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
				stable[documents.Destination(v)] = true
			}
			for _, one := range v {
				walk(one)
			}
		}
	}
	walk(sent.Nodes)
	return func(destination string, image bool) (api.ContentRef, bool) {
		if stable[destination] {
			return documents.ResolveStable(destination, image)
		}
		return place(destination, image)
	}
}

// strategy is a way to write a changed block. They are tried in order until the result reads as the document.
type strategy int

const (
	childrenOnly           strategy = iota // change the children only
	insertAfterSourceText                  // change words, inserting new ones after text that only the source has
	insertBeforeSourceText                 // change words, inserting new ones before it
	wordsByLetters                         // change words, pairing those with letters first
	wordsByName                            // change words, pairing the others by name
	broadenWords                           // change words and the text adjacent to them
	rewrite                                // write the block from the document alone
	strategyCount                          // number of strategies
)

// updater applies a changed document to its text.
type updater struct {
	layout     documents.Layout
	source     []byte
	strategies map[string]strategy // by the path of a block
}

// topBlock matches the top-level block of a path.
var topBlock = regexp.MustCompile(`^nodes\[(\d+)\]`)

// escalate selects the next strategy for the block at a path, or for the block before it. It returns false if none is
// left.
func (up *updater) escalate(path string, count int) bool {
	m := topBlock.FindStringSubmatch(path)
	if m == nil {
		return false
	}
	at, _ := strconv.Atoi(m[1])
	for _, i := range []int{at, at - 1} {
		if path := "nodes[" + strconv.Itoa(i) + "]"; i >= 0 && i < count && up.strategies[path] < rewrite {
			up.strategies[path]++
			return true
		}
	}
	return false
}

func (up *updater) update(old, sent api.JSONDocument) ([]byte, error) {
	out := output{crlf: bytes.Contains(up.source, []byte("\r\n"))}
	err := up.writeSequence(&out, scope{parent: "n", path: "nodes", to: len(up.source)}, old.Nodes, sent.Nodes)
	return out.text, err
}

// output is a text under construction.
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

// separate ends the line, and adds a blank line if blank is set.
func (o *output) separate(blank bool) {
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

// addMarkdown adds Markdown that does not come from the source.
func (o *output) addMarkdown(markdown string, blank bool) {
	o.separate(blank)
	if o.crlf {
		markdown = strings.ReplaceAll(markdown, "\n", "\r\n")
	}
	o.text = append(o.text, markdown+o.line()...)
}

// segment is the part of a text from the start of a block to the start of the next one, with the nodes of the block, if any.
type segment struct {
	start, end int
	nodes      []api.DocumentNode
}

// segments cuts a part of the text at the blocks of a sequence; ok is false if their starts are unknown.
func (up *updater) segments(in scope, nodes []api.DocumentNode) (all []segment, ok bool) {
	bounds := up.layout.BlockStarts[in.parent]
	for i, start := range bounds {
		end := in.to
		if i+1 < len(bounds) {
			end = bounds[i+1]
		}
		all = append(all, segment{start: start, end: end})
	}
	at := -1
	for _, n := range nodes {
		if start, has := up.layout.Starts[n.Key]; has {
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

// unit is a group of nodes that replaces a segment or is new.
type unit struct {
	segment int // index of the segment, align.None if new
	index   int // index of the first node in the sent document
	nodes   []api.DocumentNode
}

// groupUnits groups the sent nodes by the segments that they come from.
func groupUnits(all []segment, sent []api.DocumentNode) (found []unit) {
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

// scope is the position of a sequence of blocks.
type scope struct {
	parent   string // key of the parent
	list     string // type of the list if the blocks are items
	path     string
	from, to int
}

// writeSequence writes the blocks of a sequence in place of the previous ones.
func (up *updater) writeSequence(out *output, in scope, old, sent []api.DocumentNode) error {
	all, ok := up.segments(in, old)
	if !ok {
		return errNoParts
	}
	start := in.to
	if len(all) > 0 {
		start = all[0].start
	}
	out.add(up.source[in.from:start])
	found := groupUnits(all, sent)
	var order, at []int
	for i, u := range found {
		if u.segment != align.None {
			order, at = append(order, u.segment), append(at, i)
		}
	}
	stays := map[int]bool{}
	for i, kept := range align.InOrder(order) {
		stays[at[i]] = kept
	}
	next, last := 0, -1 // next segment of the text, and last segment written
	skip := func(to int) {
		for ; next < to; next++ {
			if len(all[next].nodes) == 0 {
				up.join(out, in, last == next-1, "", "")
				out.add(up.source[all[next].start:all[next].end])
				last = next
			}
		}
	}
	kind := "" // type of the last block
	for i, u := range found {
		if stays[i] {
			skip(u.segment)
			next++
		} else {
			skip(up.skipNonNodes(all, next))
		}
		up.join(out, in, u.segment != align.None && last == u.segment-1, kind, u.nodes[0].Type)
		if err := up.writeUnit(out, in, all, u); err != nil {
			return err
		}
		last, kind = u.segment, u.nodes[len(u.nodes)-1].Type
		if u.segment == align.None {
			last = len(all)
		}
	}
	skip(len(all))
	return nil
}

// join writes the separator of two blocks unless they were adjacent before.
func (up *updater) join(out *output, in scope, followed bool, last, next string) {
	if followed || len(out.text) == 0 {
		return
	}
	out.separate(in.list == "")
	if in.list == "" && wouldJoin(last, next) {
		out.addMarkdown(separator, true)
		out.separate(true)
	}
}

// skipNonNodes returns the next segment that has nodes, so that new blocks are inserted after the title and after a
// comment that belongs to the preceding block.
func (up *updater) skipNonNodes(all []segment, next int) int {
	for next < len(all) && len(all[next].nodes) == 0 {
		next++
	}
	return next
}

// errNoParts is returned if the parts of a block in the source are unknown, so that the block has to be written as a whole.
var errNoParts = errors.New("the parts of the text are not known")

// writeUnit writes the nodes of a unit; unchanged ones keep the bytes of their segment.
func (up *updater) writeUnit(out *output, in scope, all []segment, u unit) error {
	at, blank := in.path+"["+strconv.Itoa(u.index)+"]", in.list == ""
	if u.segment == align.None {
		p := printer{}
		fresh := p.siblings(u.nodes, in, u.index)
		if p.err != nil {
			return p.err
		}
		out.addMarkdown(fresh, blank)
		return nil
	}
	s := all[u.segment]
	source := up.source[s.start:s.end]
	if up.strategies[at] < rewrite && nodesDifference(s.nodes, u.nodes, "") == "" {
		out.add(source)
		return nil
	}
	chosen := up.strategies[at]
	if chosen == childrenOnly && len(s.nodes) == 1 && len(u.nodes) == 1 {
		before := len(out.text)
		err := up.writeChildren(out, s, u.nodes[0], at)
		if !errors.Is(err, errNoParts) {
			return err
		}
		out.text = out.text[:before]
	}
	return up.writeWords(out, in, s, u, chosen)
}

// writeChildren writes a block with changed children: a list, or the content of a pair of tags.
func (up *updater) writeChildren(out *output, s segment, n api.DocumentNode, path string) error {
	was := s.nodes[0]
	key, oldNodes, newNodes, inner := was.Key, was.Nodes, n.Nodes, path+".nodes"
	list := ""
	if strings.HasPrefix(n.Type, "list-") {
		list = n.Type
	}
	if was.Type == "expandable" && n.Type == was.Type && len(n.Fragments) == 2 &&
		nodesDifference(was.Fragments[0].Nodes, n.Fragments[0].Nodes, "") == "" {
		key, oldNodes, newNodes, inner = was.Key+".b", was.Fragments[1].Nodes, n.Fragments[1].Nodes, path+".fragments[1].nodes"
	}
	span, known := up.layout.ContentSpans[key]
	if !known || n.Type != was.Type || dataDifference(withoutDefaults(was), withoutDefaults(n)) != "" {
		return errNoParts
	}
	span[1] = min(span[1], s.end)
	out.add(up.source[s.start:span[0]])
	if err := up.writeSequence(out, scope{key, list, inner, span[0], span[1]}, oldNodes, newNodes); err != nil {
		return err
	}
	if span[1] < s.end {
		out.separate(false)
	}
	out.add(up.source[span[1]:s.end])
	return nil
}

// writeWords writes changed nodes, by changing their words in the source or from the document alone.
func (up *updater) writeWords(out *output, in scope, s segment, u unit, chosen strategy) error {
	source := up.source[s.start:s.end]
	body := content.TrimEnd(source)
	p := printer{}
	sent := p.siblings(u.nodes, in, u.index)
	if p.err != nil {
		return p.err
	}
	was := (&printer{}).siblings(s.nodes, in, 0)
	if out.crlf {
		sent, was = strings.ReplaceAll(sent, "\n", "\r\n"), strings.ReplaceAll(was, "\n", "\r\n")
	}
	if chosen >= rewrite || was == "" {
		out.add([]byte(sent))
	} else {
		out.add([]byte(applyChanges(was, string(body), sent, chosen)))
	}
	out.add(source[len(body):])
	return nil
}

// siblings writes adjacent nodes of a scope, the first of which has the given index.
func (p *printer) siblings(nodes []api.DocumentNode, in scope, at int) string {
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
