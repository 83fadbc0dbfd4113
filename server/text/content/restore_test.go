package content

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRestoreKeepsIDsAndAliases checks that a restored block gets its id and its unused aliases back, and that an
// edited block keeps its aliases.
func TestRestoreKeepsIDsAndAliases(t *testing.T) {
	t.Parallel()
	past := parse(t, "# A\n\none\n\ntwo\n\nthree\n", Text{}).WithAliases([]Alias{
		{Name: "a", Line: 0}, {Name: "one", Line: 2}, {Name: "taken", Line: 2}, {Name: "two", Line: 4},
	})
	present := parse(t, "# A\n\ntwo and more\n\nthree\n", past).WithAliases([]Alias{
		{Name: "a", Line: 0}, {Name: "new", Line: 2}, {Name: "taken", Line: 4},
	})
	restored := Restore(present, past, []string{past.Blocks[1].ID, past.Blocks[2].ID})
	again := parse(t, string(restored.Markdown), restored)
	if diff := cmp.Diff(string(past.Markdown), string(again.Markdown)); diff != "" {
		t.Error(diff)
	}
	var got []string
	for i, b := range again.Blocks {
		if b.ID != past.Blocks[i].ID {
			t.Errorf("block %d is %s, it was %s", i, b.ID, past.Blocks[i].ID)
		}
		got = append(got, strings.Join(b.Aliases, " "))
	}
	if diff := cmp.Diff([]string{"a", "one", "new", "taken"}, got); diff != "" {
		t.Error(diff)
	}
}
