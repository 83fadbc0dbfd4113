package redis

import (
	"errors"
	"testing"
)

// TestGenerationsOfOneMasterMerge checks that different generations of one master cannot be merged, and that equal ones
// and those of different masters can.
func TestGenerationsOfOneMasterMerge(t *testing.T) {
	t.Parallel()
	of := func(tag, generation string) Generations { return Generations{map[string]string{tag: generation}} }
	if _, err := of("a", "1").Merge(of("a", "2")); !errors.Is(err, ErrStale) {
		t.Errorf("two generations of one master: %v", err)
	}
	for _, pair := range [][2]Generations{
		{of("a", "1"), of("a", "1")}, {of("a", "1"), of("b", "2")}, {of("a", "1"), {}}, {{}, of("a", "1")},
	} {
		both, err := pair[0].Merge(pair[1])
		if err != nil || both.generations["a"] != "1" {
			t.Errorf("%v and %v: %v, %v", pair[0], pair[1], both, err)
		}
	}
}
