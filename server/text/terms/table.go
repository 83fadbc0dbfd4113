package terms

// wordTable maps words to numbers. It is a hash table optimized for short words given as bytes, since it is used for
// every word of a text.
type wordTable struct {
	entries []wordEntry
	slots   []int // index of an entry plus one, 0 = free
}

type wordEntry struct {
	word   string
	hash   uint32
	number int
}

// wordSlot is the slot of a word, or the free slot for it if number is -1.
type wordSlot struct {
	index  int
	hash   uint32
	number int
}

// initialSlots is the initial number of slots, which is always a power of two.
const initialSlots = 1 << 12

func newWordTable() wordTable { return wordTable{slots: make([]int, initialSlots)} }

// find returns the slot of a word, or the free slot for it.
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

// add adds a word in the free slot that find returned.
func (t *wordTable) add(slot wordSlot, word string, number int) wordSlot {
	t.entries = append(t.entries, wordEntry{word, slot.hash, number})
	t.slots[slot.index] = len(t.entries)
	if 2*len(t.entries) > len(t.slots) {
		t.grow()
	}
	return wordSlot{slot.index, slot.hash, number}
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
