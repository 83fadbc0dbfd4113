package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestNullHasEffect checks that null is not ignored: after a field was set to a value, null has another effect than
// the same value again.
//
//wsd:serial
func TestNullHasEffect(t *testing.T) {
	t.Parallel()
	w, tried := newFieldWorld(t), 0
	updates := func(row api.Row) bool { return row.Method == http.MethodPatch || row.Method == http.MethodPut }
	servertest.EachRow(t, updates, func(t *testing.T, row api.Row) {
		for _, name := range nullMembers(row) {
			tried++
			p := w.pairOf(row, name)
			null := p.with
			null.Body = withNull(t, p.with.Body, name)
			after := func(in servertest.Input) map[string]string {
				other := w.clone(t)
				other.mustSend(t, row, p.as, p.with, "")
				other.mustSend(t, row, p.as, in, "")
				return other.plainDump()
			}
			if maps.Equal(after(p.with), after(null)) {
				t.Errorf("%s: null makes no difference: %s", name, toJSON(null.Body))
			}
		}
	})
	if tried < 15 {
		t.Errorf("only %d fields were looked at", tried)
	}
}

// nullMembers returns the members of a row's body that may be null.
func nullMembers(row api.Row) (names []string) {
	in := api.NewCompiler().Input(row)
	if in.Body == nil {
		return nil
	}
	for _, f := range in.Body.Fields {
		if f.Schema.Nullable {
			names = append(names, f.Name)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// withNull returns the body with a member set to null.
func withNull(t *testing.T, body any, name string) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(toJSON(body)), &members); err != nil {
		t.Fatal(err)
	}
	members = maps.Clone(members)
	members[name] = nil
	return members
}
