package cache

import (
	"testing"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// Values derived from staged objects are visible only to their reader until the objects are stored.
func TestStagedValuesAreNotShared(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	shared := New(1<<10, func(string) int { return 1 })
	const space = "s_0ajf1a40xq07hx0ajf1a40y5k0ha"
	planner, other := s.Content(space), s.Content(space)
	object := objects.NewBlob([]byte("A text that nobody has stored."))
	planner.Stage(object)
	Store(shared, planner, object.Hash, "planned")
	if v, ok := Load(shared, planner, object.Hash); !ok || v != "planned" {
		t.Errorf("its reader finds %q, %t", v, ok)
	}
	if v, ok := Load(shared, other, object.Hash); ok {
		t.Errorf("another reader finds %q", v)
	}
	if key := ObjectsKey(planner, []string{object.Hash}); !key.isZero() {
		t.Errorf("a plan has the key %v", key)
	}
	shared.Put(Key{}, "nobody's")
	if v, ok := shared.Get(Key{}); ok {
		t.Errorf("under the zero key is %q", v)
	}
	Store(shared, other, object.Hash, "stored")
	if v, ok := Load(shared, s.Content(space), object.Hash); !ok || v != "stored" {
		t.Errorf("what was made of a stored object: %q, %t", v, ok)
	}
}
