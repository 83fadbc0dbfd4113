package merge

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"docspace.dev/wsd/server/text/content"
)

// TestSideThatIncludesTheOther checks that a side with all changes of the other and more is taken without a conflict, and that
// other changes of both sides stay conflicts.
func TestSideThatIncludesTheOther(t *testing.T) {
	t.Parallel()
	const more = "ours"
	for name, c := range map[string]struct{ base, ours, theirs, want string }{
		"further words in a sentence": {
			"Answer within 15 minutes.\n", "Answer within 10 minutes by day.\n", "Answer within 10 minutes.\n", more,
		},
		"further words after inserted ones": {"The kettle is on.\n", "The old red kettle is on.\n", "The old kettle is on.\n", more},
		"further deleted words":             {"The old red kettle is on.\n", "The kettle is on.\n", "The old kettle is on.\n", more},
		"further sentence":                  {"One.\n", "One. Two. Three.\n", "One. Two.\n", more},
		"further block":                     {"One.\n", "One.\n\nTwo.\n\nThree.\n", "One.\n\nTwo.\n", more},
		"further block before":              {"One.\n", "One.\n\nTwo.\n\nThree.\n", "One.\n\nThree.\n", more},
		"longer block":                      {"One.\n", "One.\n\nTwo. Three.\n", "One.\n\nTwo.\n", more},
		"further line of code":              {"```\na\n```\n", "```\na\nb\nc\n```\n", "```\na\nb\n```\n", more},
		"new page":                          {"", "One.\n\nTwo.\n", "One.\n", more},
		"further row":                       {"| a |\n|---|\n", "| a |\n|---|\n| b |\n| c |\n", "| a |\n|---|\n| c |\n", more},
		"further nested item":               {"- a\n  - b\n", "- a\n  - b\n  - c\n  - d\n", "- a\n  - b\n  - d\n", more},
		"CRLF":                              {"One.\r\n", "One.\r\n\r\nTwo.\r\n\r\nThree.\r\n", "One.\r\n\r\nTwo.\r\n", more},
		"same block after an edited one":    {"One two three.\n", "One two four.\n\nFive six.\n", "One two three.\n\nFive six.\n", more},

		"another word":                  {"It takes 15 minutes.\n", "It takes 10 minutes by day.\n", "It takes 12 minutes.\n", ""},
		"deleted and replaced":          {"The old kettle is on.\n", "The new kettle is on.\n", "The kettle is on.\n", ""},
		"deleted and edited sentence":   {"One. Two a b. Three.\n", "One. Two a b c. Three.\n", "One. Three.\n", ""},
		"same words at another place":   {"One two three.\n", "One two three four.\n", "Four one two three.\n", ""},
		"inserted inside an insertion":  {"One.\n", "One.\n\nTwo. Four.\n", "One.\n\nTwo. Three. Four.\n", ""},
		"other insertions at one place": {"One.\n", "One.\n\nTwo.\n", "One.\n\nThree.\n", ""},
		"contraction":                   {"You may go.\n", "You can't go.\n", "You can go.\n", ""},
		"decimals":                      {"It takes 15 minutes.\n", "It takes 10.5 minutes.\n", "It takes 10 minutes.\n", ""},
		"deleted decimals":              {"Use 10.5.3 now.\n", "Use 10 now.\n", "Use 10.5 now.\n", ""},
		"minus":                         {"Set it to 3 now.\n", "Set it to -5 now.\n", "Set it to 5 now.\n", ""},
		"percent":                       {"Use 3 of it.\n", "Use 5% of it.\n", "Use 5 of it.\n", ""},
		"longer address":                {"See here.\n", "See https://a.b/c/d now.\n", "See https://a.b/c now.\n", ""},
		"address with a query":          {"See here.\n", "See https://a.b?c=d now.\n", "See https://a.b now.\n", ""},
		"level of a heading":            {"One.\n", "One.\n\n### Two\n", "One.\n\n## Two\n", ""},
		"heading or paragraph":          {"One.\n", "One.\n\n## Two\n", "One.\n\nTwo\n", ""},
		"heading after a paragraph":     {"One.\n", "One.\n\nZero.\n\n## Two\n", "One.\n\nTwo\n", ""},
		"item or paragraph":             {"One.\n", "One.\n\n1. Two.\n", "One.\n\nTwo.\n", ""},
		"quote or paragraph":            {"One.\n", "One.\n\n> Two.\n", "One.\n\nTwo.\n", ""},
		"level of an item":              {"- a\n", "- a\n  - b c.\n", "- a\n- b c.\n", ""},
		"indentation of code":           {"```\na\n```\n", "```\na\n    b()\n```\n", "```\na\nb()\n```\n", ""},
		"comment of code":               {"```\na\n```\n", "```\na\n// b()\n```\n", "```\na\nb()\n```\n", ""},
		"negation of code":              {"```\nif a {\n```\n", "```\nif !b {\n```\n", "```\nif b {\n```\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := parseText(t, c.base, content.Text{})
			ours, theirs := parseText(t, c.ours, base), parseText(t, c.theirs, base)
			for _, sides := range [][2]content.Text{{ours, theirs}, {theirs, ours}} {
				merged, conflicts := Text("page", base, sides[0], sides[1])
				switch {
				case c.want == "" && len(conflicts) == 0:
					t.Errorf("no conflict, merged %q", merged.Markdown)
				case c.want != "" && (len(conflicts) > 0 || string(merged.Markdown) != c.ours):
					t.Errorf("merged %q, %v", merged.Markdown, summaries(conflicts))
				}
			}
		})
	}
}

// TestWords checks that words keep the signs that belong to them, and that a text of signs is cut in linear time.
func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"It's 10.5, not -5.":      "It's| |10.5|,| |not| |-5|.",
		"## a/b, ### 5% of C++\n": "##| |a/b|,| |###| |5%| |of| |C++|\n",
		"  - **a_b** \"c\"\r\n":   "  |-| |**|a_b|**| |\"|c|\"|\r|\n",
		"你好。世界":                   "你好|。|世界",
		"a'+-":                    "a|'|+|-",
	} {
		if got := strings.Join(tokens(text), "|"); got != want {
			t.Errorf("tokens(%q) = %q, want %q", text, got, want)
		}
	}
	for _, signs := range []string{"+-", "a+-", "%+", " \n", "("} {
		text := "a" + strings.Repeat(signs, 300_000)
		if got := strings.Join(tokens(text), ""); got != text {
			t.Errorf("words of %q repeated lose text", signs)
		}
	}
}

// TestSharedBlocksHaveOwnIDs checks that an id of the other side goes to one block only and that the aliases of the blocks that it
// replaces stay.
func TestSharedBlocksHaveOwnIDs(t *testing.T) {
	t.Parallel()
	base := parseText(t, "One.\n\nEnd.\n", content.Text{})
	insert := func(blocks, end string, ids ...string) content.Text {
		text := parseText(t, "One.\n\n"+blocks+"\n\n"+end+"\n", base)
		for i, id := range ids {
			text.Blocks[i+1].ID, text.Blocks[i+1].Aliases = id, []string{"alias of " + id}
		}
		return text
	}
	for name, c := range map[string]struct {
		ours, theirs content.Text
		want         string
	}{
		"twice on one side": {insert("X y.\n\nX y.\n\nZ.", "End.", "b", "c", "d"), insert("X y.", "End!", "a"), "a: a b, c: c, d: d"},
		"twice on both sides": {
			insert("X y.\n\nX y.\n\nZ.", "End.", "b", "d", "e"), insert("X y.\n\nX y.", "End!", "a", "c"), "a: a b, c: c d, e: e",
		},
		"id of an edited twin": {insert("Q.\n\nX y.", "End.", "a", "b"), insert("X y.", "End!", "a"), "a: a, b: b"},
		"longer block":         {insert("X y. Z.", "End.", "b"), insert("X y.", "End!", "a"), "b: a b"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, sides := range [][2]content.Text{{c.ours, c.theirs}, {c.theirs, c.ours}} {
				merged, conflicts := Text("page", base, sides[0], sides[1])
				var got []string
				for _, block := range merged.Blocks[1 : len(merged.Blocks)-1] {
					got = append(got, block.ID+": "+strings.ReplaceAll(strings.Join(block.Aliases, " "), "alias of ", ""))
				}
				if strings.Join(got, ", ") != c.want || len(conflicts) > 0 {
					t.Errorf("%v, %v, want %s", got, summaries(conflicts), c.want)
				}
			}
		})
	}
}

func parseText(t *testing.T, markdown string, previous content.Text) content.Text {
	t.Helper()
	text, err := content.Parse("page", []byte(markdown), previous)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestAmbiguityDoesNotDependOnOrder checks that both orders of the sides lead to the same conflicts where only the lines of one order
// show that a change is ambiguous.
func TestAmbiguityDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	base := parseText(t, "# b1 b2\n\n- b3.\n- b4.\n- b5\n\n# b6 b7\n", content.Text{})
	ours := parseText(t, "- b3.\n- b4.\n- b5 t1.\n\n# o1\n\n# b1 b2\n", base)
	theirs := parseText(t, "- b3.\n- b4.\n- b5\n\n# b6 b7\n\n# o1\n\n# b1 b2\n", base)
	_, conflicts := Text("page", base, ours, theirs)
	_, swapped := Text("page", base, theirs, ours)
	if len(conflicts) != 1 || len(swapped) != 1 || text(conflicts[0].Base) != text(swapped[0].Base) ||
		text(conflicts[0].Ours) != text(swapped[0].Theirs) {
		t.Errorf("%v, swapped %v", summaries(conflicts), summaries(swapped))
	}
}

// TestTextLawsOnSharedEdits checks the laws of the package comment on histories that share their first edits, as those of a folder and
// of a space that both got a change. Use -rapid.checks=20000 for that number of histories.
func TestTextLawsOnSharedEdits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base, ours, theirs, shared := drawSharedHistories(t)
		merged, conflicts := Text("page", base, ours, theirs)
		checkBlocks(t, merged)
		checkSymmetry(t, base, ours, theirs, merged, conflicts)
		checkNoWordIsLost(t, base, ours, theirs, merged, conflicts)
		isWhole := wholeSentences(ours, theirs)
		for _, sentence := range shared {
			if len(conflicts) == 0 && isWhole[sentence] && strings.Count(string(merged.Markdown), sentence) > 1 {
				t.Fatalf("%q is doubled in %q", sentence, merged.Markdown)
			}
		}
		resolveRandomly(t, base, ours, theirs, conflicts)
	})
}

// wholeSentences returns the sentences of texts without the markers before them: what a side has joined to other words is part of a
// longer sentence, which that side may have edited.
func wholeSentences(texts ...content.Text) map[string]bool {
	whole := map[string]bool{}
	for _, text := range texts {
		for _, sentence := range Sentences(string(text.Markdown)) {
			whole[strings.TrimLeft(sentence, "-# ")] = true
		}
	}
	return whole
}

// drawSharedHistories draws a page and two histories of it with the same first edits, whose sentences it returns.
func drawSharedHistories(t *rapid.T) (base, ours, theirs content.Text, sentences []string) {
	pages := (&writer{t: t, prefix: "b"}).page()
	parse := func(blocks []string, previous content.Text) content.Text {
		return mustParse(t, strings.Join(blocks, "\n\n")+"\n", previous)
	}
	base = parse(pages, content.Text{})
	first := &writer{t: t, prefix: "o"}
	shared := first.edit(pages)
	side := func(prefix string, number int) content.Text {
		w := &writer{t: t, prefix: prefix, number: number}
		blocks := slices.Clone(shared)
		for range rapid.IntRange(0, 2).Draw(t, "commits") {
			blocks = w.edit(blocks)
		}
		return parse(blocks, base)
	}
	return base, side("o", 1_000), side("t", 0), first.sentences
}

// BenchmarkRepeatedWords merges sentences of a repeated word in which both sides insert, and reports the time at twice the length as a
// ratio: about 2, and 4 if the cost is quadratic.
func BenchmarkRepeatedWords(b *testing.B) {
	var times [2]time.Duration
	for b.Loop() {
		for i, length := range []int{100_000, 200_000} {
			half := strings.Repeat("a ", length)
			base, _ := content.Parse("page", []byte("One.\n\nTwo c.\n\n"+half+".\n"), content.Text{}) // valid texts
			ours, _ := content.Parse("page", []byte(half+"b b.\n\nOne.\n\nTwo.\n\n"+half+".\n"), base)
			theirs, _ := content.Parse("page", []byte("One "+half+"b b.\n\nTwo d.\n\n"+half+".\n"), base)
			start := time.Now()
			Text("page", base, ours, theirs)
			times[i] += time.Since(start)
		}
	}
	b.ReportMetric(float64(times[1])/float64(times[0]), "ratio")
}
