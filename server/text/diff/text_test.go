package diff

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

func parse(t interface{ Fatal(...any) }, markdown string, previous content.Text) content.Text {
	text, err := content.Parse("page", []byte(markdown), previous)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// formatRuns formats runs as [-removed-]{+added+}, formatting as [~before|after~].
func formatRuns(runs []api.TextRun) string {
	var b strings.Builder
	for _, r := range runs {
		open, shut := "", ""
		switch {
		case r.Change == api.TextRemoved && r.Formatting:
			open, shut = "[~", "~]"
		case r.Change == api.TextAdded && r.Formatting:
			open, shut = "{~", "~}"
		case r.Change == api.TextRemoved:
			open, shut = "[-", "-]"
		case r.Change == api.TextAdded:
			open, shut = "{+", "+}"
		}
		b.WriteString(open + r.Text + shut)
	}
	return b.String()
}

func formatBlocks(diff []api.BlockDiff) string {
	var lines []string
	for _, d := range diff {
		sign := map[api.BlockChange]string{
			"same": " ", "added": "+", "removed": "-", "edited": "~", "moved": ">", "split": "|", "joined": "&",
		}[d.Change]
		if d.Formatting {
			sign += "f"
		}
		lines = append(lines, fmt.Sprintf("%s %q", sign, formatRuns(d.Runs)))
	}
	return strings.Join(lines, "\n")
}

func TestTextReportsChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, now, want string }{
		{"a word", "the light is blue.", "the light is green.", `~ "the light is [-blue-]{+green+}."`},
		{"more", "one three", "one two three", `~ "one {+two +}three"`},
		{"less", "one two three", "one three", `~ "one [-two -]three"`},
		{"a sentence", "A is b. C is d.", "A is b. E is f. C is d.", `~ "A is b. {+E is f. +}C is d."`},
		{"a part of one", "A is b. C is d.", "A is b, e. C is d.", `~ "A is b{+, e+}. C is d."`},
		{"islands", "a b c", "x b y", `~ "[-a b c-]{+x b y+}"`},
		{
			"scattered", "one is two was three has four are five", "six is seven was eight has nine are ten",
			`~ "[-one is two was three has four are five-]{+six is seven was eight has nine are ten+}"`,
		},
		{"no spaces", "电池电量很重要", "电池容量很重要", `~ "电池[-电-]{+容+}量很重要"`},
		{"rewrapped", "one two\nthree four", "one\ntwo three four", `~f "one[~ ~]{~\n~}two[~\n~]{~ ~}three four"`},
		{"a rewrapped quote", "> a b\n> c", "> a\n> b c", `~f "> a[~ ~]{~\n> ~}b[~\n> ~]{~ ~}c"`},
		{"a hard break", "a  \nb c", "a\nb c", `~ "a[-  \n-]{+\n+}b c"`},
		{
			"a list in its place", "a\n\n1. one x\n2. two y", "a\n\n1. one x\n2. new z\n3. two y", "  \"a\\n\\n\"\n  \"1. one x\\n\"\n" +
				"+ \"{+2. new z\\n+}\"\n~f \"[~2.~]{~3.~} two y\"",
		},
		{"the start of a list", "1. one x\n2. two y", "4. one x\n5. two y", "~ \"[-1.-]{+4.+} one x\\n\"\n~f \"[~2.~]{~5.~} two y\""},
		{
			"a realigned table", "| a | b |\n|---|---|\n| c | d |", "| a   | b |\n|-----|---|\n| c   | d |",
			`~f "| a[~ ~]{~   ~}| b |\n|[~---~]{~-----~}|---|\n| c[~ ~]{~   ~}| d |"`,
		},
		{
			"a row", "| a | b |\n|---|---|\n| c | d |", "| a | b |\n|---|---|\n| e | f |\n| c | d |",
			`~ "| a | b |\n|---|---|\n{+| e | f |\n+}| c | d |"`,
		},
		{"a line of code", "```\na\nb\nc\n```", "```\na\nc\n```", `~ "` + "```" + `\na\n[-b\n-]c\n` + "```" + `"`},
		{"an indent in code", "```\na\nb c\n```", "```\na\n b c\n```", `~ "` + "```" + `\na\n{+ +}b c\n` + "```" + `"`},
		{
			"moved", "one x\n\ntwo y\n\nthree z", "three z\n\none x\n\ntwo y", "> \"three z{~\\n\\n~}\"\n  \"one x\\n\\n\"\n" +
				"  \"two y[~\\n\\n~]\"",
		},
		{"added", "one", "one\n\ntwo", "  \"one{~\\n\\n~}\"\n+ \"{+two+}\""},
		{
			"split", "One is two. Three is four and five.", "One is two.\n\nThree is four and five.", "| \"One is two.[~ ~]{~\\n\\n~}\"\n" +
				"~ \"Three is four and five.\"",
		},
		{
			"joined", "One is two.\n\nThree is four and five.", "One is two. Three is four and five.",
			"& \"One is two.[~\\n\\n~]{~ ~}\"\n~ \"Three is four and five.\"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			old := parse(t, c.old, content.Text{})
			if diff := cmp.Diff(c.want, formatBlocks(Text(context.Background(), old, parse(t, c.now, old)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
