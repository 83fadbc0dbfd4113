package content

import "slices"

// Restore returns the present text with the named blocks as they were in the past one: edited blocks get their
// earlier bytes, deleted ones come back behind the block that they followed, and blocks that the past text does not
// have are taken out. All other bytes stay.
func Restore(present, past Text, blocks []string) []byte {
	order := make([]string, 0, len(present.Blocks))
	bytesOf := map[string][]byte{}
	for _, b := range present.Blocks {
		order = append(order, b.ID)
		bytesOf[b.ID] = present.Bytes(b)
	}
	for at, b := range past.Blocks {
		if !slices.Contains(blocks, b.ID) {
			continue
		}
		if _, ok := bytesOf[b.ID]; !ok {
			order = slices.Insert(order, placeAfter(order, past.Blocks[:at]), b.ID)
		}
		bytesOf[b.ID] = past.Bytes(b)
	}
	var text []byte
	for _, id := range order {
		if _, was := past.Blocks.Find(id); !was && slices.Contains(blocks, id) {
			continue
		}
		text = append(text, bytesOf[id]...)
	}
	return text
}

// placeAfter is the place behind the nearest of the earlier blocks that is in the order, 0 without one.
func placeAfter(order []string, earlier Table) int {
	for _, b := range slices.Backward(earlier) {
		if at := slices.Index(order, b.ID); at >= 0 {
			return at + 1
		}
	}
	return 0
}
