package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
)

// What cannot be read is refused in one way, wherever it is met, and stops nothing beside it: see contentUnreadable.

// unreadableHeader names the spaces that an answer goes on without.
const unreadableHeader = "X-Unreadable-Spaces"

// maxUnreadableNamed bounds how many of them it names.
const maxUnreadableNamed = 20

// contentUnreadable is the answer to whoever needs what cannot be read. It is 500 and not 503: a 503 is there to be
// tried again, and this stays as it is until somebody mends it. What was given up in a repair is gone for good: 410.
func contentUnreadable(u *objects.Unreadable) *api.Error {
	if u.Lost != nil {
		return api.Errorf(http.StatusGone, api.ReasonContentLost, "This part of the history of space %s was lost, and given up in a repair.", u.Space).
			WithHint("Later revisions are complete; GET .../revisions lists what there is.").WithCause(u)
	}
	return api.Errorf(http.StatusInternalServerError, api.ReasonContentUnreadable, "The content of space %s cannot be read: a part of it is missing or damaged.", u.Space).
		WithHint("Trying again does not help: an operator mends it with wsd fsck --repair, which says what was lost.").WithCause(u)
}

// IsLost reports whether an error is about what was given up in a repair.
func IsLost(err error) bool {
	u, unreadable := objects.AsUnreadable(err)
	return unreadable && u.Lost != nil
}

// unreadableOf is contentUnreadable for a request, which may be about a change request of the space.
func (c *Call) unreadableOf(e api.Error) api.Error {
	if request := c.Path("changeRequest"); request != "" && e.Reason == api.ReasonContentUnreadable {
		e.Message = strings.Replace(e.Message, "The content of space", "The content of change request "+request+" of space", 1)
	}
	return e
}

// GoOnWithout notes the spaces that an answer does not speak of because they cannot be read.
func (r Result[T]) GoOnWithout(spaces []string) Result[T] {
	slices.Sort(spaces)
	r.without = slices.Compact(spaces)
	return r
}

// withoutHeader says which spaces an answer goes on without.
func withoutHeader(spaces []string) string {
	text := strings.Join(spaces[:min(len(spaces), maxUnreadableNamed)], ", ")
	if more := len(spaces) - maxUnreadableNamed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
