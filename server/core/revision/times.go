package revision

import (
	"bytes"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// NotBefore is the time of a change to what was made at another time, by a clock that may have been ahead.
func NotBefore(made api.Time, at time.Time) api.Time {
	if at.Before(made.Time) {
		return made
	}
	return api.At(at)
}

// CreatedAt reads when something was made from its stored public half, which has that member at the top alone.
func CreatedAt(public []byte) (at api.Time) {
	_, text, _ := bytes.Cut(public, []byte(`"createdAt":"`))
	if text, _, ok := bytes.Cut(text, []byte{'"'}); ok {
		_ = at.UnmarshalJSON(slices.Concat([]byte{'"'}, text, []byte{'"'}))
	}
	return at
}

// RewriteText replaces a text. However little longer it gets, it adds.
func RewriteText(tx *store.Tx, text *string, by string) {
	if len(by) > len(*text) {
		tx.Adds()
	}
	*text = by
}
