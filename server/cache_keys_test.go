package server

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// What is made of objects that are only planned is found by their reader, and by nobody else, until they are stored.
func TestPlansStayWithTheirReader(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	shared := newCache(1<<10, func(string) int { return 1 })
	const space = "s_0ajf1a40xq07hx0ajf1a40y5k0ha"
	planner, other := s.Content(space), s.Content(space)
	object := store.NewBlob([]byte("A text that nobody has stored."))
	planner.Stage(object)
	remember(shared, planner, object.Hash, "planned")
	if v, ok := recall(shared, planner, object.Hash); !ok || v != "planned" {
		t.Errorf("its reader finds %q, %t", v, ok)
	}
	if v, ok := recall(shared, other, object.Hash); ok {
		t.Errorf("another reader finds %q", v)
	}
	if key := keyOf(planner, []string{object.Hash}); !key.isZero() {
		t.Errorf("a plan has the key %v", key)
	}
	shared.put(storedKey{}, "nobody's")
	if v, ok := shared.get(storedKey{}); ok {
		t.Errorf("under the zero key is %q", v)
	}
	remember(shared, other, object.Hash, "stored")
	if v, ok := recall(shared, s.Content(space), object.Hash); !ok || v != "stored" {
		t.Errorf("what was made of a stored object: %q, %t", v, ok)
	}
}
