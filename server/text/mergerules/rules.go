package mergerules

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"
)

// Limits are the cost limits of one condition.
type Limits struct {
	Steps   int64 // of one run; a step is about one operator on short values
	Cells   int64 // elements of the lists that one run creates
	Pages   int64 // maximum number of changed pages, for the worst case
	Reviews int64 // maximum number of reviews, for the worst case
}

// maxNodes is the maximum number of nodes of a condition.
const maxNodes = 500

// Check returns an error if a condition cannot be stored: it cannot be parsed, uses syntax outside the language, or could
// exceed the limits. The error is a sentence for users; it does not contain the word "rule".
func Check(text string, limits Limits) error {
	_, err := compile(text, limits, &meter{ctx: context.Background(), limits: limits})
	return err
}

// Holds evaluates a condition. It returns false and an error if the evaluation fails, exceeds the limits, or is
// cancelled, or if the condition is not valid, which is possible for one that was stored by a version with a larger
// language.
func Holds(ctx context.Context, text string, in Input, limits Limits) (bool, error) {
	m := &meter{ctx: ctx, limits: limits}
	program, err := compile(text, limits, m)
	if err != nil {
		return false, err
	}
	machine := vm.VM{MemoryBudget: uint(max(limits.Cells, 1))}
	out, err := machine.Run(program, in)
	switch {
	case ctx.Err() != nil:
		return false, fmt.Errorf("the run was given up: %w", context.Cause(ctx))
	case m.used > limits.Steps:
		return false, limitError(limits)
	case err != nil:
		return false, fmt.Errorf("the expression fails: %s", firstLine(err))
	}
	holds, _ := out.(bool)
	return holds, nil
}

// meter counts the steps of one run. The program calls it once for each iteration of a loop.
type meter struct {
	ctx    context.Context //nolint:containedctx // of one run, which the machine cannot hand through
	limits Limits
	used   int64
	worst  cost // computed by the planner
}

// countIteration is called by the program with the value of a loop body and the steps of the body.
func (m *meter) countIteration(params ...any) (any, error) {
	steps, _ := params[1].(int)
	m.used += int64(steps)
	if m.used > m.limits.Steps {
		return nil, limitError(m.limits)
	}
	if err := m.ctx.Err(); err != nil {
		return nil, err //nolint:wrapcheck // Holds says it
	}
	return params[0], nil
}

func limitError(limits Limits) error {
	return fmt.Errorf("takes more than %d steps; use fewer loops within loops", limits.Steps)
}

// compile parses, checks and instruments a condition.
func compile(text string, limits Limits, m *meter) (*vm.Program, error) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %s", firstLine(err))
	}
	if err := validate(tree.Node); err != nil {
		return nil, err
	}
	p := &planner{limits: limits}
	program, err := expr.Compile(text, expr.Env(Input{}), expr.AsBool(), expr.MaxNodes(maxNodes), expr.Optimize(false),
		expr.Function(meterName, m.countIteration, new(func(bool, int) bool), new(func(any, int) any)), expr.Patch(p))
	if p.err != nil {
		return nil, p.err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %s", firstLine(err))
	}
	m.used, m.worst = p.total.own, p.total
	if p.total.steps > limits.Steps || p.total.cells > limits.Cells {
		return nil, fmt.Errorf("may take %d steps and lists of %d items in a change request of %d pages and %d reviews; at most %d and "+
			"%d are allowed",
			p.total.steps, p.total.cells, limits.Pages, limits.Reviews, limits.Steps, limits.Cells)
	}
	return program, nil
}

// meterName is the name of the meter in a program. It is not a valid identifier, so conditions cannot use it.
const meterName = " turn"

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// position describes the position of a node in the text.
func position(n ast.Node) string { return fmt.Sprintf("at character %d", n.Location().From+1) }

// saturatingMul multiplies counts. The result is limited to a quarter of the largest int64.
func saturatingMul(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/4/a {
		return math.MaxInt64 / 4
	}
	return a * b
}

// saturatingAdd adds counts that are at most a quarter of the largest int64, and limits the result to the same.
func saturatingAdd(a, b int64) int64 { return min(a+b, math.MaxInt64/4) }
