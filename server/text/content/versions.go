package content

import "sort"

// Versions are two texts of one page: when an anchor was made and now. A page
// that was not, or is not, there has no text. It remembers what it was asked
// for, so that many anchors share the work; one goroutine uses it.
type Versions struct {
	Page      string
	Then, Now Text

	oldIDs, newIDs map[string]int
	hashes         map[string]int // how often a block's hash stands in the text that has it most
	old, new       *prepared
	fresh          map[int][]uint64
	was            [][]uint64
}

// oldAt and newAt are the index of a block, none if it is not there.
func (v *Versions) oldAt(id string) int { return v.indexOf(&v.oldIDs, v.Then.Blocks, id) }
func (v *Versions) newAt(id string) int { return v.indexOf(&v.newIDs, v.Now.Blocks, id) }

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

// twins reports whether either text has the block's content more than once.
func (v *Versions) twins(hash string) bool {
	if v.hashes == nil {
		v.hashes = map[string]int{}
		for _, blocks := range []Table{v.Then.Blocks, v.Now.Blocks} {
			for hash, at := range occurrences(blocks) {
				v.hashes[hash] = max(v.hashes[hash], len(at))
			}
		}
	}
	return v.hashes[hash] > 1
}

// then and now are the texts as quotes are looked for in them.
func (v *Versions) then() *prepared { return prepare(&v.old, v.Then) }
func (v *Versions) now() *prepared  { return prepare(&v.new, v.Now) }

// strangers are the words of the blocks that were not there before.
func (v *Versions) strangers() map[int][]uint64 {
	if v.fresh == nil {
		v.fresh = map[int][]uint64{}
		for n, block := range v.Now.Blocks {
			if v.oldAt(block.ID) == none {
				v.fresh[n] = wordSet(v.Now.Bytes(block))
			}
		}
	}
	return v.fresh
}

// oldWords are the words of the blocks that were there.
func (v *Versions) oldWords() [][]uint64 {
	if v.was == nil {
		for _, block := range v.Then.Blocks {
			v.was = append(v.was, wordSet(v.Then.Bytes(block)))
		}
	}
	return v.was
}

// prepared is a text with its blocks squeezed, each followed by a line break.
type prepared struct {
	text   []byte
	starts []int
}

func prepare(p **prepared, t Text) *prepared {
	if *p == nil {
		made := &prepared{text: make([]byte, 0, len(t.Markdown)), starts: make([]int, 0, len(t.Blocks)+1)}
		for _, block := range t.Blocks {
			made.starts = append(made.starts, len(made.text))
			made.text = append(append(made.text, squeeze(t.Bytes(block)).text...), '\n')
		}
		made.starts = append(made.starts, len(made.text))
		*p = made
	}
	return *p
}

func (p *prepared) block(n int) []byte { return p.text[p.starts[n] : p.starts[n+1]-1] }

// blockAt is the block that has the byte at.
func (p *prepared) blockAt(at int) int { return sort.SearchInts(p.starts, at+1) - 1 }

// commonEnd and commonStart count equal bytes; what separates words and blocks is
// equal, and what stands between a quote and its margin does not count.
func commonEnd(margin string, text []byte) int {
	text, n := trimBreak(text, len(text)-1, -1), 0
	for n < len(margin) && n < len(text) && sameByte(margin[len(margin)-1-n], text[len(text)-1-n]) {
		n++
	}
	return n
}

func commonStart(margin string, text []byte) int {
	text, n := trimBreak(text, 0, 1), 0
	for n < len(margin) && n < len(text) && sameByte(margin[n], text[n]) {
		n++
	}
	return n
}

// trimBreak drops the white space at one end of a text.
func trimBreak(text []byte, at, step int) []byte {
	if at < 0 || at >= len(text) || text[at] != ' ' && text[at] != '\n' {
		return text
	}
	if step < 0 {
		return text[:at]
	}
	return text[1:]
}

func sameByte(a, b byte) bool { return a == b || a == ' ' && b == '\n' }
