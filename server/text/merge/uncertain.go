package merge

import (
	"slices"
	"sort"
	"strings"
)

// passages divides a page for conflicts over whole passages. The page is cut at its anchors: blocks that neither side
// changed or moved and whose text is unique in the page. Passage i precedes anchor i. A passage whose merge is uncertain
// is resolved as a whole.
type passages struct {
	anchors   []int // positions in base
	uncertain map[int]bool
}

// index returns the index of the passage that contains a base position, or an insertion before it.
func (p passages) index(pos int) int { return sort.SearchInts(p.anchors, pos) }

// resolve resolves a conflict at a base position unless it is in an uncertain passage, which is resolved as a whole.
func (m *textMerge) resolve(pos int, c Conflict) *string {
	if m.passages.uncertain[m.passages.index(pos)] {
		return c.Proposed
	}
	return m.ledger.resolve(c)
}

// unaccounted lists the words and sentences that a merged text has too often or not often enough.
type unaccounted struct {
	words     []string
	sentences [][]string // as lists of words
}

func (u unaccounted) isEmpty() bool { return len(u.words)+len(u.sentences) == 0 }

// extendUncertain adds to the uncertain passages those that contain what is unaccounted for and, if unsure, the changed
// passages with an ambiguous alignment. It returns false if it finds no further passages: then the whole page is
// uncertain.
func (m *textMerge) extendUncertain(wrong unaccounted, unsure bool) (passages, bool) {
	p := passages{anchors: m.anchors(), uncertain: map[int]bool{}}
	doubled := m.passagesWith(p, wrong.sentences)
	for i := range len(p.anchors) + 1 {
		texts := m.passageTexts(p, i)
		changed := texts[inBase] != texts[inOurs] || texts[inBase] != texts[inTheirs]
		if m.passages.uncertain[i] || changed && (doubled[i] || containsWord(texts, wrong.words) || unsure && ambiguous(texts)) {
			p.uncertain[i] = true
		}
	}
	m.followMoves(p)
	return p, len(p.anchors) > 0 && len(p.uncertain) > len(m.passages.uncertain)
}

// passagesWith returns the passages to which a side inserted any of the given sentences.
func (m *textMerge) passagesWith(p passages, sentences [][]string) map[int]bool {
	found := map[int]bool{}
	if len(sentences) == 0 {
		return found
	}
	for _, side := range []int{inOurs, inTheirs} {
		var texts []string
		for i := range len(p.anchors) + 1 {
			texts = append(texts, m.render(m.passageBlocks(p, i, side)))
		}
		within := newPhrases(texts...)
		for _, sentence := range sentences {
			if i, ok := within.find(sentence); ok {
				found[i] = true
			}
		}
	}
	return found
}

// containsWord reports whether any of the texts contains any of the words.
func containsWord(texts [3]string, words []string) bool {
	for _, text := range texts {
		counts := countWords(text)
		if slices.ContainsFunc(words, func(word string) bool { return counts[word] > 0 }) {
			return true
		}
	}
	return false
}

// anchors returns the base positions of the blocks at which the page is cut.
func (m *textMerge) anchors() (list []int) {
	var counts [3]map[string]int
	for v := range m.versions {
		counts[v] = map[string]int{}
		for _, body := range m.versions[v].bodies {
			counts[v][body]++
		}
	}
	for b, body := range m.versions[inBase].bodies {
		at := m.positions(m.versions[inBase].id(b))
		alike := true
		for v := range m.versions {
			alike = alike && at[v] >= 0 && m.versions[v].bodies[at[v]] == body && counts[v][body] == 1 &&
				!m.versions[v].moved[m.versions[v].id(at[v])]
		}
		if alike {
			list = append(list, b)
		}
	}
	return list
}

// passageRange returns the range of a passage's blocks in a version.
func (m *textMerge) passageRange(p passages, i, v int) (from, to int) {
	at := func(anchor int) int { return m.versions[v].index[m.versions[inBase].id(anchor)] }
	from, to = 0, len(m.versions[v].bodies)
	if i > 0 {
		from = at(p.anchors[i-1]) + 1
	}
	if i < len(p.anchors) {
		to = at(p.anchors[i])
	}
	return from, to
}

// passageBlocks returns the blocks of a passage in a version.
func (m *textMerge) passageBlocks(p passages, i, v int) (list []element) {
	from, to := m.passageRange(p, i, v)
	for at := from; at < to; at++ {
		e := element{id: m.versions[v].id(at), text: m.versions[v].bodies[at], pos: noPositions}
		e.pos[v] = at
		list = append(list, e)
	}
	return list
}

// passageTexts returns a passage's text in the three versions.
func (m *textMerge) passageTexts(p passages, i int) (texts [3]string) {
	for v := range texts {
		texts[v] = m.render(m.passageBlocks(p, i, v))
	}
	return texts
}

// ambiguous reports whether different alignments of the lines lead to different merges. Both orders of the sides are tried, because a
// proposal has the lines of the first side first.
func ambiguous(texts [3]string) bool {
	lines := passageMerge{cutLines(texts[inBase]), cutLines(texts[inOurs]), cutLines(texts[inTheirs])}
	for _, p := range []passageMerge{lines, {lines[inBase], lines[inTheirs], lines[inOurs]}} {
		down, clean := p.merge(alignDown, touches, false, acceptProposal)
		up, cleanUp := p.merge(alignUp, touches, false, acceptProposal)
		if clean != cleanUp || down != up {
			return true
		}
	}
	return false
}

// followMoves extends the uncertain passages by those that exchanged moved blocks with them: the decision for one
// determines the blocks of the other.
func (m *textMerge) followMoves(p passages) {
	for grown := true; grown; {
		grown = false
		for _, block := range m.versions[inBase].text.Blocks {
			indexes := m.passagesOf(p, block.ID)
			if slices.ContainsFunc(indexes, func(i int) bool { return p.uncertain[i] }) {
				for _, i := range indexes {
					grown = grown || !p.uncertain[i]
					p.uncertain[i] = true
				}
			}
		}
	}
}

// passagesOf returns the passages that contain a block in any version; none for an anchor.
func (m *textMerge) passagesOf(p passages, id string) (list []int) {
	for v, pos := range m.positions(id) {
		if _, anchor := slices.BinarySearch(p.anchors, m.versions[inBase].index[id]); pos < 0 || anchor {
			continue
		}
		i := sort.Search(len(p.anchors), func(i int) bool { return m.versions[v].index[m.versions[inBase].id(p.anchors[i])] >= pos })
		list = append(list, i)
	}
	return list
}

// resolveUncertain returns the result with the uncertain passages replaced by the chosen ones.
func (m *textMerge) resolveUncertain() []element {
	if len(m.passages.uncertain) == 0 {
		return m.out
	}
	var list []element
	rest, used := m.out, map[string]bool{}
	for i := range len(m.passages.anchors) + 1 {
		end := len(rest)
		if i < len(m.passages.anchors) {
			anchor := m.versions[inBase].id(m.passages.anchors[i])
			end = slices.IndexFunc(rest, func(e element) bool { return e.id == anchor })
		}
		blocks := rest[:end]
		if m.passages.uncertain[i] {
			blocks = m.resolvePassage(i, blocks)
		}
		list = append(list, dropUsedIDs(blocks, used)...)
		if end < len(rest) {
			list, end = append(list, rest[end]), end+1
		}
		rest = rest[end:]
	}
	return list
}

// dropUsedIDs returns list without the ids of blocks that are already in the result, and adds the others to used: two passages
// may be resolved in favour of different sides.
func dropUsedIDs(list []element, used map[string]bool) []element {
	list = slices.Clone(list)
	for i := range list {
		if used[list[i].id] {
			list[i].id, list[i].pos = "", noPositions
		}
		used[list[i].id] = true
	}
	return list
}

// resolvePassage resolves a passage as one conflict and returns the chosen blocks. A passage that both sides changed alike is
// not a conflict.
func (m *textMerge) resolvePassage(i int, merged []element) []element {
	texts, proposed := m.passageTexts(m.passages, i), m.render(merged)
	if texts[inOurs] == texts[inTheirs] {
		return m.passageBlocks(m.passages, i, inOurs)
	}
	if !keepsWords(texts, proposed) {
		merged = append(m.passageBlocks(m.passages, i, inOurs), m.passageBlocks(m.passages, i, inTheirs)...)
		proposed = m.render(merged)
	}
	c := Conflict{Kind: KindText, Page: m.page, Proposed: &proposed}
	for v, value := range []**string{&c.Base, &c.Ours, &c.Theirs} {
		if from, to := m.passageRange(m.passages, i, v); from < to {
			*value = &texts[v]
		}
	}
	from, _ := m.passageRange(m.passages, i, inBase)
	switch {
	case c.Base != nil:
		c.Block = m.versions[inBase].id(from)
	case from > 0:
		c.Kind, c.Block = KindInserted, m.versions[inBase].id(from-1)
	default:
		c.Kind = KindInserted
	}
	chosen := text(m.ledger.resolve(c))
	if chosen == "" {
		return nil
	}
	if chosen == proposed {
		return merged
	}
	for _, v := range []int{inOurs, inTheirs, inBase} {
		if chosen == texts[v] {
			return m.passageBlocks(m.passages, i, v)
		}
	}
	return []element{{text: chosen, pos: noPositions}}
}

// keepsWords reports whether a proposal contains all words that either side inserted.
func keepsWords(texts [3]string, proposed string) bool {
	base, result := countWords(texts[inBase]), countWords(proposed)
	for word := range countWords(strings.Join(texts[inOurs:], " ")) {
		if base[word] == 0 && result[word] == 0 {
			return false
		}
	}
	return true
}
