package servertest

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestUnexpectedNullsFindsNullMembers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"role":null,"items":[{"defaultLevel":null,"jsonSchema":{"a":null}}]}`: nil,
		`{"items":[{"parent":null}],"next":null}`:                               {".items[0].parent: is null", ".next: is null"},
		`{"pages":[null]}`: {".pages[0]: is null"},
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if got := unexpectedNulls("", v); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
