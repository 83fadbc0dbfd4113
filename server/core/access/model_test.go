package access

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// TestCollectionsInCycleAreInactive checks that collections in a cycle, which no transaction creates, are inactive and
// that path ends.
func TestCollectionsInCycleAreInactive(t *testing.T) {
	t.Parallel()
	s := newTestModel(t, map[string]string{
		"l_a": "l_b", "l_b": "l_a", "l_self": "l_self", "l_orphan": "l_gone", "s_in": "l_a", "l_top": "",
	})
	caller := &Caller{User: "u_x", Role: api.RoleCreate}
	for id, want := range map[string]bool{
		"l_a": false, "l_b": false, "l_self": false, "l_orphan": false, "s_in": false, "l_gone": false, "": false, "l_top": true,
	} {
		if _, got := s.Active(id); got != want {
			t.Errorf("%q is alive: %t", id, got)
		}
		s.level(id)
		s.Role(caller, id)
		s.IsWithin(id, "l_top")
	}
}

func newTestModel(t *testing.T, parents map[string]string) *Model {
	t.Helper()
	s, ok := NewModel("").(*Model)
	if !ok {
		t.Fatal("New makes another model")
	}
	inherit := api.LevelInherit
	for id, parent := range parents {
		entry, err := json.Marshal(store.Entry{Parent: parent, Order: "a0", Level: &inherit})
		if err != nil {
			t.Fatal(err)
		}
		s.Apply(id, entry)
	}
	return s
}
