package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/server/text/content"
)

// writer generates pages of unique words, so that every word can be traced.
type writer struct {
	t         *rapid.T
	prefix    string
	number    int
	sentences []string // of several words
}

func (w *writer) word() string {
	w.number++
	return fmt.Sprintf("%s%d", w.prefix, w.number)
}

func (w *writer) choose(n int, label string) int { return rapid.IntRange(0, n-1).Draw(w.t, label) }

func (w *writer) sentence() string {
	words := make([]string, 1+w.choose(4, "words"))
	for i := range words {
		words[i] = w.word()
	}
	sentence := strings.Join(words, []string{" ", " ", " ", "\n"}[w.choose(4, "wrap")]) + "."
	if len(words) > 1 {
		w.sentences = append(w.sentences, sentence)
	}
	return sentence
}

// block returns a block of one of several kinds.
func (w *writer) block() string {
	switch w.choose(7, "kind") {
	case 0:
		return "# " + w.word() + " " + w.word()
	case 1:
		return "- " + w.sentence() + "\n- " + w.sentence() + "\n- " + w.word()
	case 2:
		return "```\n" + w.word() + "\n\n" + w.word() + "\n```"
	case 3:
		return "| " + w.word() + " |\n|---|\n| " + w.word() + " |"
	case 4:
		return "{% hint %}\n" + w.sentence() + "\n\n" + w.sentence() + "\n{% endhint %}"
	default:
		sentences := make([]string, 1+w.choose(4, "sentences"))
		for i := range sentences {
			sentences[i] = w.sentence()
		}
		return strings.Join(sentences, " ")
	}
}

func (w *writer) page() []string {
	blocks := make([]string, w.choose(7, "blocks"))
	for i := range blocks {
		blocks[i] = w.block()
	}
	return blocks
}

// edit changes a page as people do: words, sentences, blocks; inserted, deleted, moved, split, joined.
func (w *writer) edit(blocks []string) []string {
	blocks = slices.Clone(blocks)
	for range w.choose(4, "edits") {
		if len(blocks) == 0 {
			blocks = append(blocks, w.block())
			continue
		}
		at := w.choose(len(blocks), "at")
		switch w.choose(9, "edit") {
		case 0:
			blocks = slices.Insert(blocks, at, w.block())
		case 1:
			blocks = slices.Delete(blocks, at, at+1)
		case 2:
			block := blocks[at]
			blocks = slices.Delete(blocks, at, at+1)
			blocks = slices.Insert(blocks, w.choose(len(blocks)+1, "to"), block)
		case 3:
			blocks[at] = strings.Replace(blocks[at], ". ", ".\n\n", 1)
		case 4:
			if at+1 < len(blocks) {
				blocks[at] += " " + blocks[at+1]
				blocks = slices.Delete(blocks, at+1, at+2)
			}
		case 5:
			blocks[at] += " " + w.sentence()
		default:
			blocks[at] = w.replaceWord(blocks[at])
		}
	}
	return blocks
}

var wordPattern = regexp.MustCompile(`[bot][0-9]+`)

// replaceWord replaces or deletes one word, or inserts one.
func (w *writer) replaceWord(block string) string {
	spans := wordPattern.FindAllStringIndex(block, -1)
	if len(spans) == 0 {
		return block + w.word()
	}
	span := spans[w.choose(len(spans), "word")]
	word := []string{w.word(), "", block[span[0]:span[1]] + " " + w.word()}[w.choose(3, "how")]
	return block[:span[0]] + word + block[span[1]:]
}

// drawVersions draws a page and two histories of it.
func drawVersions(t *rapid.T) (base, ours, theirs content.Text) {
	return drawHistories(t, (&writer{t: t, prefix: "b"}).page())
}

// drawHistories draws two histories of a page.
func drawHistories(t *rapid.T, pages []string) (base, ours, theirs content.Text) {
	end := []string{"", "\n", "\n\n"}
	join := func(blocks []string, previous content.Text) content.Text {
		markdown := strings.Join(blocks, "\n\n")
		if markdown != "" {
			markdown += end[rapid.IntRange(0, 2).Draw(t, "end")]
		}
		text, err := content.Parse("page", []byte(markdown), previous)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	history := func(prefix string) content.Text {
		w := &writer{t: t, prefix: prefix}
		text, blocks := base, pages
		for range rapid.IntRange(0, 3).Draw(t, "commits") {
			blocks = w.edit(blocks)
			text = join(blocks, text)
		}
		return text
	}
	base = join(pages, content.Text{})
	return base, history("o"), history("t")
}

func wordsOf(texts ...string) map[string]bool {
	words := map[string]bool{}
	for _, text := range texts {
		for _, word := range wordPattern.FindAllString(text, -1) {
			words[word] = true
		}
	}
	return words
}

func conflictWords(conflicts []Conflict) map[string]bool {
	var texts []string
	for _, c := range conflicts {
		for _, value := range []*string{c.Base, c.Ours, c.Theirs} {
			texts = append(texts, text(value))
		}
	}
	return wordsOf(texts...)
}

// TestTextLaws checks the laws of the package comment on random histories.
func TestTextLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := drawVersions(t)
		merged, conflicts := Text("page", base, ours, theirs)
		checkBlocks(t, merged)
		checkSides(t, base, ours)
		checkSymmetry(t, base, ours, theirs, merged, conflicts)
		checkWords(t, base, ours, theirs, merged, conflicts)
		resolveRandomly(t, base, ours, theirs, conflicts)
	})
}

// TestTextLawsOnRealPages checks the same laws on histories of real pages, whose words are numbered so that every
// word can be traced. Use -rapid.checks=10000 for that number of histories.
func TestTextLawsOnRealPages(t *testing.T) {
	t.Parallel()
	pages := realPages(t)
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs := drawHistories(t, pages[rapid.IntRange(0, len(pages)-1).Draw(t, "page")])
		merged, conflicts := Text("page", base, ours, theirs)
		checkBlocks(t, merged)
		checkSides(t, base, ours)
		checkSymmetry(t, base, ours, theirs, merged, conflicts)
		checkWords(t, base, ours, theirs, merged, conflicts)
		resolveRandomly(t, base, ours, theirs, conflicts)
	})
}

// realPages returns the pages of the sample organization, cut into blocks.
func realPages(t *testing.T) (pages [][]string) {
	t.Helper()
	word := regexp.MustCompile(`[A-Za-zÀ-ÿ]{2,}`)
	err := filepath.WalkDir("../../demo/content", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		number := 0
		numbered := word.ReplaceAllStringFunc(string(data), func(word string) string {
			number++
			return fmt.Sprintf("%sb%d", word, number)
		})
		pages = append(pages, strings.Split(strings.TrimSpace(numbered), "\n\n"))
		return nil
	})
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	return pages
}

func checkBlocks(t *rapid.T, text content.Text) {
	end, ids := 0, map[string]bool{}
	for _, block := range text.Blocks {
		if block.Start != end || block.ID == "" || ids[block.ID] {
			t.Fatalf("bad block %+v after %d", block, end)
		}
		end, ids[block.ID] = block.End, true
	}
	if end != len(text.Markdown) {
		t.Fatalf("blocks end at %d of %d", end, len(text.Markdown))
	}
}

func checkSides(t *rapid.T, base, side content.Text) {
	for name, versions := range map[string][3]content.Text{
		"(b,b,x)": {base, base, side}, "(b,x,b)": {base, side, base}, "(b,x,x)": {base, side, side},
	} {
		merged, conflicts := Text("page", versions[0], versions[1], versions[2])
		if len(conflicts) > 0 || !bytes.Equal(merged.Markdown, side.Markdown) {
			t.Fatalf("merge%s = %q, %v; want %q", name, merged.Markdown, summaries(conflicts), side.Markdown)
		}
	}
}

func checkSymmetry(t *rapid.T, base, ours, theirs, merged content.Text, conflicts []Conflict) {
	swapped, swappedConflicts := Text("page", base, theirs, ours)
	got, want := summaries(swappedConflicts), []string{}
	for _, c := range conflicts {
		c.Ours, c.Theirs = c.Theirs, c.Ours
		want = append(want, summary(c))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("conflicts, swapped: %v\nwant %v", got, want)
	}
	if len(conflicts) == 0 {
		if diff := cmp.Diff(merged, swapped); diff != "" {
			t.Fatalf("merge, swapped:\n%s", diff)
		}
	}
}

func checkWords(t *rapid.T, base, ours, theirs, merged content.Text, conflicts []Conflict) {
	checkNoWordIsLost(t, base, ours, theirs, merged, conflicts)
	if len(conflicts) > 0 {
		return
	}
	for word := range wordsOf(string(merged.Markdown)) {
		if n := strings.Count(string(merged.Markdown)+" ", word+" ") + strings.Count(string(merged.Markdown), word+"."); n > 1 {
			t.Fatalf("word %s is doubled in %q", word, merged.Markdown)
		}
	}
}

func checkNoWordIsLost(t *rapid.T, base, ours, theirs, merged content.Text, conflicts []Conflict) {
	result, named, before := wordsOf(string(merged.Markdown)), conflictWords(conflicts), wordsOf(string(base.Markdown))
	for _, side := range []content.Text{ours, theirs} {
		now := wordsOf(string(side.Markdown))
		for word := range now {
			if !before[word] && !result[word] && !named[word] {
				t.Fatalf("inserted word %s is lost: %q, %v", word, merged.Markdown, summaries(conflicts))
			}
		}
		for word := range before {
			if !now[word] && result[word] && !named[word] {
				t.Fatalf("deleted word %s is back: %q, %v", word, merged.Markdown, summaries(conflicts))
			}
		}
	}
}

func resolveRandomly(t *rapid.T, base, ours, theirs content.Text, conflicts []Conflict) {
	answers := Resolutions{}
	for _, c := range conflicts {
		answers[c.ID] = []*string{c.Base, c.Ours, c.Theirs, c.Proposed}[rapid.IntRange(0, 3).Draw(t, "answer")]
	}
	if _, left := ResolveText(context.Background(), "page", base, ours, theirs, answers); len(left) > 0 {
		t.Fatalf("answers leave %v", summaries(left))
	}
}

// linePool has lines of all kinds; few, so that they repeat.
var linePool = []string{
	"", "", "One. Two.", "One. Two. Three.", "two words", "- item", "- other", "  more", "# Head", "```", "code", "| a |", "|---|", "| b |",
	"> quote", "{% hint %}", "{% endhint %}", "    indented", "1. first", "x", "y", "z", "<div>", "</div>", "[a]: /b", "---",
}

// collapseBlankLines collapses runs of blank lines to one.
func collapseBlankLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line != "\n" || len(lines) > 0 && lines[len(lines)-1] != "\n" {
			lines = append(lines, line)
		}
	}
	return strings.TrimRight(strings.Join(lines, ""), "\n")
}

// TestInPlaceEditsAgreeWithGit checks that merges of lines edited in place equal those of git where both are clean, except for
// the number of adjacent blank lines, which are interchangeable.
func TestInPlaceEditsAgreeWithGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	clean := 0
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom(linePool)
		if rapid.Bool().Draw(t, "prose") {
			line = rapid.StringMatching(`[a-e]{1,2} [a-e]{1,2}\. [a-e]{1,2}|[a-e]{1,2}\.?|`)
		}
		lines := rapid.SliceOfN(line, 1, 14).Draw(t, "base")
		edit := func(name string) []string {
			edited := slices.Clone(lines)
			for range rapid.IntRange(1, 3).Draw(t, name) {
				edited[rapid.IntRange(0, len(lines)-1).Draw(t, "at")] = line.Draw(t, "line")
			}
			return edited
		}
		oursLines, theirsLines := edit("ours"), edit("theirs")
		versions := [3]string{}
		for v, list := range [][]string{lines, oursLines, theirsLines} {
			versions[v] = strings.Join(list, "\n") + "\n"
		}
		want, ok := gitMerge(t, git, dir, versions)
		base := mustParse(t, versions[inBase], content.Text{})
		ours, theirs := mustParse(t, versions[inOurs], base), mustParse(t, versions[inTheirs], base)
		merged, conflicts := Text("page", base, ours, theirs)
		if !ok || len(conflicts) > 0 {
			return
		}
		clean++
		if collapseBlankLines(string(merged.Markdown)) != collapseBlankLines(want) {
			t.Fatalf("base %q\nours %q\ntheirs %q\nmerged %q\ngit    %q", versions[0], versions[1], versions[2], merged.Markdown, want)
		}
	})
	if !t.Failed() && clean == 0 {
		t.Error("no merge was clean on both sides")
	}
}

func mustParse(t *rapid.T, markdown string, previous content.Text) content.Text {
	text, err := content.Parse("page", []byte(markdown), previous)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// gitMerge merges with git merge-file and reports whether the merge was clean.
func gitMerge(t *rapid.T, git, dir string, versions [3]string) (string, bool) {
	var paths [3]string
	for v, text := range versions {
		paths[v] = filepath.Join(dir, []string{"base", "ours", "theirs"}[v])
		if err := os.WriteFile(paths[v], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.CommandContext(t.Context(), git, "merge-file", "-p", paths[inOurs], paths[inBase], paths[inTheirs]).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() > 127) {
		t.Fatalf("git merge-file: %v", err)
	}
	return string(out), err == nil
}
