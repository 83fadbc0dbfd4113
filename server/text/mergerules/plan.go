package mergerules

import (
	"errors"
	"fmt"
	"reflect"
	"regexp/syntax"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Weights of what takes longer than comparing two numbers, in steps.
const (
	textWeight    = 4  // looks at each byte of a text
	patternWeight = 16 // a text against one instruction of a pattern
)

// cost is what a part of a condition takes.
type cost struct {
	own   int64 // steps of itself, without the turns of loops in it
	steps int64 // in the worst case, loops included
	cells int64 // of lists, in the worst case
}

// planner computes the worst case of a condition whose types are known, and lets its loops count their turns.
type planner struct {
	limits Limits
	total  cost
	err    error
	done   map[*ast.PredicateNode]bool
}

// Visit implements ast.Visitor. Nodes come after their children, the root last: what is known then is the whole.
func (p *planner) Visit(node *ast.Node) {
	if p.err != nil {
		return
	}
	p.total = p.cost(*node)
	if body, ok := (*node).(*ast.PredicateNode); ok && !p.done[body] {
		p.meter(body)
	}
}

// meter makes the body of a loop call the meter with what it has made.
func (p *planner) meter(body *ast.PredicateNode) {
	if p.done == nil {
		p.done = map[*ast.PredicateNode]bool{}
	}
	p.done[body] = true
	call := &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: turn},
		Arguments: []ast.Node{body.Node, &ast.IntegerNode{Value: int(p.cost(body.Node).own)}},
	}
	call.SetLocation(body.Node.Location())
	call.SetType(body.Node.Type())
	body.Node = call
}

// refuse keeps the first refusal.
func (p *planner) refuse(format string, args ...any) cost {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	return cost{}
}

// cost computes what a node takes.
func (p *planner) cost(node ast.Node) cost {
	switch n := node.(type) {
	case *ast.UnaryNode:
		return p.sum(1, n.Node)
	case *ast.BinaryNode:
		return p.operator(n)
	case *ast.ChainNode:
		return p.sum(0, n.Node)
	case *ast.MemberNode:
		return p.sum(1, n.Node)
	case *ast.ConditionalNode:
		return p.sum(1, n.Cond, n.Exp1, n.Exp2)
	case *ast.ArrayNode:
		c := p.sum(1, n.Nodes...)
		c.cells = plus(c.cells, int64(len(n.Nodes)))
		return c
	case *ast.PredicateNode:
		return p.cost(n.Node)
	case *ast.CallNode: // of the meter: it weighs nothing itself
		return p.cost(n.Arguments[0])
	case *ast.BuiltinNode:
		if slices.Contains(loops, n.Name) {
			return p.loop(n)
		}
		return p.sum(textWeight, n.Arguments...)
	}
	return cost{own: 1, steps: 1}
}

// sum adds up parts and the weight of what holds them together.
func (p *planner) sum(weight int64, parts ...ast.Node) cost {
	total := cost{own: weight, steps: weight}
	for _, part := range parts {
		c := p.cost(part)
		total.own = plus(total.own, c.own)
		total.steps = plus(total.steps, c.steps)
		total.cells = plus(total.cells, c.cells)
	}
	return total
}

// loop multiplies the body with the items in the worst case.
func (p *planner) loop(n *ast.BuiltinNode) cost {
	turns, err := p.items(n.Arguments[0])
	if err != nil {
		return p.refuse("%s %s %w", n.Name, at(n), err)
	}
	over, body := p.sum(1, n.Arguments[0]), p.cost(n.Arguments[1])
	over.steps = plus(over.steps, times(turns, body.steps))
	over.cells = plus(over.cells, times(turns, body.cells))
	if n.Name == "filter" || n.Name == "map" {
		over.cells = plus(over.cells, turns)
	}
	return over
}

var errNoList = errors.New("goes over reviews, pages, and lists that are made of them")

// items is how many items a list has in the worst case.
func (p *planner) items(list ast.Node) (int64, error) {
	switch n := list.(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "pages":
			return p.limits.Pages, nil
		case "reviews":
			return p.limits.Reviews, nil
		}
	case *ast.ArrayNode:
		return int64(len(n.Nodes)), nil
	case *ast.ConditionalNode:
		first, err := p.items(n.Exp1)
		second, wrong := p.items(n.Exp2)
		return max(first, second), errors.Join(err, wrong)
	case *ast.BuiltinNode:
		if n.Name == "filter" || n.Name == "map" {
			return p.items(n.Arguments[0])
		}
	}
	return 0, errNoList
}

// operator weighs what stands between two values.
func (p *planner) operator(n *ast.BinaryNode) cost {
	weight := int64(1)
	switch n.Operator {
	case "==", "!=", "<", "<=", ">", ">=":
		if !single(n.Left) || !single(n.Right) {
			return p.refuse("%s %s compares texts, numbers, true and false, and no lists", n.Operator, at(n))
		}
	case "in":
		turns, err := p.items(n.Right)
		if err != nil || !single(n.Left) {
			return p.refuse("in %s looks for a text or a number in a list", at(n))
		}
		weight = plus(1, turns)
	case "contains", "startsWith", "endsWith", "+":
		weight = textWeight
	case "matches":
		weight = p.pattern(n)
	}
	return p.sum(weight, n.Left, n.Right)
}

// pattern weighs a pattern by its size, which was looked at before.
func (p *planner) pattern(n *ast.BinaryNode) int64 {
	text, ok := n.Right.(*ast.StringNode)
	if !ok {
		return textWeight
	}
	re, err := syntax.Parse(text.Value, syntax.Perl)
	if err != nil {
		return textWeight
	}
	return times(patternSize(re), patternWeight)
}

// single reports whether a node is one value, which is compared in one step.
func single(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.NilNode:
		return true
	case *ast.PointerNode:
		if n.Name == "index" {
			return true
		}
	}
	switch n.Type().Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64, reflect.String:
		return true
	default:
		return false
	}
}
