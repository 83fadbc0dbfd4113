package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

func TestWordsThatChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", "one two", "one two", "one two"},
		{"a word", "the light is blue.", "the light is green.", "the light is [-blue-]{+green+}."},
		{"more", "one three", "one two three", "one {+two+} three"},
		{"less", "one two three", "one three", "one [-two-] three"},
		{"wrapped anew", "one two\nthree four", "one\ntwo three four", "one two three four"},
		{"an island", "a b c", "x b y", "[-a b c-]{+x b y+}"},
		{"a sentence", "below 2.7 V. From then on, go", "below 2.7 V and below 2.5 V. From the first on, go", "below 2.7 V[-.-] {+and below 2.5 V.+} From [-then-]{+the first+} on, go"},
		{"all", "one", "two", "[-one-]{+two+}"},
		{"to nothing", "one", "", "[-one-]"},
		{"from nothing", "", "one", "{+one+}"},
		{"no spaces", "电池电量很重要", "电池容量很重要", "电池[-电-]{+容+}量很重要"},
		{"white space", "one\n\ntwo", "one two", "one[-  -]{+ +}two"},
		{"marks", "don’t go", "don’t stop", "don’t [-go-]{+stop+}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := inlineDiff(diffWords(c.old, c.new)).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Both texts can be read off a diff: the new one byte for byte, the old one but for white space.
func TestADiffLosesNothing(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "long", "longer", ".", " ", "\n", "\n\n", "电", "é", "x1"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		old, new := strings.Join(words.Draw(t, "old"), ""), strings.Join(words.Draw(t, "new"), "")
		for name, pieces := range map[string][]piece{"words": diffWords(old, new), "tokens": edits(tokens(old), tokens(new), wordKey)} {
			var left, right strings.Builder
			for _, p := range pieces {
				if p.op != added {
					left.WriteString(p.text)
				}
				if p.op != removed {
					right.WriteString(p.text)
				}
			}
			if right.String() != new {
				t.Errorf("%s: new is %q, not %q", name, right.String(), new)
			}
			if got, want := strings.Fields(left.String()), strings.Fields(old); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s: old is %q, not %q", name, got, want)
			}
		}
	})
}

func blocks(texts ...string) []passage {
	var out []passage
	for _, t := range texts {
		id, body, _ := strings.Cut(t, ":")
		out = append(out, passage{id: id, kind: "paragraph", text: body})
	}
	return out
}

func TestBlocksThatChanged(t *testing.T) {
	t.Parallel()
	old := blocks("1:one", "2:two words here", "3:three", "4:four", "5:some text that is nearly the same")
	now := blocks("1:one", "4:four", "2:two words there", "6:six", "7:some text that is almost the same")
	var got []string
	names := map[operation]string{same: "same", removed: "removed", added: "added", edited: "edited", moved: "moved"}
	for _, b := range diffBlocks(old, now) {
		got = append(got, names[b.op]+" "+b.old.id+" "+b.new.id)
	}
	want := []string{"same 1 1", "removed 3 ", "same 4 4", "moved 2 2", "added  6", "edited 5 7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every block of the new text is shown once and in order; every old one is shown, or is one of those.
func TestNoBlockIsLost(t *testing.T) {
	t.Parallel()
	ids := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"1", "2", "3", "4", "5", "6", "7", "8"}), 0, 8, rapid.ID)
	rapid.Check(t, func(t *rapid.T) {
		of := func(list []string) []passage {
			var out []passage
			for _, id := range list {
				out = append(out, passage{id: id, kind: "paragraph", text: rapid.SampledFrom([]string{"a b c", "a b d", "x"}).Draw(t, "text")})
			}
			return out
		}
		oldIDs, newIDs := ids.Draw(t, "old"), ids.Draw(t, "new")
		var shown []string
		gone := map[string]bool{}
		for _, b := range diffBlocks(of(oldIDs), of(newIDs)) {
			if b.op != removed {
				shown = append(shown, b.new.id)
			}
			gone[b.old.id] = true
		}
		if diff := cmp.Diff(append([]string{}, newIDs...), append([]string{}, shown...)); diff != "" {
			t.Error(diff)
		}
		for _, id := range oldIDs {
			if !gone[id] {
				t.Errorf("%s of %v is lost in %v", id, oldIDs, newIDs)
			}
		}
	})
}

func TestPagesThatChanged(t *testing.T) {
	t.Parallel()
	renamed, moved, hidden := document("p_1", "New name", "d"), document("p_2", "Two", "d"), document("p_3", "Three", "d")
	hidden.Hidden = true
	before := []api.RevisionPage{document("p_1", "One", "d"), document("p_2", "Two", "d"), document("p_3", "Three", "d"), document("p_4", "Four", "d"), document("p_5", "Five", "d")}
	after := []api.RevisionPage{renamed, document("p_4", "Four", "d", moved), hidden, document("p_6", "Six", "d")}
	var got []string
	for _, c := range changedPages(before, after) {
		got = append(got, c.sign()+" "+c.id+" "+c.what())
	}
	want := []string{"~ p_1 was “One”", "~ p_2 was at p_2", "~ p_3 settings", "+ p_6 new", "- p_5 deleted"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPassagesHideNothing(t *testing.T) {
	t.Parallel()
	source := "intro\n\none\n\ntwo\n\nend"
	p := api.RevisionPage{ID: "p", Markdown: &source, Blocks: []api.Block{
		{ID: "a", Start: 7, End: 12}, {ID: "wrong", Start: 3, End: 99}, {ID: "b", Start: 12, End: 17},
	}}
	var got []string
	for _, b := range passages(p) {
		got = append(got, b.id+":"+b.text)
	}
	if diff := cmp.Diff([]string{":intro", "a:one", "b:two", ":end"}, got); diff != "" {
		t.Error(diff)
	}
}
