package folder

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// chapter returns a chapter of n bytes or a little more.
func chapter(title string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", title)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "Sentence %d of %s says something, in a long paragraph so that there are few; %s.\n\n",
			i, title, strings.Repeat("some more words ", 40))
	}
	return b.String()
}

// partsOf returns the ids of the pages of the document at a path, by title.
func (w serverWorld) partsOf(space, at string) map[string]string {
	found := map[string]string{}
	var walk func(pages []api.RevisionPage)
	walk = func(pages []api.RevisionPage) {
		for _, p := range pages {
			if p.Git != nil && p.Git.Path == at {
				found[p.Title] = p.ID
			}
			walk(p.Pages)
		}
	}
	walk(servertest.Do(w.World, "admin", api.ListContentPages, api.GetContentInput{Space: space}).Pages)
	return found
}

// TestLargeDocumentIsOneFileAndSeveralPages pushes a file that is too large for a page, edits, renames, shortens and extends it, and
// pulls it elsewhere after each step: the bytes are the same, and parts that stay keep their pages.
func TestLargeDocumentIsOneFileAndSeveralPages(t *testing.T) {
	t.Parallel()
	w := newServerWorld(t)
	space, here, there := w.newSpace(t), t.TempDir(), t.TempDir()
	one, two, three := chapter("One", 700<<10), chapter("Two", 700<<10), chapter("Three", 700<<10)
	text := "# Manual\n\n" + one + two + three
	write(t, here, map[string]string{"manual.md": text, "other.md": "See [two](manual.md#two).\n"})
	w.mustRun(t, "push", here, "--space", space, "--merge", "--yes")
	w.mustRun(t, "pull", space, there)
	at, before := "manual.md", w.partsOf(space, "manual.md")
	if len(before) < 2 || before["Manual"] == "" || before["Three"] == "" {
		t.Fatalf("the parts are %v", before)
	}
	known := before
	for _, step := range []struct {
		name, text, at string
		kept           []string // titles of the pages that stay
		count          int
	}{
		{
			"edit of a part", strings.Replace(text, "Sentence 1 of Two says", "Sentence 1 of Two now says", 1), at,
			[]string{"Manual", "Three"},
			len(before),
		},
		{"other heading", strings.Replace(text, "## Three\n", "## The third\n", 1), at, []string{"Manual", "Two"}, len(before)},
		{
			"other path", strings.Replace(text, "## Three\n", "## The third\n", 1), "guide.md",
			[]string{"Manual", "Two", "The third"},
			len(before),
		},
		{"part deleted", "# Manual\n\n" + one + two, "guide.md", []string{"Manual"}, len(before) - 1},
		{"part added", text, "guide.md", []string{"Manual", "Two"}, len(before)},
		{
			"chapter added", text + chapter("Four", 900<<10), "guide.md", []string{"Manual", "Three"}, len(before) + 1,
		},
	} {
		if step.at != at {
			if err := os.Remove(filepath.Join(here, at)); err != nil {
				t.Fatal(err)
			}
			at = step.at
		}
		write(t, here, map[string]string{at: step.text})
		w.Clock.Advance(time.Second)
		pushed := w.mustRun(t, "push", here, "--merge", "--yes")
		pulled := w.mustRun(t, "pull", there)
		got, _ := os.ReadFile(filepath.Join(there, at))
		if string(got) != step.text {
			t.Fatalf("%s: the other folder has %d bytes, not the %d that were pushed\n%s%s%v", step.name, len(got), len(step.text), pushed,
				pulled, w.partsOf(space, at))
		}
		now := w.partsOf(space, at)
		for _, title := range step.kept {
			if now[title] != known[title] {
				t.Errorf("%s: the page of %s is %s, was %s", step.name, title, now[title], known[title])
			}
		}
		known = now
		if len(now) != step.count {
			t.Errorf("%s: %d pages, want %d: %v", step.name, len(now), step.count, now)
		}
		files := slices.Sorted(maps.Keys(filesOf(t, there)))
		pages := slices.DeleteFunc(files, func(name string) bool { return !isText(name) || isSummaryName(name) })
		if len(pages) != 2 {
			t.Errorf("%s: the pages of the other folder are %v", step.name, pages)
		}
		if out := w.mustRun(t, "push", here, "--dry-run"); strings.TrimSpace(out) != "" {
			t.Errorf("%s: a push afterwards sends %s", step.name, out)
		}
	}
}
