package rest_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
)

// TestSetEncodesLikeMarshal checks that values encoded by the fast path equal the output of json.Marshal.
func TestSetEncodesLikeMarshal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching("[ -~]*"), rapid.StringMatching("[a-z0-9.]*")).Draw(r, "text")
		number := rapid.Int().Draw(r, "number")
		at := api.At(time.UnixMilli(rapid.Int64Range(0, 1<<42).Draw(r, "time")))
		for _, v := range []any{text, number, at, rapid.Bool().Draw(r, "bool"), api.SpacePermissions{View: true}, []string{text}} {
			want, err := json.Marshal(v)
			if err != nil {
				r.Fatal(err)
			}
			got, err := rest.ObjectOf(struct{}{}).Set("a", v).Bytes()
			if err != nil || string(got) != `{"a":`+string(want)+"}" {
				r.Fatalf("%v is %s, %v, want %s", v, got, err, want)
			}
		}
	})
}
