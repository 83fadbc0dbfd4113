package revision

import (
	"bytes"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// ChangeTime returns the time of a change: at, but not before created, since clocks of nodes differ.
func ChangeTime(created api.Time, at time.Time) api.Time {
	if at.Before(created.Time) {
		return created
	}
	return api.At(at)
}

// ParseCreatedAt returns the member createdAt of an encoded record. The member must occur at the top level only.
func ParseCreatedAt(public []byte) (at api.Time) {
	_, text, _ := bytes.Cut(public, []byte(`"createdAt":"`))
	if text, _, ok := bytes.Cut(text, []byte{'"'}); ok {
		_ = at.UnmarshalJSON(slices.Concat([]byte{'"'}, text, []byte{'"'})) // a malformed time is the zero one
	}
	return at
}

// RewriteText sets *text to by. If by is longer, the transaction counts as adding data, which an exhausted quota refuses.
func RewriteText(tx *store.Tx, text *string, by string) {
	if len(by) > len(*text) {
		tx.MarkAddsContent()
	}
	*text = by
}
