package content_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/server/text/content"
)

func TestUndefinedLabels(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"See [there] and [it][Some  Label], [x](y), \\[no], ![pic][p].\n\n- [ ] a\n- [x] b\n": {"it", "p", "pic", "some label", "there"},
		"See [there][].\n\n[THERE]: x\n":             nil,
		"See [there]: it.\n\n```\n[other]: x\n```\n": {"other", "there"},
		"Nothing.\n": nil,
		"See [a\\]b] and [c].\n\n[c]: <x y> 'title'\n": {"a\\]b"},
	} {
		if got := content.UndefinedLabels([]byte(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestWithDefinitions checks that definitions of another text turn its references into links, however the text begins and ends,
// and change nothing else.
func TestWithDefinitions(t *testing.T) {
	t.Parallel()
	definitions := content.Definitions([]byte("Words.\n\n[There]: y.md \"Title\"\n[other]:\n  <z z.md>\n[There]: no.md\n\n" +
		"> [in]: quote.md\n"))
	if len(definitions) != 2 {
		t.Fatalf("definitions %+v", definitions)
	}
	for _, text := range []string{
		"See [it][there] and [other].", "---\na: b\n---\n\nSee [it][there] and [other].\n", "\ufeffSee [it][there] and [other].\n\n```\n" +
			"open\n",
		"| a |\n|---|\n| [it][there] [other] |\n", "    code\n\nSee [it][there] and [other].\n\n<div>\n",
	} {
		with := content.WithDefinitions([]byte(text), definitions)
		var to []string
		for _, l := range content.Links(with) {
			to = append(to, l.Destination)
		}
		if !slices.Equal(to, []string{"y.md", "z z.md"}) {
			t.Errorf("%q leads to %q", with, to)
		}
		if references := markdown.ParseDefinitions(with[strings.Index(string(with), "[There]"):]); len(references) != 2 {
			t.Errorf("%q has %d definitions", with, len(references))
		}
		var said, wanted []string
		for _, b := range content.Blocks(with) {
			if b.Kind != content.KindDefinition {
				said = append(said, strings.TrimSpace(string(with[b.Start:b.End])))
			}
		}
		for _, b := range content.Blocks([]byte(text)) {
			wanted = append(wanted, strings.Trim(text[b.Start:b.End], "\ufeff\n "))
		}
		if !slices.Equal(said, wanted) {
			t.Errorf("blocks %q, want %q", said, wanted)
		}
	}
}
