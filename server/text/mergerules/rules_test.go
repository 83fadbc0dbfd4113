package mergerules

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/expr-lang/expr/vm"

	"docspace.dev/wsd/store/storetest"
)

// defaultLimits are the default limits of a server.
var defaultLimits = Limits{Steps: 20_000_000, Cells: 1_000_000, Pages: 20_000, Reviews: 100}

func sample() Input {
	return Input{
		ChangeRequest: ChangeRequest{Number: 7, Subject: "DOC-7 Faster", Status: "open", CreatedBy: "u_1"},
		Actor:         Actor{ID: "u_2", Role: "review"},
		Reviews:       []Review{{Reviewer: "u_2", Status: "approved"}, {Reviewer: "u_3", Status: "changes-requested", Outdated: true}},
		Approvals:     1, BrokenLinks: 2,
		Pages: []Page{
			{ID: "p_1", Path: "guide/start", Title: "Start", Change: "text"}, {ID: "p_2", Path: "api", Title: "API", Change: "created"},
		},
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`approvals >= 1 and brokenLinks == 0`:                                           false,
		`changeRequest.subject matches "^[A-Z]+-[0-9]+ "`:                               true,
		`any(reviews, .status == "approved" && not .outdated)`:                          true,
		`all(pages, .path startsWith "guide/" or .change == "created")`:                 true,
		`len(filter(pages, .change != "deleted")) <= 10`:                                true,
		`count(reviews, .outdated) == 1`:                                                true,
		`none(pages, lower(.title) contains "secret")`:                                  true,
		`one(pages, .path endsWith "start")`:                                            true,
		`actor.id in map(reviews, .reviewer)`:                                           true,
		`actor.role in ["admin", "review"] && actor.id != changeRequest.createdBy`:      true,
		`all(pages, any(reviews, .status == "approved"))`:                               true,
		`reviews[0].status == "approved" ? unresolvedThreads == 0 : false`:              true,
		`reviews | filter(.outdated) | any(.reviewer == "u_3")`:                         true,
		`any(pages, #index == 1 and .id == "p_2")`:                                      true,
		`all(map(pages, len(.title)), # > 2)`:                                           true,
		`(changeRequest.outdated ?? true) == false and approvals + brokenLinks * 2 > 4`: true,
	} {
		if err := Check(text, defaultLimits); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := Holds(t.Context(), text, sample(), defaultLimits); err != nil || got != want {
			t.Errorf("%s is %t, %v", text, got, err)
		}
	}
}

func TestCheckRejectsInvalidConditions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`len(repeat(repeat("a", 900000), 1000000)) > 0`:                "repeat at character 12 cannot be used; there are all, any",
		`let a = 1..900; all(a, all(a, all(a, true)))`:                 "cannot be used",
		`all(1..900, # > 0)`:                                           ".. at character",
		`all(pages, all(pages, .id == "x"))`:                           "steps and lists of",
		`all(reviews, all(reviews, all(reviews, all(reviews, true))))`: "may take",
		`all(pages, len(map(pages, .id)) > 1)`:                         "may take",
		`approvals ** 99 > 1`:                                          "** at character",
		`pages == pages`:                                               "no lists",
		`reviews[0] == reviews[1]`:                                     "no lists",
		`actor.id in changeRequest.subject`:                            "",
		`now() > 1`:                                                    "cannot be used",
		`changeRequest.subject matches actor.id`:                       "has to be written out",
		`changeRequest.subject matches "((a{100}){10}b)+"`:             "is too large",
		`changeRequest.subject matches "("`:                            "cannot be read",
		`any(map(reviews, filter(pages, .id == "x")), len(#) > 0 and all(#, .id == "y"))`: "goes over reviews, serviceReviews, pages",
		`pages[0:1000] == nil`:   "cannot be used",
		`{"a": 1}.a == 1`:        "cannot be used",
		`true; false`:            "cannot be used",
		`approvals + 1`:          "cannot be read: expected bool",
		`approvals >`:            "cannot be read: unexpected token",
		`sum(map(pages, 1)) > 1`: "sum at character 1 cannot be used",
		strings.Repeat("(", 900) + "true" + strings.Repeat(")", 900) + " and x": "cannot be read",
		"true" + strings.Repeat(" and true", 600):                               "cannot be read",
	} {
		err := Check(text, defaultLimits)
		if err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 400 {
			t.Errorf("%.80s: %v, want %q", text, err, want)
			continue
		}
		if holds, again := Holds(t.Context(), text, sample(), defaultLimits); holds || again == nil || again.Error() != err.Error() {
			t.Errorf("%.80s, stored before it was refused: %t, %v", text, holds, again)
		}
	}
}

// TestHoldsEnforcesLimits checks that a stored condition stays within its computed worst case, and that the meter stops it if
// there is more data than assumed.
func TestHoldsEnforcesLimits(t *testing.T) {
	t.Parallel()
	const text = `all(pages, any(reviews, .reviewer == "nobody") or true)`
	small := Limits{Steps: 5000, Cells: 1000, Pages: 10, Reviews: 10}
	if err := Check(text, small); err != nil {
		t.Fatal(err)
	}
	in := Input{Pages: make([]Page, 10), Reviews: make([]Review, 10)}
	if holds, err := Holds(t.Context(), text, in, small); !holds || err != nil {
		t.Errorf("at the limit: %t, %v", holds, err)
	}
	in.Pages = make([]Page, 1000)
	if holds, err := Holds(t.Context(), text, in, small); holds || err == nil || !strings.Contains(err.Error(), "more than 5000 steps") {
		t.Errorf("beyond: %t, %v", holds, err)
	}
	in = Input{Pages: make([]Page, 5000)}
	small.Steps = defaultLimits.Steps
	if holds, err := Holds(t.Context(), `len(map(pages, .id)) > 0`, in, small); holds || err == nil ||
		!strings.Contains(err.Error(), "memory budget") {
		t.Errorf("cells beyond: %t, %v", holds, err)
	}
}

// countingContext is a context that is cancelled after a number of checks.
type countingContext struct {
	context.Context //nolint:containedctx // it is one
	checks, limit   int
}

func (c *countingContext) Err() error {
	if c.checks++; c.checks > c.limit {
		return context.Canceled
	}
	return nil
}

func TestHoldsStopsOnCancel(t *testing.T) {
	t.Parallel()
	ctx := &countingContext{Context: t.Context(), limit: 100}
	holds, err := Holds(ctx, `all(pages, true)`, Input{Pages: make([]Page, 20_000)}, defaultLimits)
	if holds || err == nil || !strings.Contains(err.Error(), "given up") {
		t.Errorf("%t, %v", holds, err)
	}
	if ctx.checks > 110 {
		t.Errorf("it went on for %d turns", ctx.checks-100)
	}
}

// TestRandomConditionsStayInBudgetCampaign checks that random valid conditions stay within their computed cost, with as much
// data as the computation assumes.
func TestRandomConditionsStayInBudgetCampaign(t *testing.T) {
	t.Parallel()
	n, seed := storetest.Campaign(t, "expressions", 1000, 10_000)
	g := &generator{rand.New(rand.NewPCG(seed, 0))}
	limits := Limits{Steps: 200_000, Cells: 10_000, Pages: 200, Reviews: 20}
	in := Input{Pages: make([]Page, limits.Pages), Reviews: make([]Review, limits.Reviews)}
	for i := range in.Pages {
		in.Pages[i] = Page{ID: fmt.Sprint("p_", i), Path: fmt.Sprint("guide/", i), Title: strings.Repeat("Title ", 20), Change: "text"}
	}
	for i := range in.Reviews {
		in.Reviews[i] = Review{Reviewer: fmt.Sprint("u_", i), Status: "approved", Outdated: i%2 == 0}
	}
	admitted, looped := 0, 0
	for range n {
		text := g.condition(4)
		m := &meter{ctx: t.Context(), limits: limits}
		program, err := compile(text, limits, m)
		if err != nil {
			continue
		}
		admitted++
		machine := vm.VM{MemoryBudget: uint(m.worst.cells + 1)}
		if _, err := machine.Run(program, in); err != nil && !isHarmless(err) {
			t.Errorf("%s: %v", text, err)
		}
		if m.used > m.worst.steps {
			t.Errorf("%s: %d steps, computed were %d", text, m.used, m.worst.steps)
		}
		if strings.Contains(text, "(pages,") || strings.Contains(text, "(reviews,") {
			looped++
		}
	}
	t.Logf("%d of %d admitted, %d with loops", admitted, n, looped)
	if admitted < n/2 || looped < n/10 {
		t.Errorf("only %d of %d are admitted, %d of them with loops: the generator misses the language", admitted, n, looped)
	}
}

// isHarmless reports whether a failure is unrelated to cost: an index beyond the end of a list.
func isHarmless(err error) bool {
	return strings.Contains(err.Error(), "index out of range") || strings.Contains(err.Error(), "divide by zero") ||
		strings.Contains(err.Error(), "cannot fetch")
}

// generator generates random conditions.
type generator struct{ *rand.Rand }

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *generator) condition(depth int) string {
	if depth == 0 {
		return g.pick(`true`, `changeRequest.outdated`, `approvals > 0`, `actor.role == "admin"`, `changeRequest.subject contains "x"`,
			`brokenLinks == 0`)
	}
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), g.pick("and", "or", "&&", "||"), g.condition(depth-1))
	case 1:
		return fmt.Sprintf("not (%s)", g.condition(depth-1))
	case 2:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), g.condition(depth-1), g.condition(depth-1))
	case 3:
		return fmt.Sprintf("%s(%s, %s)", g.pick("all", "any", "none", "one"), g.pages(depth), g.pageCondition(depth-1))
	case 4:
		return fmt.Sprintf("%s(reviews, %s)", g.pick("all", "any", "none", "one"), g.reviewCondition(depth-1))
	case 5:
		return fmt.Sprintf("%s > %d", g.number(depth-1), g.IntN(30))
	case 6:
		return fmt.Sprintf(`actor.id in %s`, g.pick(`["u_1", "u_2"]`, `map(reviews, .reviewer)`, `map(pages, .id)`))
	}
	return fmt.Sprintf(`changeRequest.subject matches "%s"`, g.pick("^[A-Z]+", "x{3}", "(a|b)*c", "^(a+)+$"))
}

func (g *generator) pages(depth int) string {
	if depth > 0 && g.IntN(3) == 0 {
		return fmt.Sprintf("filter(%s, %s)", g.pages(depth-1), g.pageCondition(depth-1))
	}
	return "pages"
}

func (g *generator) pageCondition(depth int) string {
	if g.IntN(3) == 0 {
		return g.condition(depth)
	}
	return g.pick(`.path startsWith "guide/"`, `lower(.title) contains "title"`, `.change in ["text", "created"]`,
		`.title matches "(x|y)+$"`, `#index > 3`, `len(.path + .title) > 5`)
}

func (g *generator) reviewCondition(depth int) string {
	if g.IntN(3) == 0 {
		return g.condition(depth)
	}
	return g.pick(`.status == "approved"`, `.outdated`, `.reviewer != actor.id`, `trim(.reviewer) == "u_1"`)
}

func (g *generator) number(depth int) string {
	if depth <= 0 {
		return g.pick("approvals", "brokenLinks", "unresolvedThreads", "len(pages)", "len(reviews)", "3")
	}
	return g.pick(
		fmt.Sprintf("count(%s, %s)", g.pages(depth), g.pageCondition(depth-1)),
		fmt.Sprintf("(%s %s %s)", g.number(depth-1), g.pick("+", "-", "*"), g.number(depth-1)),
		fmt.Sprintf("len(filter(reviews, %s))", g.reviewCondition(depth-1)),
	)
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`approvals > 0`, `any(reviews, .status == "approved")`, `all(1..9, true)`, `((((`, `"`, `a matches "("`} {
		f.Add(seed)
	}
	small := Limits{Steps: 10_000, Cells: 1000, Pages: 10, Reviews: 10}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		stored := Check(text, small)
		holds, err := Holds(t.Context(), text, sample(), small)
		if holds && (stored != nil || err != nil) || errors.Is(err, context.Canceled) {
			t.Errorf("%q holds, but %v, %v", text, stored, err)
		}
	})
}
