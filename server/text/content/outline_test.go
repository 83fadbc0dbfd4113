package content

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutline(t *testing.T) {
	t.Parallel()
	markdown := "---\ntitle: x\n---\nBefore &amp; *all*.\n\n# Start `now`\n\nOne\ntwo [three](/pages/p_1).\n\n> ## Quoted\n\n" +
		"## Größe <a id=\"size\"></a>\n\n```go\ncode()\n```\n\n## Start now\n\n| a | b |\n|---|---|\n| c | d |\n\n" +
		"<div id=\"box\">in a <b>box</b></div>\n"
	got := ParseOutline([]byte(markdown))
	var sections []string
	for _, s := range got.Sections {
		sections = append(sections, s.Title+" #"+s.Anchor+": "+strings.Join(strings.Fields(s.Text), " "))
		if s.Level > 0 && !strings.HasPrefix(markdown[s.Start:s.End], "#") {
			t.Errorf("section %q spans %q", s.Title, markdown[s.Start:s.End])
		}
	}
	want := []string{
		" #: Before & all.", "Start now #start-now: One two three. Quoted",
		"Größe #size: code()", "Start now #start-now-1: a b c d in a box",
	}
	if diff := cmp.Diff(want, sections); diff != "" {
		t.Error(diff)
	}
	anchors := []string{"box", "grosse", "größe", "quoted", "size", "start-now", "start-now-1"}
	if diff := cmp.Diff(anchors, got.Anchors); diff != "" {
		t.Error(diff)
	}
	if len(got.Links) != 1 || markdown[got.Links[0].Start:got.Links[0].End] != "/pages/p_1" {
		t.Errorf("links %+v", got.Links)
	}
}

// FuzzOutline checks that an outline has the links of its text, and that its sections cover the text.
func FuzzOutline(f *testing.F) {
	for _, seed := range []string{
		"", "# a\n\n[b](c)", "---\na: b\n---\n# x\n\n# x\n", "<a id=x>\n\n# <a name=\"y\">\n===", "a\n=\n\n- # b\n", "\ufeff# a",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		got := ParseOutline([]byte(markdown))
		if diff := cmp.Diff(Links([]byte(markdown)), got.Links, cmp.AllowUnexported(Link{})); diff != "" && len(got.Links) > 0 {
			t.Error(diff)
		}
		at := got.Sections[0].Start
		for _, s := range got.Sections {
			if s.Start != at || s.End < s.Start || s.End > len(markdown) {
				t.Errorf("section %d..%d of %d after %d", s.Start, s.End, len(markdown), at)
			}
			at = s.End
		}
		if at != len(markdown) {
			t.Errorf("sections end at %d of %d", at, len(markdown))
		}
	})
}

// TestOutlineManyEqualHeadings checks the running time: a unique fragment is found without trying all taken ones.
func TestOutlineManyEqualHeadings(t *testing.T) {
	t.Parallel()
	outline := ParseOutline([]byte(strings.Repeat("# x\n\n", MaxBlocks)))
	if last := outline.Sections[MaxBlocks-1].Anchor; last != "x-9999" {
		t.Errorf("the last heading is %s", last)
	}
}

// TestSectionsMatchOutline checks that the sections for the search index equal those of the outline, including URLs in the
// text.
func TestSectionsMatchOutline(t *testing.T) {
	t.Parallel()
	for _, markdown := range []string{
		"", "Text.\n\n# One\n\nSee https://example.com/a_b?x=1, www.example.com and a@example.com.\n\n## Two *three*\n\n" +
			"- `four` [five](six)\n",
		"---\ntitle: x\n---\n# At https://example.com\n\n| a | b |\n|---|---|\n| http://example.com/c | <b>d</b> |\n\n" +
			"# At https://example.com\n",
	} {
		if got, want := Sections([]byte(markdown)), ParseOutline([]byte(markdown)).Sections; !slices.Equal(got, want) {
			t.Errorf("%q has the sections %+v, want %+v", markdown, got, want)
		}
	}
}
