package store

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/store/txn"
)

// TestIdentityForms checks that the private half of a linked identity has the form of builds before there were pending ones, and that such
// a record is read as linked.
func TestIdentityForms(t *testing.T) {
	t.Parallel()
	for user, want := range map[string]string{"u_1": `{"user":"u_1"}`, "": `{}`} {
		data, err := json.Marshal(IdentityPrivate{User: user})
		if err != nil || string(data) != want {
			t.Errorf("private half: %s, %v, want %s", data, err, want)
		}
		var d IdentityDocument
		if err := d.Decode(txn.Record{Version: 1, Public: []byte(`{}`), Private: []byte(want)}); err != nil || d.Private.User != user {
			t.Errorf("%s: user %q, %v, want %q", want, d.Private.User, err, user)
		}
	}
}
