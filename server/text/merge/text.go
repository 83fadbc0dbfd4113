package merge

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// TextContext merges three versions of one page's text. If there are conflicts, the merged text contains their proposals
// and must not be saved. If the context is cancelled, the result is unspecified.
func TextContext(ctx context.Context, page string, base, ours, theirs content.Text) (merged content.Text, conflicts []Conflict) {
	return ResolveText(ctx, page, base, ours, theirs, nil)
}

// ResolveText is TextContext with resolutions of conflicts of an earlier call with the same texts. It returns the conflicts
// without a resolution.
func ResolveText(
	ctx context.Context, page string, base, ours, theirs content.Text, answers Resolutions,
) (merged content.Text, conflicts []Conflict) {
	l := newLedger(answers)
	merged = mergeText(ctx, l, page, base, ours, theirs)
	return merged, l.conflicts
}

// mergeText merges the texts, then the aliases of their blocks. If the context is cancelled, the result is
// unspecified.
func mergeText(ctx context.Context, l *ledger, page string, base, ours, theirs content.Text) content.Text {
	return withAliases(mergeMarkdown(ctx, l, page, base, ours, theirs), base, ours, theirs)
}

func mergeMarkdown(ctx context.Context, l *ledger, page string, base, ours, theirs content.Text) content.Text {
	switch {
	case ctx.Err() != nil:
		return ours
	case bytes.Equal(ours.Markdown, theirs.Markdown):
		return chooseEqualText(ours, theirs)
	case bytes.Equal(base.Markdown, ours.Markdown):
		return theirs
	case bytes.Equal(base.Markdown, theirs.Markdown):
		return ours
	}
	m, merged, ok := mergeUntilCertain(ctx, page, base, ours, theirs)
	if !ok {
		return m.resolveWholePage(l, string(merged.Markdown))
	}
	if ctx.Err() != nil {
		return ours
	}
	if len(m.ledger.conflicts) == 0 {
		return merged
	}
	cut := m.passages
	m = newTextMerge(ctx, l, page, base, ours, theirs) // the second pass applies the resolutions
	m.passages = cut
	joined, markdown, _ := m.merge()
	if ctx.Err() != nil {
		return ours
	}
	merged, err := content.Parse(page, markdown, joined)
	if err != nil {
		return m.resolveWholePage(l, string(markdown))
	}
	return merged
}

// maxAttempts limits the search for uncertain passages: each pass may find further ones.
const maxAttempts = 5

// mergeUntilCertain merges without resolutions. If the result is uncertain, it merges again with conflicts over the uncertain
// passages. It returns false if only a conflict over the whole page remains.
func mergeUntilCertain(ctx context.Context, page string, base, ours, theirs content.Text) (m *textMerge, merged content.Text, ok bool) {
	var cut passages
	for n := 0; ; n++ {
		m = newTextMerge(ctx, newLedger(nil), page, base, ours, theirs)
		m.passages = cut
		joined, markdown, sure := m.merge()
		if ctx.Err() != nil {
			return m, ours, true
		}
		var wrong unaccounted
		for _, check := range []func(){
			func() { wrong.words = m.unaccountedWords(markdown) },
			func() { wrong.sentences = m.doubledSentences(markdown) },
		} {
			if check(); ctx.Err() != nil {
				return m, ours, true
			}
		}
		merged, err := content.Parse(page, markdown, joined)
		if err != nil {
			return m, content.Text{Markdown: markdown}, false
		}
		if sure && wrong.isEmpty() {
			return m, merged, true
		}
		if cut, ok = m.extendUncertain(wrong, !sure); !ok || n == maxAttempts {
			return m, content.Text{Markdown: markdown}, false
		}
	}
}

// merge returns the result by blocks, with their ids, and the merged Markdown, which differs only if the merge by
// lines overrides it. sure is false if a change is ambiguous.
func (m *textMerge) merge() (joined content.Text, markdown []byte, sure bool) {
	joined = m.join(m.assemble())
	if m.ctx.Err() != nil || len(m.ledger.conflicts) > 0 || len(m.ledger.resolutions) > 0 {
		return joined, joined.Markdown, true
	}
	markdown, sure = m.checkAgainstLines(joined.Markdown)
	return joined, markdown, sure
}

// chooseEqualText chooses between equal texts with different block ids, independent of their order.
func chooseEqualText(a, b content.Text) content.Text {
	if slices.CompareFunc(a.Blocks, b.Blocks, func(x, y content.Block) int { return strings.Compare(x.ID, y.ID) }) > 0 {
		return b
	}
	return a
}

// textMerge is a running merge of one page's text.
type textMerge struct {
	ctx      context.Context // context of the request
	ledger   *ledger
	page     string
	versions [3]version
	bodies   map[string]string // merged bodies of base blocks by id
	out      []element
	skipped  [3]map[string]bool // by side: moved blocks whose position the other side determines
	passages passages           // passages that need a decision as a whole
}

// version is one version of the text, cut into the bodies of its blocks and the white space after them.
type version struct {
	text       content.Text
	index      map[string]int // block id -> position
	leading    string         // blank lines before the first block
	bodies     []string
	separators []string
	hunks      []align.Hunk
	moved      map[string]bool // base blocks that a hunk adds at another position
}

func newTextMerge(ctx context.Context, l *ledger, page string, base, ours, theirs content.Text) *textMerge {
	m := &textMerge{ctx: ctx, ledger: l, page: page, bodies: map[string]string{}}
	for v, text := range []content.Text{base, ours, theirs} {
		m.versions[v] = newVersion(text)
		m.skipped[v] = map[string]bool{}
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

// compareWith computes the hunks of the version's block sequence. A base block that is not in order was deleted or
// moved.
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

// positions returns the block's positions in the versions.
func (m *textMerge) positions(id string) [3]int {
	at := noPositions
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
		lines = lines || content.LineBased(m.versions[v].text.Blocks[m.versions[v].index[id]].Kind)
	}
	body := mergePassage(base, ours, theirs, lines, func(base, ours, theirs, proposed *string) *string {
		return m.resolve(m.versions[inBase].index[id], Conflict{
			Kind: KindText, Page: m.page, Block: id, Base: base, Ours: ours, Theirs: theirs, Proposed: proposed,
		})
	})
	m.bodies[id] = body
	return body
}

// text returns the text of a value, or "" if it is absent.
func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

// resolveWholePage resolves the page as one conflict. It is used if the merged text exceeds the limits of a text or is
// uncertain as a whole.
func (m *textMerge) resolveWholePage(l *ledger, proposed string) content.Text {
	base, ours, theirs := m.markdown(inBase), m.markdown(inOurs), m.markdown(inTheirs)
	if content.Check([]byte(proposed)) != nil {
		proposed = ours
	}
	chosen := l.resolve(Conflict{
		Kind: KindText, Page: m.page, Base: &base, Ours: &ours, Theirs: &theirs, Proposed: &proposed,
	})
	merged, err := content.Parse(m.page, []byte(text(chosen)), m.versions[inOurs].text)
	if err != nil {
		return m.versions[inOurs].text
	}
	return merged
}

func (m *textMerge) markdown(v int) string { return string(m.versions[v].text.Markdown) }
