package divide

// At returns the parts of a text that begin at the given offsets, which are sorted and begin with 0.
func At(t Text, offsets []int) []Part {
	d := newDivider(t)
	cuts := make([]cutPoint, 0, len(offsets))
	for _, at := range offsets {
		cuts = append(cuts, d.pointAt(at))
	}
	return d.parts(cuts)
}
