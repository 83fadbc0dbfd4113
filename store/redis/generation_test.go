package redis

import (
	"errors"
	"strings"
	"testing"
)

// TestDifferentGenerationsOfMasterAreNotMerged checks that different generations of one master cannot be merged, and
// that equal ones and those of different masters can.
func TestDifferentGenerationsOfMasterAreNotMerged(t *testing.T) {
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

// TestWritesOfSeveralMastersAreMixed checks that a series of writes is mixed if any two of them had different masters, however
// many writes follow.
func TestWritesOfSeveralMastersAreMixed(t *testing.T) {
	t.Parallel()
	for series, mixed := range map[string]bool{
		"": false, "a": false, "a,a,a": false, ",a,,a,": false,
		"a,b": true, "a,b,b": true, "a,a,b,b,b": true, "a,,b,,b": true, "a,b,a": true,
	} {
		var written WriteGeneration
		last := ""
		for generation := range strings.SplitSeq(series, ",") {
			written.Add(generation)
			if generation != "" {
				last = generation
			}
		}
		if written.Mixed != mixed || written.Generation != last {
			t.Errorf("%q: %+v, want mixed to be %t", series, written, mixed)
		}
	}
}
