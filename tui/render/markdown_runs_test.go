package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"If it was\nempty\nwithin months":                                    "If it was empty within months",
		"see [Power](x.md \"a ) b\"), *soon* and **well**.":                  "see Power, soon and well.",
		"[**Power** and\nmore](<a b.md>) [b][ref] [c]\n\n[ref]: /x\n[c]: /y": "Power and more b c\n\n[ref]: /x\n[c]: /y",
		"run `a*b` and ~~not~~ this":                                         "run `a*b` and not this",
		"- one [a](b)\n- two":                                                "- one a\n- two",
		"> said\n> twice":                                                    "> said\n> twice",
		"| a | [b](c) |\n| --- | --- |\n| *d* | e |":                         "| a | b |\n| --- | --- |\n| d | e |",
		"```\n*a*\nb\n```":                                                   "```\n*a*\nb\n```",
		"hard  \nbreak and ![picture](x.png) <https://x.y>":                  "hard  \nbreak and ![picture](x.png) <https://x.y>",
		"# Head *line*":                                                      "# Head line",
	} {
		var got strings.Builder
		for _, r := range Runs(source) {
			got.WriteString(r.Shown)
		}
		if got.String() != want {
			t.Errorf("%q is read as %q, want %q", source, got.String(), want)
		}
	}
}

// TestRunsMatchSource checks that runs are in source order and equal to the source, except for line ends.
func TestRunsMatchSource(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := []string{
			"*", "**", "_", "~~", "[", "](", "](x)", ")", "]", "][", "`", "\n", "\n\n", " ", "\\", "<", ">", "\"", "| a | b |\n",
			"| - | - |\n", "- ", "> ", "# ", "a", "宽", "é ", "\r\n", "![",
		}
		source := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(t, "parts"), "")
		at := 0
		for _, r := range Runs(source) {
			written := source[r.From:r.To]
			if r.From < at || r.Shown != written && (r.Shown != " " || written != "\n") {
				t.Fatalf("%+v in %q", r, source)
			}
			at = r.To
		}
		if strings.ContainsAny(source, "a宽é") && at == 0 {
			t.Fatalf("nothing of %q is read", source)
		}
	})
}
