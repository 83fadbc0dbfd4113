package objects_test

import (
	"testing"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestStagedValuesAreNotShared checks that values derived from staged objects are visible only to their reader until the
// objects are stored.
func TestStagedValuesAreNotShared(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	shared := objects.NewDerivedCache(1<<10, func(string) int { return 1 })
	const space = "s_0ajf1a40xq07hx0ajf1a40y5k0ha"
	planner, other := s.Content(space), s.Content(space)
	object := objects.NewBlob([]byte("A text that nobody has stored."))
	planner.Stage(object)
	objects.StoreDerived(shared, planner, object.Hash, "planned")
	if v, ok := objects.LoadDerived(shared, planner, object.Hash); !ok || v != "planned" {
		t.Errorf("its reader finds %q, %t", v, ok)
	}
	if v, ok := objects.LoadDerived(shared, other, object.Hash); ok {
		t.Errorf("another reader finds %q", v)
	}
	if key := objects.KeyOf(planner, []string{object.Hash}); key != (objects.DerivedKey{}) {
		t.Errorf("a plan has the key %v", key)
	}
	shared.Put(objects.DerivedKey{}, "nobody's")
	if v, ok := shared.Get(objects.DerivedKey{}); ok {
		t.Errorf("under the zero key is %q", v)
	}
	objects.StoreDerived(shared, other, object.Hash, "stored")
	if v, ok := objects.LoadDerived(shared, s.Content(space), object.Hash); !ok || v != "stored" {
		t.Errorf("what was made of a stored object: %q, %t", v, ok)
	}
}
