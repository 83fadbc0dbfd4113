package merge

import (
	"slices"
	"sort"
	"strings"
)

// passages are parts of a page that are in doubt as wholes. A page is cut at its anchors: blocks that both sides left as
// they are and where they are, and that no other block of the page reads like. Passage i lies before anchor i.
type passages struct {
	anchors []int // positions in base
	doubted map[int]bool
}

// of is the passage that a position of base lies in, or that is inserted into before it.
func (p passages) of(at int) int { return sort.SearchInts(p.anchors, at) }

// settle decides a conflict at a position of base, unless a passage in doubt covers it.
func (m *textMerge) settle(at int, c Conflict) *string {
	if m.doubts.doubted[m.doubts.of(at)] {
		return c.Proposed
	}
	return m.ledger.settle(c)
}

// doubtful finds the passages that hold the words which a merge cannot account for and, where the changes of a side can be
// read in two ways, those in which the readings differ, beside the ones that were in doubt before. It answers false where
// there are no further ones: then the whole page is in doubt.
func (m *textMerge) doubtful(words []string, unsure bool) (passages, bool) {
	p := passages{anchors: m.anchors(), doubted: map[int]bool{}}
	for i := range len(p.anchors) + 1 {
		texts := m.passage(p, i)
		changed := texts[inBase] != texts[inOurs] || texts[inBase] != texts[inTheirs]
		if m.doubts.doubted[i] || changed && (containsWord(texts, words) || unsure && ambiguous(texts)) {
			p.doubted[i] = true
		}
	}
	m.followMoves(p)
	return p, len(p.anchors) > 0 && len(p.doubted) > len(m.doubts.doubted)
}

// anchors returns the positions in base of the blocks at which the page is cut.
func (m *textMerge) anchors() (list []int) {
	var counts [3]map[string]int
	for v := range m.versions {
		counts[v] = map[string]int{}
		for _, body := range m.versions[v].bodies {
			counts[v][body]++
		}
	}
	for b, body := range m.versions[inBase].bodies {
		at := m.place(m.versions[inBase].id(b))
		alike := true
		for v := range m.versions {
			alike = alike && at[v] >= 0 && m.versions[v].bodies[at[v]] == body && counts[v][body] == 1 && !m.versions[v].moved[m.versions[v].id(at[v])]
		}
		if alike {
			list = append(list, b)
		}
	}
	return list
}

// bounds returns where a passage lies in a version.
func (m *textMerge) bounds(p passages, i, v int) (from, to int) {
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

// standing are the blocks of a passage in a version.
func (m *textMerge) standing(p passages, i, v int) (list []element) {
	from, to := m.bounds(p, i, v)
	for at := from; at < to; at++ {
		e := element{id: m.versions[v].id(at), text: m.versions[v].bodies[at], at: nowhere}
		e.at[v] = at
		list = append(list, e)
	}
	return list
}

// passage returns a passage's text in the three versions.
func (m *textMerge) passage(p passages, i int) (texts [3]string) {
	for v := range texts {
		texts[v] = m.render(m.standing(p, i, v))
	}
	return texts
}

// containsWord reports whether one of the texts has one of the words.
func containsWord(texts [3]string, words []string) bool {
	for _, text := range texts {
		counts := countWords(text)
		if slices.ContainsFunc(words, func(word string) bool { return counts[word] > 0 }) {
			return true
		}
	}
	return false
}

// ambiguous reports whether the changes of the lines can be read in two ways that make a difference.
func ambiguous(texts [3]string) bool {
	p := passageMerge{cutLines(texts[inBase]), cutLines(texts[inOurs]), cutLines(texts[inTheirs])}
	down, clean := p.merge(alignDown, touching, false, propose)
	up, cleanUp := p.merge(alignUp, touching, false, propose)
	return clean != cleanUp || down != up
}

// followMoves doubts the passages from which blocks were moved into one in doubt, and those into which they were moved
// from there: what is chosen for one of them decides about the blocks of the other.
func (m *textMerge) followMoves(p passages) {
	for grown := true; grown; {
		grown = false
		for _, block := range m.versions[inBase].text.Blocks {
			stands := m.passagesOf(p, block.ID)
			if slices.ContainsFunc(stands, func(i int) bool { return p.doubted[i] }) {
				for _, i := range stands {
					grown = grown || !p.doubted[i]
					p.doubted[i] = true
				}
			}
		}
	}
}

// passagesOf returns the passages in which the versions have a block that is no anchor.
func (m *textMerge) passagesOf(p passages, id string) (list []int) {
	for v, at := range m.place(id) {
		if _, anchor := slices.BinarySearch(p.anchors, m.versions[inBase].index[id]); at < 0 || anchor {
			continue
		}
		i := sort.Search(len(p.anchors), func(i int) bool { return m.versions[v].index[m.versions[inBase].id(p.anchors[i])] >= at })
		list = append(list, i)
	}
	return list
}

// covered puts what is chosen for the passages in doubt into the result.
func (m *textMerge) covered() []element {
	if len(m.doubts.doubted) == 0 {
		return m.out
	}
	var list []element
	rest, used := m.out, map[string]bool{}
	for i := range len(m.doubts.anchors) + 1 {
		end := len(rest)
		if i < len(m.doubts.anchors) {
			anchor := m.versions[inBase].id(m.doubts.anchors[i])
			end = slices.IndexFunc(rest, func(e element) bool { return e.id == anchor })
		}
		stands := rest[:end]
		if m.doubts.doubted[i] {
			stands = m.decide(i, stands)
		}
		list = append(list, once(stands, used)...)
		if end < len(rest) {
			list, end = append(list, rest[end]), end+1
		}
		rest = rest[end:]
	}
	return list
}

// once takes the ids of blocks that stand in the result already from elements: two passages may be decided against each other.
func once(list []element, used map[string]bool) []element {
	list = slices.Clone(list)
	for i := range list {
		if used[list[i].id] {
			list[i].id, list[i].at = "", nowhere
		}
		used[list[i].id] = true
	}
	return list
}

// decide makes a conflict of a passage, and returns the blocks that are chosen. What both sides made alike is no conflict.
func (m *textMerge) decide(i int, merged []element) []element {
	texts, proposed := m.passage(m.doubts, i), m.render(merged)
	if texts[inOurs] == texts[inTheirs] {
		return m.standing(m.doubts, i, inOurs)
	}
	if !keepsWords(texts, proposed) {
		merged = append(m.standing(m.doubts, i, inOurs), m.standing(m.doubts, i, inTheirs)...)
		proposed = m.render(merged)
	}
	c := Conflict{Kind: KindText, Page: m.page, Proposed: &proposed}
	for v, value := range []**string{&c.Base, &c.Ours, &c.Theirs} {
		if from, to := m.bounds(m.doubts, i, v); from < to {
			*value = &texts[v]
		}
	}
	from, _ := m.bounds(m.doubts, i, inBase)
	switch {
	case c.Base != nil:
		c.Block = m.versions[inBase].id(from)
	case from > 0:
		c.Kind, c.Block = KindInserted, m.versions[inBase].id(from-1)
	default:
		c.Kind = KindInserted
	}
	chosen := text(m.ledger.settle(c))
	if chosen == "" {
		return nil
	}
	if chosen == proposed {
		return merged
	}
	for _, v := range []int{inOurs, inTheirs, inBase} {
		if chosen == texts[v] {
			return m.standing(m.doubts, i, v)
		}
	}
	return []element{{text: chosen, at: nowhere}}
}

// keepsWords reports whether a proposal has what both sides wrote.
func keepsWords(texts [3]string, proposed string) bool {
	base, result := countWords(texts[inBase]), countWords(proposed)
	for word := range countWords(strings.Join(texts[inOurs:], " ")) {
		if base[word] == 0 && result[word] == 0 {
			return false
		}
	}
	return true
}
