package content

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"

	"docspace.dev/wsd/server/text/align"
)

// maxSimilarityGap bounds both sides of a gap between anchors in which blocks
// are compared by their words; in larger gaps position decides.
const maxSimilarityGap = 64

// none marks a block without a partner.
const none = align.None

// identify gives the blocks of text their ids, those of previous where a block
// lives on. The order of the passes is the order of trust: equal and unique,
// equal and in order, equal anywhere, similar in the same gap, alone in the same
// place.
func identify(page string, text, previous Text) {
	m := newMatcher(previous, text)
	m.uniqueTwins()
	m.eachGap(m.twinsInGap)
	m.pairTwins(m.freeOld(0, len(m.old)), m.freeNew(0, len(m.new)))
	m.earliestTwins()
	m.eachGap(m.relativesInGap)
	m.heirs()
	m.nameBlocks(page, previous.Blocks)
}

// matcher pairs the blocks of two versions of a text.
type matcher struct {
	oldText, newText Text
	old, new         Table
	oldOf, newOf     []int // partner's index or none; oldOf is indexed by new blocks
}

func newMatcher(oldText, newText Text) *matcher {
	m := &matcher{oldText: oldText, newText: newText, old: oldText.Blocks, new: newText.Blocks}
	m.oldOf = slices.Repeat([]int{none}, len(m.new))
	m.newOf = slices.Repeat([]int{none}, len(m.old))
	return m
}

func (m *matcher) pair(oldAt, newAt int) { m.oldOf[newAt], m.newOf[oldAt] = oldAt, newAt }

func (m *matcher) twins(oldAt, newAt int) bool {
	return m.old[oldAt].Hash == m.new[newAt].Hash && m.old[oldAt].Kind == m.new[newAt].Kind
}

// uniqueTwins pairs blocks whose content occurs once in each version, wherever
// they are.
func (m *matcher) uniqueTwins() {
	oldAt, newAt := occurrences(m.old), occurrences(m.new)
	for i, block := range m.new {
		olds, news := oldAt[block.Hash], newAt[block.Hash]
		if len(olds) == 1 && len(news) == 1 && m.twins(olds[0], i) {
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

// eachGap calls visit for every stretch old[o:oEnd], new[n:nEnd] between pairs
// that kept their order; moved blocks in there are paired already.
func (m *matcher) eachGap(visit func(o, oEnd, n, nEnd int)) {
	var olds, news []int
	for n, o := range m.oldOf {
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

// twinsInGap pairs equal blocks in one gap: from its start, from its end, then
// in order.
func (m *matcher) twinsInGap(o, oEnd, n, nEnd int) {
	for o < oEnd && n < nEnd && m.freeTwins(o, n) {
		m.pair(o, n)
		o, n = o+1, n+1
	}
	for o < oEnd && n < nEnd && m.freeTwins(oEnd-1, nEnd-1) {
		oEnd, nEnd = oEnd-1, nEnd-1
		m.pair(oEnd, nEnd)
	}
	m.pairTwins(m.freeOld(o, oEnd), m.freeNew(n, nEnd))
}

func (m *matcher) freeTwins(oldAt, newAt int) bool {
	return m.newOf[oldAt] == none && m.oldOf[newAt] == none && m.twins(oldAt, newAt)
}

// pairTwins pairs equal blocks of two lists, earliest with earliest.
func (m *matcher) pairTwins(olds, news []int) {
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	byHash := make(map[string][]int, len(olds))
	for _, o := range olds {
		byHash[m.old[o].Hash] = append(byHash[m.old[o].Hash], o)
	}
	for _, n := range news {
		if list := byHash[m.new[n].Hash]; len(list) > 0 && m.twins(list[0], n) {
			m.pair(list[0], n)
			byHash[m.new[n].Hash] = list[1:]
		}
	}
}

// earliestTwins hands the partner of a block to an equal one inserted directly
// before it: of several equal blocks in a row, the last are the new ones.
func (m *matcher) earliestTwins() {
	for n := 0; n+1 < len(m.new); n++ {
		o := m.oldOf[n+1]
		inserted := o == 0 && n == 0 || o > 0 && n > 0 && m.oldOf[n-1] == o-1
		if m.oldOf[n] == none && inserted && m.twins(o, n) {
			m.pair(o, n)
			m.oldOf[n+1] = none
		}
	}
}

// relativesInGap pairs edited blocks of one gap: by their words where the gap is
// small, by their position where comparing all with all would cost too much.
func (m *matcher) relativesInGap(o, oEnd, n, nEnd int) {
	olds, news := m.freeOld(o, oEnd), m.freeNew(n, nEnd)
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

// heirs pairs a block that was rewritten beyond recognition with the one block
// of its kind that stands between the same neighbours.
func (m *matcher) heirs() {
	for n := range m.new {
		if m.oldOf[n] != none {
			continue
		}
		before, after := none, len(m.old)
		if n > 0 {
			before = m.oldOf[n-1]
		}
		if n+1 < len(m.new) {
			after = m.oldOf[n+1]
		}
		o := before + 1
		alone := after == o+1 && (n == 0 || before != none)
		if alone && m.newOf[o] == none && m.old[o].Kind == m.new[n].Kind {
			m.pair(o, n)
		}
	}
}

func (m *matcher) freeOld(from, to int) []int { return free(m.newOf, from, to) }
func (m *matcher) freeNew(from, to int) []int { return free(m.oldOf, from, to) }

func free(partner []int, from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		if partner[i] == none {
			list = append(list, i)
		}
	}
	return list
}

// nameBlocks writes the ids: carried ones first, with their aliases, then derived ones around them.
func (m *matcher) nameBlocks(page string, base Table) {
	used := make(map[string]bool, len(m.new))
	for n, o := range m.oldOf {
		if o != none && m.old[o].ID != "" && !used[m.old[o].ID] {
			m.new[n].ID, m.new[n].Aliases, m.new[n].Spots = m.old[o].ID, m.old[o].Aliases, m.old[o].Spots
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

// deriveID makes a new block's id from what makes it new, so that the same edit
// of the same base gives the same id anywhere.
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
