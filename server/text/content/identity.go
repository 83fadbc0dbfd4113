package content

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"docspace.dev/wsd/server/text/align"
)

// maxSimilarityGap limits the size of a gap in which blocks are compared by their words; in larger gaps they are
// paired by position.
const maxSimilarityGap = 64

// none marks a block without a partner.
const none = align.None

// identify assigns ids to the blocks of text, those of previous to surviving blocks. The passes run in order of
// reliability: equal and unique, equal and in order, equal anywhere, similar in the same gap, alone at the same
// position.
func identify(page string, text, previous Text) {
	m := newMatcher(previous, text)
	m.pairUnique()
	m.eachGap(m.pairEqualInGap)
	m.pairEqual(m.unpairedOld(0, len(m.old)), m.unpairedNew(0, len(m.new)))
	m.preferEarliest()
	m.eachGap(m.pairEdited)
	m.pairRewritten()
	m.assignIDs(page, previous.Blocks)
}

// matcher pairs the blocks of two versions of a text.
type matcher struct {
	oldText, newText   Text
	old, new           Table
	oldByNew, newByOld []int // partner's index or none; oldByNew is indexed by new blocks
}

func newMatcher(oldText, newText Text) *matcher {
	m := &matcher{oldText: oldText, newText: newText, old: oldText.Blocks, new: newText.Blocks}
	m.oldByNew = slices.Repeat([]int{none}, len(m.new))
	m.newByOld = slices.Repeat([]int{none}, len(m.old))
	return m
}

func (m *matcher) pair(oldAt, newAt int) { m.oldByNew[newAt], m.newByOld[oldAt] = oldAt, newAt }

func (m *matcher) equal(oldAt, newAt int) bool {
	return m.old[oldAt].Hash == m.new[newAt].Hash && m.old[oldAt].Kind == m.new[newAt].Kind
}

// pairUnique pairs blocks whose content occurs once in each version, at any position.
func (m *matcher) pairUnique() {
	oldAt, newAt := occurrences(m.old), occurrences(m.new)
	for i, block := range m.new {
		olds, news := oldAt[block.Hash], newAt[block.Hash]
		if len(olds) == 1 && len(news) == 1 && m.equal(olds[0], i) {
			m.pair(olds[0], i)
		}
	}
}

func occurrences(blocks Table) map[string][]int {
	at := make(map[string][]int, len(blocks))
	for i, block := range blocks {
		at[block.Hash] = append(at[block.Hash], i)
	}
	return at
}

// eachGap calls visit for every range old[o:oEnd], new[n:nEnd] between pairs that kept their order; moved blocks
// within the range are already paired.
func (m *matcher) eachGap(visit func(o, oEnd, n, nEnd int)) {
	var olds, news []int
	for n, o := range m.oldByNew {
		if o != none {
			olds, news = append(olds, o), append(news, n)
		}
	}
	o, n := 0, 0
	for i, kept := range align.InOrder(olds) {
		if kept {
			visit(o, olds[i], n, news[i])
			o, n = olds[i]+1, news[i]+1
		}
	}
	visit(o, len(m.old), n, len(m.new))
}

// pairEqualInGap pairs equal blocks in one gap: from its start, from its end, then in order.
func (m *matcher) pairEqualInGap(o, oEnd, n, nEnd int) {
	for o < oEnd && n < nEnd && m.unpairedEqual(o, n) {
		m.pair(o, n)
		o, n = o+1, n+1
	}
	for o < oEnd && n < nEnd && m.unpairedEqual(oEnd-1, nEnd-1) {
		oEnd, nEnd = oEnd-1, nEnd-1
		m.pair(oEnd, nEnd)
	}
	m.pairEqual(m.unpairedOld(o, oEnd), m.unpairedNew(n, nEnd))
}

func (m *matcher) unpairedEqual(oldAt, newAt int) bool {
	return m.newByOld[oldAt] == none && m.oldByNew[newAt] == none && m.equal(oldAt, newAt)
}

// pairEqual pairs equal blocks of two lists, earliest with earliest.
func (m *matcher) pairEqual(olds, news []int) {
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	byHash := make(map[string][]int, len(olds))
	for _, o := range olds {
		byHash[m.old[o].Hash] = append(byHash[m.old[o].Hash], o)
	}
	for _, n := range news {
		if list := byHash[m.new[n].Hash]; len(list) > 0 && m.equal(list[0], n) {
			m.pair(list[0], n)
			byHash[m.new[n].Hash] = list[1:]
		}
	}
}

// preferEarliest moves the partner of a block to an equal block inserted directly before it: of several equal blocks
// in a row, the last are the new ones.
func (m *matcher) preferEarliest() {
	for n := 0; n+1 < len(m.new); n++ {
		o := m.oldByNew[n+1]
		inserted := o == 0 && n == 0 || o > 0 && n > 0 && m.oldByNew[n-1] == o-1
		if m.oldByNew[n] == none && inserted && m.equal(o, n) {
			m.pair(o, n)
			m.oldByNew[n+1] = none
		}
	}
}

// pairEdited pairs edited blocks of one gap: by their words if the gap is small, else by position, since comparing
// all pairs would be too expensive.
func (m *matcher) pairEdited(o, oEnd, n, nEnd int) {
	olds, news := m.unpairedOld(o, oEnd), m.unpairedNew(n, nEnd)
	if len(olds) <= maxSimilarityGap && len(news) <= maxSimilarityGap {
		m.pairSimilar(olds, news)
		return
	}
	for i := range min(len(olds), len(news)) {
		if m.old[olds[i]].Kind == m.new[news[i]].Kind {
			m.pair(olds[i], news[i])
		}
	}
}

// pairRewritten pairs a completely rewritten block with the only block of its kind between the same neighbours.
func (m *matcher) pairRewritten() {
	for n := range m.new {
		if m.oldByNew[n] != none {
			continue
		}
		before, after := none, len(m.old)
		if n > 0 {
			before = m.oldByNew[n-1]
		}
		if n+1 < len(m.new) {
			after = m.oldByNew[n+1]
		}
		o := before + 1
		alone := after == o+1 && (n == 0 || before != none)
		if alone && m.newByOld[o] == none && m.old[o].Kind == m.new[n].Kind {
			m.pair(o, n)
		}
	}
}

func (m *matcher) unpairedOld(from, to int) []int { return unpaired(m.newByOld, from, to) }
func (m *matcher) unpairedNew(from, to int) []int { return unpaired(m.oldByNew, from, to) }

func unpaired(partner []int, from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		if partner[i] == none {
			list = append(list, i)
		}
	}
	return list
}

// assignIDs sets the ids: first those of paired blocks, with their aliases, then derived ones for new blocks.
func (m *matcher) assignIDs(page string, base Table) {
	used := make(map[string]bool, len(m.new))
	for n, o := range m.oldByNew {
		if o != none && m.old[o].ID != "" && !used[m.old[o].ID] {
			m.new[n].ID, m.new[n].Aliases, m.new[n].TextPositions = m.old[o].ID, m.old[o].Aliases, m.old[o].TextPositions
			used[m.new[n].ID] = true
		}
	}
	baseHash := hashTable(base)
	seen := map[string]int{}
	for n := range m.new {
		block := &m.new[n]
		for block.ID == "" {
			id := deriveID(page, block.Hash, seen[block.Hash], baseHash)
			seen[block.Hash]++
			if !used[id] {
				block.ID, used[id] = id, true
			}
		}
	}
}

// deriveID derives a new block's id from its page, content and position, so that the same edit of the same base gives
// the same id on every server.
func deriveID(page, hash string, occurrence int, baseHash string) string {
	sum := sha256.Sum256([]byte(page + "\x00" + hash + "\x00" + strconv.Itoa(occurrence) + "\x00" + baseHash))
	return "b_" + lowerBase32.EncodeToString(sum[:10])
}

func hashTable(t Table) string {
	h := sha256.New()
	for _, block := range t {
		fmt.Fprintf(h, "%q %q %q\n", block.ID, block.Kind, block.Hash)
	}
	return lowerBase32.EncodeToString(h.Sum(nil)[:20])
}
