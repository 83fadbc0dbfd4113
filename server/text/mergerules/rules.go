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

// Limits are what one condition may cost.
type Limits struct {
	Steps   int64 // of one run; a step is about one operator on short values
	Cells   int64 // of the lists that one run makes
	Pages   int64 // that a change request changes at most: what the worst case is computed with
	Reviews int64 // that it has at most
}

// maxNodes bounds the size of a condition.
const maxNodes = 500

// Check says why a condition cannot be stored: it cannot be read, uses what is not part of the language, or could cost
// more than the limits. The error is a sentence without the word "rule", for a person.
func Check(text string, limits Limits) error {
	_, err := compile(text, limits, &meter{ctx: context.Background(), limits: limits})
	return err
}

// Holds runs a condition. It does not hold when it fails, costs more than the limits, or is not part of the language,
// as one that was stored when the language was larger; the error says so. The context's end ends it.
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
		return false, tooMuch(limits)
	case err != nil:
		return false, fmt.Errorf("the expression fails: %s", firstLine(err))
	}
	holds, _ := out.(bool)
	return holds, nil
}

// meter counts the steps of one run. The program calls it once for each turn of a loop.
type meter struct {
	ctx    context.Context //nolint:containedctx // of one run, which the machine cannot hand through
	limits Limits
	used   int64
	worst  cost // that was computed beforehand
}

// turn is called by the program with what the body of a loop has made, and the body's own steps.
func (m *meter) turn(params ...any) (any, error) {
	steps, _ := params[1].(int)
	m.used += int64(steps)
	if m.used > m.limits.Steps {
		return nil, tooMuch(m.limits)
	}
	if err := m.ctx.Err(); err != nil {
		return nil, err //nolint:wrapcheck // Holds says it
	}
	return params[0], nil
}

func tooMuch(limits Limits) error {
	return fmt.Errorf("takes more than %d steps; use fewer loops within loops", limits.Steps)
}

// compile reads, checks and meters a condition.
func compile(text string, limits Limits, m *meter) (*vm.Program, error) {
	tree, err := parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %s", firstLine(err))
	}
	if err := admit(tree.Node); err != nil {
		return nil, err
	}
	p := &planner{limits: limits}
	program, err := expr.Compile(text, expr.Env(Input{}), expr.AsBool(), expr.MaxNodes(maxNodes), expr.Optimize(false),
		expr.Function(turn, m.turn, new(func(bool, int) bool), new(func(any, int) any)), expr.Patch(p))
	if p.err != nil {
		return nil, p.err
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %s", firstLine(err))
	}
	m.used, m.worst = p.total.own, p.total
	if p.total.steps > limits.Steps || p.total.cells > limits.Cells {
		return nil, fmt.Errorf("may take %d steps and lists of %d items in a change request of %d pages and %d reviews; at most %d and %d are allowed",
			p.total.steps, p.total.cells, limits.Pages, limits.Reviews, limits.Steps, limits.Cells)
	}
	return program, nil
}

// turn is the name of the meter in a program. Nobody can write it: it is not an identifier.
const turn = " turn"

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// at says where in the text a node stands.
func at(n ast.Node) string { return fmt.Sprintf("at character %d", n.Location().From+1) }

// times multiplies counts without running over.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/4/a {
		return math.MaxInt64 / 4
	}
	return a * b
}

// plus adds counts without running over.
func plus(a, b int64) int64 { return min(a+b, math.MaxInt64/4) }
