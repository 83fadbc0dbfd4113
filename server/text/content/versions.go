package content

import "sort"

// Versions holds two texts of one page: the text when an anchor was made, and the current one. A text is empty if the page did
// not exist at that time. Intermediate results are cached for many anchors, so it must be used by one goroutine only.
type Versions struct {
	Page      string
	Then, Now Text

	oldIDs, newIDs map[string]int
	hashCounts     map[string]int // maximum number of occurrences of a block's hash in either text
	old, new       *preparedText
	newWordSets    map[int][]uint64
	oldWordSets    [][]uint64
}

// oldIndex and newIndex return the index of a block, none if it does not exist.
func (v *Versions) oldIndex(id string) int { return v.indexOf(&v.oldIDs, v.Then.Blocks, id) }
func (v *Versions) newIndex(id string) int { return v.indexOf(&v.newIDs, v.Now.Blocks, id) }

func (v *Versions) indexOf(ids *map[string]int, blocks Table, id string) int {
	if *ids == nil {
		*ids = make(map[string]int, len(blocks))
		for i, b := range blocks {
			(*ids)[b.ID] = i
		}
	}
	if at, ok := (*ids)[id]; ok {
		return at
	}
	return none
}

// repeated reports whether either text has the block's content more than once.
func (v *Versions) repeated(hash string) bool {
	if v.hashCounts == nil {
		v.hashCounts = map[string]int{}
		for _, blocks := range []Table{v.Then.Blocks, v.Now.Blocks} {
			for hash, at := range occurrences(blocks) {
				v.hashCounts[hash] = max(v.hashCounts[hash], len(at))
			}
		}
	}
	return v.hashCounts[hash] > 1
}

// preparedOld and preparedNew return the texts prepared for searching.
func (v *Versions) preparedOld() *preparedText { return prepare(&v.old, v.Then) }
func (v *Versions) preparedNew() *preparedText { return prepare(&v.new, v.Now) }

// newWords returns the word sets of the blocks that did not exist before, by index.
func (v *Versions) newWords() map[int][]uint64 {
	if v.newWordSets == nil {
		v.newWordSets = map[int][]uint64{}
		for n, block := range v.Now.Blocks {
			if v.oldIndex(block.ID) == none {
				v.newWordSets[n] = wordSet(v.Now.Bytes(block))
			}
		}
	}
	return v.newWordSets
}

// oldWords returns the word sets of the old blocks.
func (v *Versions) oldWords() [][]uint64 {
	if v.oldWordSets == nil {
		for _, block := range v.Then.Blocks {
			v.oldWordSets = append(v.oldWordSets, wordSet(v.Then.Bytes(block)))
		}
	}
	return v.oldWordSets
}

// preparedText is a text with its blocks in compact form, each followed by a line break.
type preparedText struct {
	text   []byte
	starts []int
}

func prepare(p **preparedText, t Text) *preparedText {
	if *p == nil {
		made := &preparedText{text: make([]byte, 0, len(t.Markdown)), starts: make([]int, 0, len(t.Blocks)+1)}
		for _, block := range t.Blocks {
			made.starts = append(made.starts, len(made.text))
			made.text = append(append(made.text, compact(t.Bytes(block)).text...), '\n')
		}
		made.starts = append(made.starts, len(made.text))
		*p = made
	}
	return *p
}

func (p *preparedText) block(n int) []byte { return p.text[p.starts[n] : p.starts[n+1]-1] }

// blockAt returns the index of the block that contains an offset.
func (p *preparedText) blockAt(at int) int { return sort.SearchInts(p.starts, at+1) - 1 }

// commonSuffix and commonPrefix return the number of bytes that margin and text have in common at their ends or starts. A space
// in the margin equals a line feed, and one separator at that end of the text is ignored.
func commonSuffix(margin string, text []byte) int {
	text, n := trimSeparator(text, len(text)-1, -1), 0
	for n < len(margin) && n < len(text) && sameByte(margin[len(margin)-1-n], text[len(text)-1-n]) {
		n++
	}
	return n
}

func commonPrefix(margin string, text []byte) int {
	text, n := trimSeparator(text, 0, 1), 0
	for n < len(margin) && n < len(text) && sameByte(margin[n], text[n]) {
		n++
	}
	return n
}

// trimSeparator removes one space or line feed at an end of a text: the last byte if step is negative, else the first. at is
// its offset.
func trimSeparator(text []byte, at, step int) []byte {
	if at < 0 || at >= len(text) || text[at] != ' ' && text[at] != '\n' {
		return text
	}
	if step < 0 {
		return text[:at]
	}
	return text[1:]
}

func sameByte(a, b byte) bool { return a == b || a == ' ' && b == '\n' }
