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

// TestHostileTextsCampaign is not parallel: it counts what is allocated.
//
//wsd:serial
func TestHostileTextsCampaign(t *testing.T) { //nolint:paralleltest // counts
	size, _ := storetest.Campaign(t, "hostile", 64<<10, 1<<20)
	hostile.Grow(t, size, hostile.Allowance{Factor: 700, Growth: 2.3}, func(text []byte) { Parse(text, nil) })
	hostile.Grow(t, size, hostile.Allowance{Factor: 1400, Growth: 2.3}, func(text []byte) { Blocks(text); Definitions(text) })
}

// TestSpendingCampaign counts what is done again, and what is made beyond the text.
func TestSpendingCampaign(t *testing.T) {
	t.Parallel()
	size, _ := storetest.Campaign(t, "hostile", 64<<10, 1<<20)
	for _, pattern := range hostile.Patterns() {
		_, r := parse(nil, full(), pattern.Text(size), nil)
		if r.spent.cells > maxCells || r.spent.moved > maxMoved {
			t.Errorf("%s: beyond the budget: %+v", pattern.Name, r.spent)
		}
		if most := maxAgain + (1+lineCost)*size; r.spent.again > most {
			t.Errorf("%s: %d are read again, more than %d", pattern.Name, r.spent.again, most)
		}
	}
}

// count counts the nodes of a kind.
func count(root ast.Node, kind ast.NodeKind) (n int) {
	_ = ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && node.Kind() == kind {
			n++
		}
		return ast.WalkContinue, nil
	})
	return n
}

func TestWhatExceedsIsText(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("|a", 2000) + "\n" + strings.Repeat("|-", 2000) + "\n" + strings.Repeat("|\n", 2000)
	for name, test := range map[string]struct {
		text string
		kind ast.NodeKind
		want int
	}{
		"emphasis within the budget": {strings.Repeat("*a* ", maxDelimiters/2), ast.KindEmphasis, maxDelimiters / 2},
		"emphasis beyond it":         {strings.Repeat("*a* ", maxDelimiters), ast.KindEmphasis, maxDelimiters / 2},
		"in every block anew":        {strings.Repeat(strings.Repeat("*a* ", maxDelimiters)+"\n\n", 3), ast.KindEmphasis, 3 * maxDelimiters / 2},
		"links in a row":             {strings.Repeat("[a](b) ", 10*maxBrackets), ast.KindLink, 10 * maxBrackets},
		"a link behind open ones":    {strings.Repeat("[", maxBrackets-1) + "[a](b)", ast.KindLink, 1},
		"quotes":                     {strings.Repeat("> ", 2*maxNesting) + "a", ast.KindBlockquote, maxNesting},
		"a wide table":               {wide, extast.KindTable, 0},
		"a table of full rows":       {strings.Repeat("|a", 500) + "\n" + strings.Repeat("|-", 500) + "\n" + strings.Repeat(strings.Repeat("|a", 500)+"\n", 500), extast.KindTable, 1},
		"definitions":                {strings.Repeat("[a]: b\n", 5000), ast.KindLinkReferenceDefinition, 5000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if n := count(Parse([]byte(test.text), nil), test.kind); n != test.want {
				t.Errorf("%d of %s, want %d", n, test.kind, test.want)
			}
		})
	}
}

func TestWhoLeavesIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("> - *a* [b](c) `d`\n\n"), 10_000)
	asked := 0
	root := ParseWhile(func() bool { asked++; return asked > 100 }, text, nil)
	inlines := count(root, ast.KindLink) + count(root, ast.KindCodeSpan) + count(root, ast.KindEmphasis) + count(root, ast.KindBlockquote)
	if inlines > 100 {
		t.Errorf("%d things were read after whoever asked had left", inlines)
	}
	if count(Parse(text, nil), ast.KindLink) != 10_000 {
		t.Error("who stays does not get all of it")
	}
}
