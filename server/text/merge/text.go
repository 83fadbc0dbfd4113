package merge

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// Text merges three versions of one page's text. Where there are conflicts the
// merged text holds their proposals: it is for showing, not for saving.
func Text(page string, base, ours, theirs content.Text) (merged content.Text, conflicts []Conflict) {
	return ResolveText(page, base, ours, theirs, nil)
}

// TextWhile is Text for somebody who may leave: it answers anything then.
func TextWhile(ctx context.Context, page string, base, ours, theirs content.Text) (merged content.Text, conflicts []Conflict) {
	l := newLedger(nil)
	merged = mergeText(ctx, l, page, base, ours, theirs)
	return merged, l.conflicts
}

// ResolveText is Text with answers to conflicts of an earlier call with the same
// texts; the conflicts without an answer come back.
func ResolveText(page string, base, ours, theirs content.Text, answers Resolutions) (merged content.Text, conflicts []Conflict) {
	l := newLedger(answers)
	merged = mergeText(context.Background(), l, page, base, ours, theirs)
	return merged, l.conflicts
}

// mergeText merges the texts, then the aliases of their blocks. It answers anything when the context has ended: nobody
// reads it.
func mergeText(ctx context.Context, l *ledger, page string, base, ours, theirs content.Text) content.Text {
	return withAliases(mergeMarkdown(ctx, l, page, base, ours, theirs), base, ours, theirs)
}

func mergeMarkdown(ctx context.Context, l *ledger, page string, base, ours, theirs content.Text) content.Text {
	switch {
	case ctx.Err() != nil:
		return ours
	case bytes.Equal(ours.Markdown, theirs.Markdown):
		return sameBytes(ours, theirs)
	case bytes.Equal(base.Markdown, ours.Markdown):
		return theirs
	case bytes.Equal(base.Markdown, theirs.Markdown):
		return ours
	}
	m, merged, ok := attempt(ctx, page, base, ours, theirs)
	if !ok {
		return m.wholePage(l, string(merged.Markdown))
	}
	if ctx.Err() != nil {
		return ours
	}
	if len(m.ledger.conflicts) == 0 {
		return merged
	}
	doubts := m.doubts
	m = newTextMerge(ctx, l, page, base, ours, theirs) // now with the answers
	m.doubts = doubts
	joined, markdown, _ := m.merge()
	if ctx.Err() != nil {
		return ours
	}
	merged, err := content.Parse(page, markdown, joined)
	if err != nil {
		return m.wholePage(l, string(markdown))
	}
	return merged
}

// attempts bounds how often passages in doubt are looked for: one more may come up beside those that were found.
const attempts = 5

// attempt merges without answers. Where it is not sure of a result, it makes conflicts of the passages in doubt, and
// merges again; it answers false where nothing less than the whole page would do.
func attempt(ctx context.Context, page string, base, ours, theirs content.Text) (m *textMerge, merged content.Text, ok bool) {
	var doubts passages
	for n := 0; ; n++ {
		m = newTextMerge(ctx, newLedger(nil), page, base, ours, theirs)
		m.doubts = doubts
		joined, markdown, sure := m.merge()
		if ctx.Err() != nil {
			return m, ours, true
		}
		wrong := m.unaccounted(markdown)
		merged, err := content.Parse(page, markdown, joined)
		if err != nil {
			return m, content.Text{Markdown: markdown}, false
		}
		if sure && len(wrong) == 0 {
			return m, merged, true
		}
		if doubts, ok = m.doubtful(wrong, !sure); !ok || n == attempts {
			return m, content.Text{Markdown: markdown}, false
		}
	}
}

// merge returns the result by blocks, with their ids, and the merged Markdown,
// which is the same unless lines know better. It is not sure where the change of
// a side can be read in two ways.
func (m *textMerge) merge() (joined content.Text, markdown []byte, sure bool) {
	joined = m.join(m.assemble())
	if m.ctx.Err() != nil || len(m.ledger.conflicts) > 0 || len(m.ledger.resolutions) > 0 {
		return joined, joined.Markdown, true
	}
	markdown, sure = m.agree(joined.Markdown)
	return joined, markdown, sure
}

// sameBytes chooses between equal texts with different block ids without regard
// to their sides.
func sameBytes(a, b content.Text) content.Text {
	if slices.CompareFunc(a.Blocks, b.Blocks, func(x, y content.Block) int { return strings.Compare(x.ID, y.ID) }) > 0 {
		return b
	}
	return a
}

// textMerge is the merge of one page's text.
type textMerge struct {
	ctx      context.Context // of who waits
	ledger   *ledger
	page     string
	versions [3]version
	bodies   map[string]string // merged bodies of base blocks by id
	out      []element
	skip     [3]map[string]bool // moved blocks that the side's changes leave to the other's
	doubts   passages           // what nobody should take unseen
}

// version is one version of the text, cut into the blocks' bodies and the white
// space behind them.
type version struct {
	text       content.Text
	index      map[string]int // block id -> position
	leading    string         // blank lines before the first block
	bodies     []string
	separators []string
	hunks      []align.Hunk
	moved      map[string]bool // base blocks that stand in what a hunk brings
}

func newTextMerge(ctx context.Context, l *ledger, page string, base, ours, theirs content.Text) *textMerge {
	m := &textMerge{ctx: ctx, ledger: l, page: page, bodies: map[string]string{}}
	for v, text := range []content.Text{base, ours, theirs} {
		m.versions[v] = newVersion(text)
		m.skip[v] = map[string]bool{}
	}
	for _, v := range []int{inOurs, inTheirs} {
		m.versions[v].compareWith(&m.versions[inBase])
	}
	return m
}

func newVersion(text content.Text) version {
	v := version{text: text, index: make(map[string]int, len(text.Blocks)), moved: map[string]bool{}}
	for i, block := range text.Blocks {
		whole := text.Bytes(block)
		if i == 0 {
			blank := content.LeadingBlank(whole)
			v.leading, whole = string(whole[:blank]), whole[blank:]
		}
		body := content.TrimEnd(whole)
		v.index[block.ID] = i
		v.bodies = append(v.bodies, string(body))
		v.separators = append(v.separators, string(whole[len(body):]))
	}
	return v
}

// compareWith finds the version's changes of the sequence of blocks: a base block
// is in place where the order was kept, else it was deleted or moved.
func (v *version) compareWith(base *version) {
	var order, at []int
	for i, block := range v.text.Blocks {
		if b, ok := base.index[block.ID]; ok {
			order, at = append(order, b), append(at, i)
		}
	}
	partner := slices.Repeat([]int{align.None}, len(v.text.Blocks))
	for i, kept := range align.InOrder(order) {
		if kept {
			partner[at[i]] = order[i]
		} else {
			v.moved[v.text.Blocks[at[i]].ID] = true
		}
	}
	v.hunks = align.Hunks(partner, len(base.text.Blocks))
}

func (v *version) id(i int) string { return v.text.Blocks[i].ID }

// body returns the block's body in this version.
func (v *version) body(id string) (string, bool) {
	i, ok := v.index[id]
	if !ok {
		return "", false
	}
	return v.bodies[i], true
}

// place returns where the versions have the block.
func (m *textMerge) place(id string) [3]int {
	at := nowhere
	for v := range m.versions {
		if i, ok := m.versions[v].index[id]; ok {
			at[v] = i
		}
	}
	return at
}

// mergedBody merges the three versions of a block that both sides still have.
func (m *textMerge) mergedBody(id string) string {
	if body, ok := m.bodies[id]; ok {
		return body
	}
	base, _ := m.versions[inBase].body(id)
	ours, _ := m.versions[inOurs].body(id)
	if m.ctx.Err() != nil {
		return ours
	}
	theirs, _ := m.versions[inTheirs].body(id)
	lines := false
	for v := range m.versions {
		lines = lines || content.ByLines(m.versions[v].text.Blocks[m.versions[v].index[id]].Kind)
	}
	body := passage(base, ours, theirs, lines, func(base, ours, theirs, proposed *string) *string {
		return m.settle(m.versions[inBase].index[id], Conflict{
			Kind: KindText, Page: m.page, Block: id, Base: base, Ours: ours, Theirs: theirs, Proposed: proposed,
		})
	})
	m.bodies[id] = body
	return body
}

// text is the text of a value; absent is empty.
func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// wholePage makes a conflict over the whole text, for a merge that is not within
// the limits of a text, or that nobody should take unseen.
func (m *textMerge) wholePage(l *ledger, proposed string) content.Text {
	base, ours, theirs := m.markdown(inBase), m.markdown(inOurs), m.markdown(inTheirs)
	if content.Check([]byte(proposed)) != nil {
		proposed = ours
	}
	chosen := l.settle(Conflict{
		Kind: KindText, Page: m.page, Base: &base, Ours: &ours, Theirs: &theirs, Proposed: &proposed,
	})
	merged, err := content.Parse(m.page, []byte(text(chosen)), m.versions[inOurs].text)
	if err != nil {
		return m.versions[inOurs].text
	}
	return merged
}

func (m *textMerge) markdown(v int) string { return string(m.versions[v].text.Markdown) }
