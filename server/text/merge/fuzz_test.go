package merge

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
)

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"", "a", "\n\na\n\nb", "One. Two.\n\n- a\n- b\n", "```\na\nb\n```", "{% hint %}\na\n{% endhint %}\nb", "a\r\n\r\nb\r\n",
		"---\na: b\n---\n# H\n",
		"| a |\n|---|\n| b |\n", "a\n\na\n\na", "。。。 ...\n", "> a\n\n\n\n",
	} {
		f.Add(seed, seed+"\n\nmore", "x\n\n"+seed)
		f.Add(seed, "", strings.ReplaceAll(seed, "a", "b"))
	}
	f.Fuzz(func(t *testing.T, a, b, c string) {
		base, err := content.Parse("page", []byte(a), content.Text{})
		if err != nil {
			return
		}
		ours, err := content.Parse("page", []byte(b), base)
		if err != nil {
			return
		}
		theirs, err := content.Parse("page", []byte(c), base)
		if err != nil {
			return
		}
		merged, conflicts := Text("page", base, ours, theirs)
		swapped, swappedConflicts := Text("page", base, theirs, ours)
		if len(conflicts) != len(swappedConflicts) {
			t.Fatalf("conflicts %v, swapped %v", summaries(conflicts), summaries(swappedConflicts))
		}
		if len(conflicts) == 0 && string(merged.Markdown) != string(swapped.Markdown) {
			t.Fatalf("merged %q, swapped %q", merged.Markdown, swapped.Markdown)
		}
		if again, _ := Text("page", base, ours, base); string(again.Markdown) != b {
			t.Fatalf("an unchanged side changes %q to %q", b, again.Markdown)
		}
		if err := content.Check(merged.Markdown); err != nil {
			t.Fatal(err)
		}
	})
}

// TestMergeIsNotQuadratic checks the running time of merges of texts designed to be expensive: with quadratic work the test
// would time out.
func TestMergeIsNotQuadratic(t *testing.T) {
	t.Parallel()
	draw := func(random *rand.Rand, alphabet int, unit string) string {
		var out strings.Builder
		for out.Len() < content.MaxTextBytes/16 {
			fmt.Fprintf(&out, unit, random.IntN(alphabet))
		}
		return out.String()
	}
	tests := map[string]func(*rand.Rand) string{
		"lines":      func(r *rand.Rand) string { return "```\n" + draw(r, 3, "%d\n") + "```\n" },
		"many lines": func(r *rand.Rand) string { return "```\n" + draw(r, 50_000, "%d\n") + "```\n" },
		"sentences":  func(r *rand.Rand) string { return draw(r, 3, "%d. ") },
		"one line":   func(r *rand.Rand) string { return draw(r, 10, "%d ") },
		"anchors":    func(r *rand.Rand) string { return "```\n" + anchoredText(r) + "```\n" },
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			base := parse(t, text(random), content.Text{})
			ours, theirs := parse(t, text(random), base), parse(t, text(random), base)
			merged, conflicts := Text("page", base, ours, theirs)
			if len(conflicts) == 0 {
				t.Error("two texts that have nothing in common are merged without a conflict")
			}
			if err := content.Check(merged.Markdown); err != nil {
				t.Error(err)
			}
		})
	}
}

// anchoredText returns runs of repeating lines between unique ones, the worst case of the exact diff.
func anchoredText(random *rand.Rand) string {
	var out strings.Builder
	for i := 0; out.Len() < content.MaxTextBytes/16; i++ {
		fmt.Fprintf(&out, "anchor%d\n", i)
		for range 500 {
			fmt.Fprintf(&out, "%d\n", random.IntN(5))
		}
	}
	return out.String()
}
