package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
)

// Errors of unreadable content are mapped in one place, see unreadableError; they do not fail other parts of a response.

// unreadableHeader lists the spaces that a response omits.
const unreadableHeader = "X-Unreadable-Spaces"

// maxListedSpaces bounds the number of spaces in unreadableHeader.
const maxListedSpaces = 20

// unreadableError returns the error for content that cannot be read. It is 500 instead of 503, because retrying does not help
// until the content is repaired. Content that a repair has replaced with a placeholder is 410.
func unreadableError(u *objects.UnreadableError) *api.Error {
	if u.Lost != nil {
		return api.Errorf(http.StatusGone, api.ReasonContentLost,
			"This part of the history of space %s was lost, and given up in a repair.", u.Space).
			WithHint("Later revisions are complete; all: wsctl spaces list-revisions %s", u.Space).WithCause(u)
	}
	return api.Errorf(http.StatusInternalServerError, api.ReasonContentUnreadable,
		"The content of space %s cannot be read: a part of it is missing or damaged.", u.Space).
		WithHint("Trying again does not help: an operator mends it with wsd fsck --repair, which says what was lost.").WithCause(u)
}

// withChangeRequest returns unreadableError for a request, which may be about a change request of the space.
func (r *Request) withChangeRequest(e api.Error) api.Error {
	if request := r.Path("changeRequest"); request != "" && e.Reason == api.ReasonContentUnreadable {
		e.Message = strings.Replace(e.Message, "The content of space", "The content of change request "+request+" of space", 1)
	}
	return e
}

// WithOmitted returns r with the spaces that the response omits because they cannot be read.
func (r Result[T]) WithOmitted(spaces []string) Result[T] {
	slices.Sort(spaces)
	r.omittedSpaces = slices.Compact(spaces)
	return r
}

// omittedHeader returns the value of unreadableHeader for the omitted spaces.
func omittedHeader(spaces []string) string {
	text := strings.Join(spaces[:min(len(spaces), maxListedSpaces)], ", ")
	if more := len(spaces) - maxListedSpaces; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}
