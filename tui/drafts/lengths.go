package drafts

import (
	"fmt"
	"unicode/utf8"
)

// The server's limits for the length of a text in characters: those of api.CommentBody, api.SuggestionCreate and the
// description in api.ChangeRequestPatch.
const (
	MaxComment     = 65536
	MaxDescription = 10000
)

// Limit returns the maximum length of the text of a draft in characters.
func (d Draft) Limit() int {
	if d.Description {
		return MaxDescription
	}
	return MaxComment
}

// Length returns the length of the text of a draft in characters.
func (d Draft) Length() int { return utf8.RuneCountInString(d.Text) }

// TooLongReason returns the reason why the text or the suggestion of a draft is too long to be sent, or "".
func (d Draft) TooLongReason() string {
	over := func(what string, n, limit int) string {
		return fmt.Sprintf("%s has %d characters, at most %d are allowed", what, n, limit)
	}
	if n := d.Length(); n > d.Limit() {
		return over("the text", n, d.Limit())
	}
	if d.Suggestion != nil {
		if n := utf8.RuneCountInString(*d.Suggestion); n > MaxComment {
			return over("the suggestion", n, MaxComment)
		}
	}
	return ""
}
