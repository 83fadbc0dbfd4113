package e2e

import (
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// campaignName matches the names that .ci/campaign and .ci/nightly find.
var campaignName = regexp.MustCompile(`^[a-z][a-z-]*$`)

// TestCampaignNamesAreLiterals checks that campaigns are named by string literals, which .ci/campaign and .ci/nightly
// search for, and that the names of their tests end in Campaign, by which make campaign selects them.
func TestCampaignNamesAreLiterals(t *testing.T) {
	t.Parallel()
	found, names := 0, map[string]bool{}
	eachGoFile(t, func(file string, syntax *ast.File) {
		for _, decl := range syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !isCampaign(call.Fun) {
					return true
				}
				found++
				literal, ok := call.Args[1].(*ast.BasicLit)
				if !ok {
					t.Errorf("%s: %s names its campaign by something else than a literal", file, fn.Name.Name)
				} else if name, err := strconv.Unquote(literal.Value); err != nil || !campaignName.MatchString(name) {
					t.Errorf("%s: %s is no name of a campaign", file, literal.Value)
				}
				if ok {
					names[strings.Trim(literal.Value, `"`)] = true
				}
				if name := fn.Name.Name; strings.HasPrefix(name, "Test") && !strings.HasSuffix(name, "Campaign") {
					t.Errorf("%s: %s runs in a campaign, so its name has to end in Campaign", file, name)
				}
				return true
			})
		}
	})
	if found < 20 {
		t.Errorf("%d campaigns are found, want more", found)
	}
	checkCampaignTable(t, names)
}

// checkCampaignTable checks that the table of campaigns in CONTRIBUTING.md contains those with the given names, and engines, which
// is not one of a test.
func checkCampaignTable(t *testing.T, names map[string]bool) {
	t.Helper()
	_, table, _ := strings.Cut(readDocument(t, "CONTRIBUTING.md"), "| campaign |")
	table, _, _ = strings.Cut(table, "\n\n")
	listed := map[string]bool{}
	for row := range strings.Lines(table) {
		if cells := strings.Split(row, "|"); len(cells) > 1 {
			for _, name := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(cells[1], -1) {
				listed[name[1]] = true
			}
		}
	}
	delete(listed, "engines")
	if !maps.Equal(listed, names) {
		t.Errorf("campaigns in the table of CONTRIBUTING.md: %q, in tests: %q",
			slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(names)))
	}
}

func isCampaign(e ast.Expr) bool {
	selector, ok := e.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != "Campaign" && selector.Sel.Name != "LongCampaign" {
		return false
	}
	name, ok := selector.X.(*ast.Ident)
	return ok && name.Name == "storetest"
}
