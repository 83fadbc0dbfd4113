package markdown

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"docspace.dev/wsd/client/api/markdown/hostile"
	"docspace.dev/wsd/store/storetest"
)

// TestHostileTextsStayInBudgetCampaign measures the allocations of the process and therefore is not parallel.
//
//wsd:serial
func TestHostileTextsStayInBudgetCampaign(t *testing.T) { //nolint:paralleltest // counts
	size, _ := storetest.Campaign(t, "hostile", 64<<10, 1<<20)
	hostile.CheckGrowth(t, size, hostile.Allowance{Factor: 700, Growth: 2.3}, func(text []byte) { Parse(text, nil) })
	hostile.CheckGrowth(t, size, hostile.Allowance{Factor: 1400, Growth: 2.3}, func(text []byte) {
		ParseBlocks(text)
		ParseDefinitions(text)
	})
}

// TestParsingStaysInBudgetCampaign checks that rescanned bytes, moved lines and added cells stay within the budget.
func TestParsingStaysInBudgetCampaign(t *testing.T) {
	t.Parallel()
	size, _ := storetest.Campaign(t, "hostile", 64<<10, 1<<20)
	for _, pattern := range hostile.Patterns() {
		_, state := parse(nil, fullParser(), pattern.Text(size), nil)
		if state.used.cells > maxCells || state.used.movedLines > maxMovedLines {
			t.Errorf("%s: beyond the budget: %+v", pattern.Name, state.used)
		}
		if most := maxRescannedBytes + (1+lineCost)*size; state.used.rescannedBytes > most {
			t.Errorf("%s: %d bytes are rescanned, more than %d", pattern.Name, state.used.rescannedBytes, most)
		}
	}
}

// countNodes returns the number of nodes of a kind.
func countNodes(root ast.Node, kind ast.NodeKind) (n int) {
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && node.Kind() == kind {
			n++
		}
		return ast.WalkContinue, nil
	})
	return n
}

func TestTextBeyondBudgetIsPlain(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|\n", 2000)
	manyDelimiters := strings.Repeat("*a* ", maxDelimiters)
	for name, test := range map[string]struct {
		text string
		kind ast.NodeKind
		want int
	}{
		"emphasis within the budget":                {strings.Repeat("*a* ", maxDelimiters/2), ast.KindEmphasis, maxDelimiters / 2},
		"emphasis beyond the budget":                {manyDelimiters, ast.KindEmphasis, maxDelimiters / 2},
		"emphasis beyond the budget in every block": {strings.Repeat(manyDelimiters+"\n\n", 3), ast.KindEmphasis, 3 * maxDelimiters / 2},
		"links in a row":                            {strings.Repeat("[a](b) ", 10*maxBrackets), ast.KindLink, 10 * maxBrackets},
		"link after unclosed brackets":              {strings.Repeat("[", maxBrackets-1) + "[a](b)", ast.KindLink, 1},
		"quotes":                                    {strings.Repeat("> ", 2*maxNesting) + "a", ast.KindBlockquote, maxNesting},
		"a wide table":                              {wide, extast.KindTable, 0},
		"a table of full rows": {
			strings.Repeat("|a", 500) + "\n" + strings.Repeat("|-", 500) + "\n" + strings.Repeat(strings.Repeat("|a", 500)+"\n",
				500), extast.KindTable, 1,
		},
		"definitions": {strings.Repeat("[a]: b\n", 5000), ast.KindLinkReferenceDefinition, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := countNodes(Parse([]byte(test.text), nil), test.kind); n != test.want {
				t.Errorf("%d of %s, want %d", n, test.kind, test.want)
			}
		})
	}
}

func TestParseWhileStopsWhenCanceled(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("> - *a* [b](c) `d`\n\n"), 10_000)
	calls := 0
	root := ParseWhile(func() bool { calls++; return calls > 100 }, text, nil)
	inlines := countNodes(root, ast.KindLink) + countNodes(root, ast.KindCodeSpan) + countNodes(root, ast.KindEmphasis) +
		countNodes(root, ast.KindBlockquote)
	if inlines > 100 {
		t.Errorf("%d nodes were parsed after cancellation", inlines)
	}
	if countNodes(Parse(text, nil), ast.KindLink) != 10_000 {
		t.Error("a complete parse lacks links")
	}
}

// TestBracketsCostLinesAfterThem checks that brackets use the budget for the lines from them to the end of their block,
// which are searched for each, and that a list of footnotes of ordinary length is read completely.
func TestBracketsCostLinesAfterThem(t *testing.T) {
	t.Parallel()
	const lines, brackets = 100_000, 2_000
	words, unknown := strings.Repeat("a\n", lines-brackets), strings.Repeat("[a]\n", brackets)
	footnotes := strings.Repeat("[^1]: a\n", 8_000)
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"at the start of a long block":  {unknown + words + "[b](c)", 0},
		"at the end of a long block":    {words + unknown + "[b](c)", 1},
		"footnotes of one block":        {"a\n" + footnotes + "[b](c)", 1},
		"too many footnotes of a block": {"a\n" + strings.Repeat(footnotes, 3) + "[b](c)", 0},
	} {
		if links := countNodes(Parse([]byte(c.text), nil), ast.KindLink); links != c.want {
			t.Errorf("%s: %d links, want %d", name, links, c.want)
		}
	}
}

// TestCheckBoxNeedsSpace parses items that begin with x in brackets.
func TestCheckBoxNeedsSpace(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][2]int{ // check boxes and links
		"* [x] done\n":         {1, 0},
		"* [ ]\tdone\n":        {1, 0},
		"* [X](a.md)\n":        {0, 1},
		"* [x][a]\n\n[a]: b\n": {0, 1},
		"* [x]done\n":          {0, 0},
		"* [x]\n":              {1, 0},
		"* [ ]\n\n  text\n":    {1, 0},
	} {
		root := Parse([]byte(source), nil)
		if got := [2]int{countNodes(root, extast.KindTaskCheckBox), countNodes(root, ast.KindLink)}; got != want {
			t.Errorf("%q has %d check boxes and %d links", source, got[0], got[1])
		}
	}
}

// TestParseWritesNothing checks that reading the lines of code at the end of a source does not write over the byte after the source,
// which may be part of a longer text.
func TestParseWritesNothing(t *testing.T) {
	t.Parallel()
	for _, source := range []string{"~~~\n- ", "```go\nx", "    code", "> ~~~\n> a", "- ```\n  b", "1. a\n\n   ```\n   c", "```\n\n", "\ta"} {
		whole := []byte(source + "item")
		part := whole[:len(source)]
		node := Parse(part, nil)
		err := ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering && n.Type() == ast.TypeBlock {
				_ = n.Lines().Value(part)
			}
			return ast.WalkContinue, nil
		})
		if err != nil || string(whole) != source+"item" {
			t.Errorf("%q became %q (%v)", source+"item", whole, err)
		}
	}
}
