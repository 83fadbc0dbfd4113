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

// TestSettingsEntrySetsMaximumAge checks that the entry with the settings of an organization sets the maximum age of tokens, that a
// damaged one sets the strictest, and that it is neither a space nor a collection.
func TestSettingsEntrySetsMaximumAge(t *testing.T) {
	t.Parallel()
	m, _ := NewModel("o_x").(*Model)
	for _, step := range []struct {
		entry string
		days  int
	}{{"", 0}, {`{"moved":"-","tokenMaxAgeDays":30}`, 30}, {`{"moved":`, 1}, {"", 0}} {
		var entry []byte
		if step.entry != "" {
			entry = []byte(step.entry)
		}
		m.Apply(store.SettingsEntry, entry)
		got, isCollection := m.TokenMaxAge(), len(m.CollectionIDs()) > 0 || m.MovedTo(store.SettingsEntry) != ""
		if got != store.TokenMaxAge(step.days) || isCollection {
			t.Errorf("entry %q: maximum age %s, collections %v", step.entry, got, m.CollectionIDs())
		}
	}
}
