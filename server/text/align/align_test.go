package align

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// allRules returns all combinations of rules.
func allRules() []Rules {
	var list []Rules
	for _, anchors := range []Anchors{NoAnchors, AnchorsFirst, AnchorsLate} {
		for _, search := range []Search{Greedy, Halving, Earliest} {
			list = append(list, Rules{Anchors: anchors, Search: search, Pairs: 1 << 16})
		}
	}
	return list
}

func partners(rules Rules, a, b string) []int {
	al := New[byte](context.Background(), rules)
	return al.Align([]byte(a), []byte(b))
}

// countPairs returns the number of pairs, after checking the properties that every alignment must have.
func countPairs(t *rapid.T, rules Rules, a, b string) int {
	partner := partners(rules, a, b)
	if len(partner) != len(b) {
		t.Fatalf("%+v: %d partners for %q", rules, len(partner), b)
	}
	count, last := 0, -1
	for j, i := range partner {
		if i == None {
			continue
		}
		if i <= last || a[i] != b[j] {
			t.Fatalf("%+v: %q %q: %v", rules, a, b, partner)
		}
		count, last = count+1, i
	}
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if partner[i] != i {
			t.Fatalf("%+v: %q %q do not begin together: %v", rules, a, b, partner)
		}
	}
	return count
}

func TestAlignmentInvariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringOfN(rapid.RuneFrom([]rune("abcd")), 0, 12, -1).Draw(t, "a"), rapid.StringOfN(rapid.RuneFrom([]rune("abcd")), 0,
			12, -1).Draw(t, "b")
		for _, rules := range allRules() {
			count := countPairs(t, rules, a, b)
			if want := lcsLength(a, b); count > want || count < want && rules.Anchors != AnchorsFirst {
				t.Fatalf("%+v: %q and %q have %d in common, want %d", rules, a, b, count, want)
			}
			if count := countPairs(t, rules, a, a); count != len(a) {
				t.Fatalf("%+v: %q has %d in common with itself", rules, a, count)
			}
		}
	})
}

// lcsLength returns the length of the longest common subsequence.
func lcsLength(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if row[j+1] = max(above, row[j]); a[i] == b[j] {
				row[j+1] = diagonal + 1
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// TestRulesResolveTies checks how each set of rules aligns ambiguous sequences, on which its callers depend.
func TestRulesResolveTies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b  string
		rules Rules
		want  string // the elements of b with partners
	}{
		{"xab", "abyx", Rules{Search: Earliest, Pairs: 100}, "ab.."},
		{"abab", "cabd", Rules{Search: Earliest, Pairs: 100}, ".ab."},
		{"xmmmy", "zmymmx", Rules{Search: Greedy}, ".m.mm."},
		{"xmmmy", "zmymmx", Rules{Anchors: AnchorsLate, Search: Greedy}, ".m.mm."},
		{"xmmmy", "zmymmz", Rules{Anchors: AnchorsFirst, Search: Greedy}, ".my..."},
		{"xmmmy", "zmymmz", Rules{Search: Halving, Pairs: 29}, "......"},
		{"xmmmy", "zmymmz", Rules{Search: Halving, Pairs: 30}, ".m.mm."},
	} {
		got := strings.Repeat(".", len(test.b))
		for j, i := range partners(test.rules, test.a, test.b) {
			if i != None {
				got = got[:j] + test.b[j:j+1] + got[j+1:]
			}
		}
		if got != test.want {
			t.Errorf("%+v: %q in %q is %q, want %q", test.rules, test.a, test.b, got, test.want)
		}
	}
	if got := partners(Rules{Search: Earliest, Pairs: 100}, "cabdabe", "abf"); !slices.Equal(got, []int{1, 2, None}) {
		t.Errorf("the earliest place is %v", got)
	}
}

// TestLongSequencesAreCutAtAnchors checks that the cost of long sequences is limited: beyond the limit they are cut at anchors.
func TestLongSequencesAreCutAtAnchors(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var a, b []int
	for n := range 100 {
		a, b = append(a, -n-1), append(b, -n-1) // a unique element before each run of frequent ones
		for range 600 {
			a, b = append(a, random.IntN(3)), append(b, random.IntN(3))
		}
	}
	al := New[int](context.Background(), Rules{Anchors: AnchorsLate, Search: Greedy})
	kept := 0
	for j, i := range al.Align(a, b) {
		if b[j] < 0 && i == j {
			kept++
		}
	}
	if kept < 90 || al.steps < maxSteps || al.steps > maxSteps+maxEdits*100 {
		t.Errorf("%d of 100 anchors after %d steps", kept, al.steps)
	}
}

// TestAlignStopsOnCancel checks that the remaining elements have no partners after the context is cancelled.
func TestAlignStopsOnCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	al := New[byte](ctx, Rules{Search: Greedy})
	if got := al.Align([]byte("axbxc"), []byte("aybyc")); !slices.Equal(got, []int{0, None, None, None, 4}) {
		t.Errorf("partners %v", got)
	}
}

func TestHunks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.StringMatching(`[abc]{0,9}`).Draw(t, "a"), rapid.StringMatching(`[abc]{0,9}`).Draw(t, "b")
		partner := partners(Rules{Search: Greedy}, a, b)
		var patched strings.Builder
		at := 0
		for _, h := range Hunks(partner, len(a)) {
			if h.Removed()+h.Added() == 0 || h.A < at {
				t.Fatalf("hunk %+v of %v", h, partner)
			}
			if shifted := h.Shift(2, 3); shifted.A != h.A+2 || shifted.BEnd != h.BEnd+3 || shifted.Added() != h.Added() ||
				shifted.Removed() != h.Removed() {
				t.Fatalf("%+v shifted is %+v", h, shifted)
			}
			patched.WriteString(a[at:h.A] + b[h.B:h.BEnd])
			at = h.AEnd
		}
		if patched.WriteString(a[at:]); patched.String() != b {
			t.Fatalf("%q became %q, want %q", a, patched.String(), b)
		}
		for i, j := range Invert(partner, len(a)) {
			if j != None && partner[j] != i {
				t.Fatalf("%v inverted has %d at %d", partner, j, i)
			}
		}
	})
}

func FuzzAlign(f *testing.F) {
	f.Add("abcabba", "cbabac")
	f.Add("", "a")
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, rules := range allRules() {
			last := -1
			for j, i := range partners(rules, a, b) {
				if i != None && (i <= last || a[i] != b[j]) {
					t.Fatalf("%+v: %q %q", rules, a, b)
				}
				last = max(last, i)
			}
		}
	})
}

// BenchmarkAlign aligns typical input of merges, diffs and comments: mostly equal, partly rewritten.
func BenchmarkAlign(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	old := make([]string, 2000)
	for i := range old {
		old[i] = fmt.Sprint("word", random.IntN(500))
	}
	now := slices.Clone(old)
	for range 100 {
		now[random.IntN(len(now))] = fmt.Sprint("new", random.IntN(50))
	}
	for name, rules := range map[string]Rules{
		"merge": {Anchors: AnchorsFirst, Search: Halving, Pairs: 1 << 16},
		"diff":  {Anchors: AnchorsLate, Search: Greedy},
		"quote": {Search: Earliest, Pairs: 1 << 22},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				al := New[string](context.Background(), rules)
				al.Align(old, now)
			}
		})
	}
}
