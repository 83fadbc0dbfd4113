package terms

// wordTable finds the numbers of words. It is a map that is asked for each word of a text, so it is made for that: words
// are short, and their bytes at hand.
type wordTable struct {
	entries []wordEntry
	slots   []int // number of an entry and one, 0 = free
}

type wordEntry struct {
	word   string
	hash   uint32
	number int
}

// wordSlot is where a word is, or belongs: number is -1 where it is not known.
type wordSlot struct {
	at     int
	hash   uint32
	number int
}

// firstSlots is a power of two, as all numbers of slots are.
const firstSlots = 1 << 12

func newWordTable() wordTable { return wordTable{slots: make([]int, firstSlots)} }

// find looks a word up.
func (t *wordTable) find(word []byte) wordSlot {
	hash := uint32(2166136261) // FNV-1a
	for _, b := range word {
		hash = (hash ^ uint32(b)) * 16777619
	}
	return t.probe(word, hash)
}

func (t *wordTable) probe(word []byte, hash uint32) wordSlot {
	at := int(hash) & (len(t.slots) - 1)
	for ; t.slots[at] != 0; at = (at + 1) & (len(t.slots) - 1) {
		if e := &t.entries[t.slots[at]-1]; e.hash == hash && e.word == string(word) {
			return wordSlot{at, hash, e.number}
		}
	}
	return wordSlot{at, hash, -1}
}

// add adds a word that was not found.
func (t *wordTable) add(slot wordSlot, word string, number int) wordSlot {
	t.entries = append(t.entries, wordEntry{word, slot.hash, number})
	t.slots[slot.at] = len(t.entries)
	if 2*len(t.entries) > len(t.slots) {
		t.grow()
	}
	return wordSlot{slot.at, slot.hash, number}
}

func (t *wordTable) grow() {
	t.slots = make([]int, 2*len(t.slots))
	for i := range t.entries {
		at := int(t.entries[i].hash) & (len(t.slots) - 1)
		for t.slots[at] != 0 {
			at = (at + 1) & (len(t.slots) - 1)
		}
		t.slots[at] = i + 1
	}
}
