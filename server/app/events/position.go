package events

import (
	"fmt"
	"hash/fnv"
	"io"
	"regexp"
)

// position is a place in the log of an organization, after which a stream goes on: the id of an event and, in what a stream sends, a
// checksum of its entry. Ids alone do not suffice: after a failover or in a restored backup, another entry may have the id of one that
// was lost.
type position struct {
	id    string
	check string // "" = not known; any entry with the id is accepted
}

var positionPattern = regexp.MustCompile(`^(\d{1,16}-\d{1,10})(?:-([0-9a-f]{8}))?$`)

// parsePosition returns the position that a text denotes: an id, or what String returns.
func parsePosition(text string) (p position, ok bool) {
	found := positionPattern.FindStringSubmatch(text)
	if found == nil {
		return p, false
	}
	return position{found[1], found[2]}, true
}

// positionOf returns the position after an event.
func positionOf(e event) position {
	sum := uint64(0)
	for name, value := range e.fields {
		h := fnv.New64a()
		_, _ = io.WriteString(h, name+"\x00"+value) // does not fail
		sum += h.Sum64()
	}
	return position{e.id, fmt.Sprintf("%08x", uint32(sum^sum>>32))} //nolint:gosec // the lower half
}

// isOf reports whether the position is that after an event. Of a position without a checksum, the id decides.
func (p position) isOf(e event) bool {
	return p.id == e.id && (p.check == "" || p == positionOf(e))
}

// String returns the text of the position, from which parsePosition returns it.
func (p position) String() string {
	if p.check == "" {
		return p.id
	}
	return p.id + "-" + p.check
}
