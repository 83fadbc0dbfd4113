package folder

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
	"docspace.dev/wsd/store/storetest"
)

// onePage is a version of a page tree with one page. It implements merge.View.
type onePage struct{ text string }

// Page returns the page.
func (p onePage) Page(id string) (merge.Page, bool) {
	return merge.Page{Order: "a", Text: p.text}, id == mergedPage
}

// Slug returns no slug.
func (onePage) Slug(string) string { return "" }

// Children returns the page.
func (onePage) Children(parent string) []string {
	if parent == "" {
		return []string{mergedPage}
	}
	return nil
}

// serverMerge merges three versions of a page as the server does, and returns the text with the given value of each conflict, and
// the number of conflicts.
func serverMerge(t *testing.T, texts map[string]content.Text, value func(merge.Conflict) *string) (merged []byte, conflicts int) {
	t.Helper()
	in := merge.Input{
		Base: onePage{"base"}, Ours: onePage{"ours"}, Theirs: onePage{"theirs"}, Resolutions: merge.Resolutions{},
		Load: func(_, hash string) (content.Text, error) { return texts[hash], nil },
	}
	for {
		r, err := merge.Pages(context.Background(), []string{mergedPage}, in)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Conflicts) == 0 {
			p, changed := r.Set[mergedPage]
			switch text, isNew := r.NewTexts[mergedPage]; {
			case isNew:
				return text.Markdown, conflicts
			case changed:
				return texts[p.Text].Markdown, conflicts
			}
			return texts["ours"].Markdown, conflicts
		}
		for _, c := range r.Conflicts {
			in.Resolutions[c.ID] = value(c)
			conflicts++
		}
	}
}

// author writes pages and edits them. Its words are few, so that both sides make some changes alike.
type author struct{ *rand.Rand }

func (a author) word() string {
	return []string{"the", "red", "kettle", "is", "on", "every", "page", "of", "docs", "at", "ten"}[a.IntN(11)] +
		[]string{"", "", "s"}[a.IntN(3)]
}

func (a author) sentence() string {
	words := make([]string, 2+a.IntN(5))
	for i := range words {
		words[i] = a.word()
	}
	return strings.Join(words, " ") + "."
}

func (a author) block() string {
	switch a.IntN(8) {
	case 0:
		return "## " + a.sentence()
	case 1:
		return "- " + a.sentence() + "\n- " + a.sentence() + "\n  - " + a.sentence()
	case 2:
		return "```\n" + a.sentence() + "\n\n" + a.sentence() + "\n```"
	case 3:
		return "| a | b |\n|---|---|\n| " + a.word() + " | " + a.word() + " |\n| " + a.word() + " | " + a.word() + " |"
	}
	return strings.Join([]string{a.sentence(), a.sentence(), a.sentence()}[:1+a.IntN(3)], []string{" ", "\n"}[a.IntN(2)])
}

func (a author) edit(blocks []string) []string {
	blocks = slices.Clone(blocks)
	for range 1 + a.IntN(4) {
		i := a.IntN(len(blocks))
		switch a.IntN(8) {
		case 0:
			blocks = slices.Insert(blocks, i, a.block())
		case 1:
			if len(blocks) > 1 {
				blocks = slices.Delete(blocks, i, i+1)
			}
		case 2:
			j := a.IntN(len(blocks))
			blocks[i], blocks[j] = blocks[j], blocks[i]
		case 3:
			blocks[i] += " " + a.sentence()
		case 4:
			blocks[i] = strings.Replace(blocks[i], ". ", ".\n\n", 1)
		default:
			words := strings.SplitAfter(blocks[i], " ")
			words[a.IntN(len(words))] = a.word() + " "
			blocks[i] = strings.TrimSpace(strings.Join(words, ""))
		}
	}
	return blocks
}

// TestMergesOfFolderAndServerAgreeCampaign merges two random changes of a text in the folder and on the server: both give the same
// bytes, or a conflict at the same places with the same sides.
func TestMergesOfFolderAndServerAgreeCampaign(t *testing.T) {
	t.Parallel()
	pairs, seed := storetest.Campaign(t, "merges", 300, 2000)
	counts := map[string]int{}
	for i := range pairs {
		a := author{rand.New(rand.NewPCG(seed, uint64(i)))}
		blocks := make([]string, 2+a.IntN(8))
		for n := range blocks {
			blocks[n] = a.block()
		}
		newline := []string{"\n", "\n", "\n", "\r\n"}[a.IntN(4)]
		texts := map[string]content.Text{}
		parse := func(name string, blocks []string, previous content.Text) {
			var err error
			markdown := strings.ReplaceAll(strings.Join(blocks, "\n\n")+"\n", "\n", newline)
			if texts[name], err = content.Parse(mergedPage, []byte(markdown), previous); err != nil {
				t.Fatal(err)
			}
		}
		parse("base", blocks, content.Text{})
		parse("ours", a.edit(blocks), texts["base"])
		parse("theirs", a.edit(blocks), texts["base"])
		counts[checkMerge(t, fmt.Sprintf("pair %d of seed %d", i, seed), texts)]++
		if t.Failed() {
			return
		}
	}
	t.Logf("%v", counts)
	if counts["conflict"]*5 < pairs || counts["merged"]*5 < pairs {
		t.Errorf("too few merges or conflicts: %v", counts)
	}
}

// checkMerge compares a merge of the folder with that of the server, and returns how it ended.
func checkMerge(t *testing.T, name string, texts map[string]content.Text) string {
	t.Helper()
	base, ours, theirs := texts["base"].Markdown, texts["ours"].Markdown, texts["theirs"].Markdown
	got, conflicts := mergeText(t.Context(), base, ours, theirs, Labels{oursLabel, baseLabelStart + "1", "space"})
	want, serverConflicts := serverMerge(t, texts, func(c merge.Conflict) *string { return c.Ours })
	wantTheirs, _ := serverMerge(t, texts, func(c merge.Conflict) *string { return c.Theirs })
	problem := ""
	switch {
	case (conflicts == 0) != (serverConflicts == 0):
		problem = fmt.Sprintf("%d conflicts in the folder, %d on the server", conflicts, serverConflicts)
	case conflicts == 0 && !bytes.Equal(got, want):
		problem = fmt.Sprintf("merged in the folder:\n%s\non the server:\n%s", got, want)
	case conflicts > 0 && !bytes.Equal(takeSide(got, TakeFolder), want):
		problem = fmt.Sprintf("with the folder's side of conflicts:\n%s\non the server:\n%s", takeSide(got, TakeFolder), want)
	case conflicts > 0 && !bytes.Equal(takeSide(got, TakeSpace), wantTheirs):
		problem = fmt.Sprintf("with the space's side of conflicts:\n%s\non the server:\n%s", takeSide(got, TakeSpace), wantTheirs)
	}
	if problem != "" {
		t.Errorf("%s: %s\nbase:\n%s\nours:\n%s\ntheirs:\n%s\nfolder:\n%s", name, problem, base, ours, theirs, got)
	}
	if conflicts > 0 {
		return "conflict"
	}
	return "merged"
}

// TestPullReportsMarkedConflicts checks that a file with marks is a conflict of each pull until it is edited, and that a pull which takes
// a side removes the marks.
func TestPullReportsMarkedConflicts(t *testing.T) {
	t.Parallel()
	text := func(minutes, kind string) string {
		return "# On call\n\nAcknowledge within " + minutes + " minutes.\n\nBe " + kind + ".\n"
	}
	dir := t.TempDir()
	pullInto(t, dir, exportOf(t, "r_1", map[string]string{"a.md": text("15", "kind")}, nil))
	write(t, dir, map[string]string{"a.md": text("12", "kind")})
	second := exportOf(t, "r_2", map[string]string{"a.md": text("10", "kind")}, nil)
	third := exportOf(t, "r_3", map[string]string{"a.md": text("10", "very kind")}, nil)
	for i, x := range []*Export{second, second, third} {
		got := pullInto(t, dir, x)
		if len(got) != 1 || got[0].Outcome != Conflicted || got[0].Line != 3 {
			t.Errorf("pull %d: %+v", i, got)
		}
	}
	for side, want := range map[Side]string{TakeFolder: text("12", "very kind"), TakeSpace: text("10", "very kind")} {
		decided := copyOf(t, dir)
		f := openFolder(t, decided)
		s, err := f.Scan(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.PlanPull(t.Context(), third, s, Labels{oursLabel, baseLabelStart + "1", spaceLabel}, side)
		if err == nil {
			_, err = f.Apply(p)
		}
		if err != nil || len(p.Conflicts()) > 0 {
			t.Errorf("%s: %v %v", side, p.Results, err)
		}
		if got := filesOf(t, decided)["a.md"]; got != want {
			t.Errorf("%s: %q, want %q", side, got, want)
		}
	}
}

func TestFirstConflictLine(t *testing.T) {
	t.Parallel()
	base := "# A\n\nOne.\n\nTwo.\n\nThree.\n"
	for _, c := range []struct {
		ours, theirs string
		want         int
	}{
		{"# A\n\nOne.\n\nTwo here.\n\nThree.\n", "# A\n\nNew.\n\nOne.\n\nTwo there.\n\nThree.\n", 5},
		{"# A here\n\nOne.\n\nTwo.\n\nThree.\n", "# A there\n\nOne.\n\nTwo.\n\nThree.\n", 1},
		{"# A\n\nOne.\n\nTwo.\n\nThree here.\n", "# A\n\nOne.\n\nTwo.\n\nThree there.\n", 7},
	} {
		labels := Labels{oursLabel, baseLabelStart + "1", spaceLabel}
		marked, conflicts := mergeText(t.Context(), []byte(base), []byte(c.ours), []byte(c.theirs), labels)
		if conflicts != 1 {
			t.Fatalf("%d conflicts: %s", conflicts, marked)
		}
		if got := firstConflictLine(marked, []byte(c.ours)); got != c.want {
			t.Errorf("%q: line %d, want %d", c.ours, got, c.want)
		}
	}
}
