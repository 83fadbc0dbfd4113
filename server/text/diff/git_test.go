package diff

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
)

// edit is a page with an edited version.
type edit struct {
	name     string
	old, new string
}

// documentationPages returns the pages of this repository.
func documentationPages(tb testing.TB) map[string]string {
	tb.Helper()
	pages := map[string]string{}
	add := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" || strings.Contains(path, "SUMMARY") {
			return err
		}
		data, err := os.ReadFile(path)
		pages[path] = string(data)
		return err
	}
	for _, root := range []string{
		"../../demo/content/handbook", "../../demo/content/runbook", "../../demo/content/team", "../../demo/content/changes",
	} {
		if err := filepath.WalkDir(root, add); err != nil {
			tb.Fatal(err)
		}
	}
	return pages
}

// edits returns realistic edits of some pages, and for each page one drawn with a fixed seed.
func edits(tb testing.TB) []edit {
	tb.Helper()
	pages := documentationPages(tb)
	var list []edit
	for path, now := range pages {
		for other, old := range pages {
			if strings.Contains(path, "/changes/") && !strings.Contains(other, "/changes/") &&
				filepath.Base(other) == filepath.Base(path) && filepath.Base(path) != "README.md" {
				list = append(list, edit{path, old, now})
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		for _, kind := range slices.Sorted(maps.Keys(editKinds)) {
			change := editKinds[kind]
			blocks := strings.Split(strings.TrimRight(pages[path], "\n"), "\n\n")
			for range 3 {
				blocks = change(random, blocks)
			}
			list = append(list, edit{fmt.Sprintf("%s/%s", path, kind), pages[path], strings.Join(blocks, "\n\n") + "\n"})
		}
	}
	slices.SortFunc(list, func(a, b edit) int { return strings.Compare(a.name, b.name) })
	return list
}

var sentenceEnd = regexp.MustCompile(`[.!?]\s+`)

// editKinds maps names to realistic edits of the paragraphs of a page.
var editKinds = map[string]func(*rand.Rand, []string) []string{
	"word": func(r *rand.Rand, blocks []string) []string {
		return editProse(r, blocks, func(words []string) []string {
			words[r.IntN(len(words))] = "instead"
			return words
		})
	},
	"words": func(r *rand.Rand, blocks []string) []string {
		return editProse(r, blocks, func(words []string) []string {
			at := r.IntN(len(words))
			return slices.Replace(words, at, min(at+3, len(words)), "another", "way", "to", "say", "this")
		})
	},
	"sentence added": func(r *rand.Rand, blocks []string) []string {
		return editProse(r, blocks, func(words []string) []string {
			return append(words, strings.Fields("It was not always so, but the last update of the firmware changed the limit.")...)
		})
	},
	"sentence removed": func(r *rand.Rand, blocks []string) []string {
		at := r.IntN(len(blocks))
		if cut := sentenceEnd.FindStringIndex(blocks[at]); cut != nil && isProse(blocks[at]) {
			blocks[at] = blocks[at][cut[1]:]
		}
		return blocks
	},
	"rewritten": func(r *rand.Rand, blocks []string) []string {
		return editProse(r, blocks, func(words []string) []string {
			for i := range words {
				if r.IntN(2) == 0 {
					words[i] = fmt.Sprintf("word%d", r.IntN(100))
				}
			}
			return words
		})
	},
	"wrapped": func(r *rand.Rand, blocks []string) []string {
		return editProse(r, blocks, func(words []string) []string { words[len(words)/2] += "\n"; return words })
	},
	"added": func(r *rand.Rand, blocks []string) []string {
		return slices.Insert(blocks, r.IntN(len(blocks)), "There is something new to say here, and it takes a paragraph of its own.")
	},
	"removed": func(r *rand.Rand, blocks []string) []string {
		at := r.IntN(len(blocks))
		return slices.Delete(blocks, at, min(at+1, len(blocks)-1))
	},
	"moved": func(r *rand.Rand, blocks []string) []string {
		from, to := r.IntN(len(blocks)), r.IntN(len(blocks))
		block := blocks[from]
		return slices.Insert(slices.Delete(blocks, from, from+1), min(to, len(blocks)-1), block)
	},
	"split": func(r *rand.Rand, blocks []string) []string {
		at := r.IntN(len(blocks))
		if cut := sentenceEnd.FindStringIndex(blocks[at]); cut != nil && isProse(blocks[at]) {
			return slices.Replace(blocks, at, at+1, strings.TrimSpace(blocks[at][:cut[1]]), blocks[at][cut[1]:])
		}
		return blocks
	},
	"joined": func(r *rand.Rand, blocks []string) []string {
		at := r.IntN(len(blocks))
		if at+1 < len(blocks) && isProse(blocks[at]) && isProse(blocks[at+1]) {
			return slices.Replace(blocks, at, at+2, blocks[at]+" "+blocks[at+1])
		}
		return blocks
	},
}

func isProse(block string) bool {
	return !strings.ContainsAny(block[:1], "#|`-*{<>123456789 ") && len(strings.Fields(block)) > 8
}

func editProse(r *rand.Rand, blocks []string, change func([]string) []string) []string {
	for range 10 {
		if at := r.IntN(len(blocks)); isProse(blocks[at]) {
			blocks[at] = strings.Join(change(strings.Fields(blocks[at])), " ")
			break
		}
	}
	return blocks
}

// TestTextMarksNoMoreWordsThanGit checks that the diff marks hardly more words as changed than git's word diff, and far fewer
// if blocks moved.
func TestTextMarksNoMoreWordsThanGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	list := edits(t)
	git := gitWords(t, list)
	ours, theirs := map[bool]int{}, map[bool]int{}
	for i, e := range list {
		old := parse(t, e.old, content.Text{})
		count := CountWords(Text(context.Background(), old, parse(t, e.new, old)))
		moved := strings.HasSuffix(e.name, "/moved")
		ours[moved] += count.Added + count.Removed
		theirs[moved] += git[i]
	}
	t.Logf("%d edits: %d words in place, git %d; %d of moves, git %d", len(list), ours[false], theirs[false], ours[true], theirs[true])
	if ours[false]*10 > theirs[false]*11 || ours[true]*2 > theirs[true] {
		t.Errorf("%v words are changed; git says %v", ours, theirs)
	}
}

// gitWords returns the number of changed words of each edit according to git.
func gitWords(t *testing.T, list []edit) []int {
	t.Helper()
	dir := t.TempDir()
	for side, text := range map[string]func(
		edit,
	) string{"a": func(e edit) string { return e.old }, "b": func(e edit) string { return e.new }} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
		for i, e := range list {
			if err := os.WriteFile(filepath.Join(dir, side, fmt.Sprint(i)), []byte(text(e)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	command := exec.CommandContext(t.Context(), "git", "diff", "--no-index", "--no-color", "--word-diff=porcelain", "a", "b")
	command.Dir = dir
	out, _ := command.Output() // a non-zero status only reports differences
	counts := make([]int, len(list))
	at := -1
	for line := range strings.Lines(string(out)) {
		switch {
		case strings.HasPrefix(line, "diff --git"):
			if _, err := fmt.Sscanf(line, "diff --git a/a/%d", &at); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-"):
			counts[at] += len(strings.Fields(line[1:]))
		}
	}
	return counts
}

// TestGitAppliesUnified checks that git can apply the unified diff.
func TestGitAppliesUnified(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	list := append(edits(t),
		edit{"created", "", "one\ntwo"}, edit{"deleted", "one\r\ntwo\n", ""}, edit{"no line end", "a\nb", "a\nc"},
		edit{"a line end", "a", "a\n"})
	var patch strings.Builder
	for i, e := range list {
		before, after := fmt.Sprint(i), fmt.Sprint(i)
		if e.old == "" {
			before = ""
		} else if err := os.WriteFile(filepath.Join(dir, before), []byte(e.old), 0o644); err != nil {
			t.Fatal(err)
		}
		if e.new == "" {
			after = ""
		}
		patch.WriteString(Unified(context.Background(), before, after, []byte(e.old), []byte(e.new)))
	}
	renamed := renames(t, dir, &patch)
	command := exec.CommandContext(t.Context(), "git", "apply", "--unsafe-paths", "--whitespace=nowarn", "-")
	command.Dir, command.Stdin = dir, strings.NewReader(patch.String())
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v %s", err, out)
	}
	for i, e := range list {
		got, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i)))
		if e.new == "" && os.IsNotExist(err) {
			continue
		}
		if err != nil || string(got) != e.new {
			t.Errorf("%s: %q %v, not %q", e.name, got, err, e.new)
		}
	}
	for name, want := range renamed {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if exists := want != absent; exists != (err == nil) || exists && string(got) != want {
			t.Errorf("%s: %q %v, not %q", name, got, err, want)
		}
	}
}

// absent is the text of a file that does not exist.
const absent = "absent"

// renames writes files to dir and patches that rename, edit, create and delete them. It returns the texts afterwards by path.
func renames(t *testing.T, dir string, patch *strings.Builder) (want map[string]string) {
	t.Helper()
	want = map[string]string{}
	for _, f := range []struct{ before, after, old, new string }{
		{"replaced", "", "z\n", ""}, // before the file that takes its path
		{"swap", "swapped", "a\n", "a\n"},
		{"swapped", "swap", "b\r\nc\nd\ne\n", "b\nc\nd\ne\n"},
		{"replacing", "replaced", "y\n", "y\n"},
		{"über \"alle\".md", "a b\tc\\d.md", "x\nkept\n", "y\nkept\n"},
		{"with space", "with space", "x", "x\n"},
		{"", "empty file", "", ""},
		{"empty", "", "", ""},
		{"empty too", "filled", "", "x"},
	} {
		if f.before != "" {
			want[f.before] = cmp.Or(want[f.before], absent)
			if err := os.WriteFile(filepath.Join(dir, f.before), []byte(f.old), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if f.after != "" {
			want[f.after] = f.new
		}
		patch.WriteString(Unified(context.Background(), f.before, f.after, []byte(f.old), []byte(f.new)))
	}
	return want
}

// TestUnifiedHeaders checks the headers of a patch, and that equal files have none.
func TestUnifiedHeaders(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ before, after, old, new, want string }{
		{"a", "a", "x", "x", ""},
		{"a", "b", "x", "x", "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"},
		{
			"a.md", "b c.md", "x\nkept\n", "y\nkept\n", "diff --git a/a.md b/b c.md\nsimilarity index 71%\nrename from a.md\n" +
				"rename to b c.md\n--- a/a.md\n+++ b/b c.md\t\n@@ -1,2 +1,2 @@\n-x\n+y\n kept\n",
		},
		{
			"", "über\n\"x\"\x01.md", "", "y\r",
			"diff --git \"a/\\303\\274ber\\n\\\"x\\\"\\001.md\" \"b/\\303\\274ber\\n\\\"x\\\"\\001.md\"\n" +
				"new file mode 100644\n--- /dev/null\n+++ \"b/\\303\\274ber\\n\\\"x\\\"\\001.md\"\n@@ -0,0 +1 @@\n+y\r\n" +
				"\\ No newline at end of file\n",
		},
		{"a", "", "", "", "diff --git a/a b/a\ndeleted file mode 100644\n"},
	} {
		got := Unified(context.Background(), test.before, test.after, []byte(test.old), []byte(test.new))
		if got != test.want {
			t.Errorf("%q to %q: %q, not %q", test.before, test.after, got, test.want)
		}
	}
}

// page returns a text with the given number of words, of which percent differ between seeds.
func page(words, percent int, seed uint64) string {
	base, other := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(seed, seed))
	var b strings.Builder
	for i := range words {
		word := base.IntN(800)
		if other.IntN(100) < percent {
			word = other.IntN(800)
		}
		fmt.Fprintf(&b, "word%d", word)
		switch {
		case i%80 == 79:
			b.WriteString(".\n\n")
		case i%13 == 12:
			b.WriteString(". ")
		default:
			b.WriteString(" ")
		}
	}
	return b.String()
}

func BenchmarkText(b *testing.B) {
	for name, percent := range map[string]int{"edited": 3, "half changed": 50, "rewritten": 100} {
		old := parse(b, page(10_000, 0, 0), content.Text{})
		now := parse(b, page(10_000, percent, 1), old)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Text(context.Background(), old, now)
			}
		})
		one := content.Text{Markdown: []byte(strings.ReplaceAll(string(old.Markdown), "\n\n", " "))}
		one.Blocks = content.Table{{ID: "one", Kind: content.KindParagraph, End: len(one.Markdown)}}
		two := content.Text{Markdown: []byte(strings.ReplaceAll(string(now.Markdown), "\n\n", " "))}
		two.Blocks = content.Table{{ID: "one", Kind: content.KindParagraph, End: len(two.Markdown)}}
		b.Run(name+" in one block", func(b *testing.B) {
			for b.Loop() {
				Text(context.Background(), one, two)
			}
		})
		b.Run(name+" unified", func(b *testing.B) {
			for b.Loop() {
				Unified(context.Background(), "a", "b", old.Markdown, now.Markdown)
			}
		})
	}
}

// TestDiffIsNotQuadratic checks the running time for texts designed to be expensive: with quadratic work the test would time
// out.
func TestDiffIsNotQuadratic(t *testing.T) {
	t.Parallel()
	draw := func(seed uint64, alphabet int, unit string) string {
		random := rand.New(rand.NewPCG(seed, 2))
		var b strings.Builder
		for b.Len() < content.MaxTextBytes/8 {
			fmt.Fprintf(&b, unit, random.IntN(alphabet))
		}
		return b.String()
	}
	for name, make := range map[string]func(seed uint64) string{
		"one paragraph": func(seed uint64) string { return draw(seed, 3, "%d ") },
		"many words":    func(seed uint64) string { return draw(seed, 100_000, "%d ") },
		"paragraphs":    func(seed uint64) string { return draw(seed, 3, "%d %[1]d\n\n") },
		"lines":         func(seed uint64) string { return "```\n" + draw(seed, 3, "%d\n") + "```\n" },
		"punctuation":   func(seed uint64) string { return draw(seed, 5, "*|>") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, two := content.Text{Markdown: []byte(make(1))}, content.Text{Markdown: []byte(make(2))}
			for _, text := range []*content.Text{&one, &two} {
				text.Blocks = content.Table{{ID: "one", Kind: content.KindParagraph, End: len(text.Markdown)}}
			}
			if len(Text(context.Background(), one, two)) == 0 {
				t.Error("no block differs")
			}
			unified := "\n" + Unified(context.Background(), "a", "b", one.Markdown, two.Markdown)
			more := strings.Count(unified, "\n+") - strings.Count(unified, "\n-")
			if want := len(lines(two.Markdown)) - len(lines(one.Markdown)); more != want {
				t.Errorf("%d lines more, want %d", more, want)
			}
		})
	}
}
