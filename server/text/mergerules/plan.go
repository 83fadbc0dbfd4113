package mergerules

import (
	"errors"
	"fmt"
	"reflect"
	"regexp/syntax"
	"slices"

	"github.com/expr-lang/expr/ast"
)

// Weights, in steps, of operations that take longer than comparing two numbers.
const (
	textWeight    = 4  // an operation on each byte of a text
	patternWeight = 16 // matching a text against one instruction of a pattern
)

// cost is the cost of a part of a condition.
type cost struct {
	own   int64 // steps without the iterations of contained loops
	steps int64 // worst case, including loops
	cells int64 // list elements, in the worst case
}

// planner computes the worst case of a type-checked condition, and instruments its loops to count iterations.
type planner struct {
	limits       Limits
	total        cost
	err          error
	instrumented map[*ast.PredicateNode]bool
}

// Visit implements ast.Visitor. Children are visited before their parents, the root last, when total is complete.
func (p *planner) Visit(node *ast.Node) {
	if p.err != nil {
		return
	}
	p.total = p.cost(*node)
	if body, ok := (*node).(*ast.PredicateNode); ok && !p.instrumented[body] {
		p.instrument(body)
	}
}

// instrument wraps the body of a loop in a call of the meter.
func (p *planner) instrument(body *ast.PredicateNode) {
	if p.instrumented == nil {
		p.instrumented = map[*ast.PredicateNode]bool{}
	}
	p.instrumented[body] = true
	call := &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: meterName},
		Arguments: []ast.Node{body.Node, &ast.IntegerNode{Value: int(p.cost(body.Node).own)}},
	}
	call.SetLocation(body.Node.Location())
	call.SetType(body.Node.Type())
	body.Node = call
}

// refuse records an error, unless there already is one, and returns a zero cost.
func (p *planner) refuse(format string, args ...any) cost {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	return cost{}
}

// cost returns the cost of a node.
func (p *planner) cost(node ast.Node) cost {
	switch n := node.(type) {
	case *ast.UnaryNode:
		return p.sum(1, n.Node)
	case *ast.BinaryNode:
		return p.operatorCost(n)
	case *ast.ChainNode:
		return p.sum(0, n.Node)
	case *ast.MemberNode:
		return p.sum(1, n.Node)
	case *ast.ConditionalNode:
		return p.sum(1, n.Cond, n.Exp1, n.Exp2)
	case *ast.ArrayNode:
		c := p.sum(1, n.Nodes...)
		c.cells = saturatingAdd(c.cells, int64(len(n.Nodes)))
		return c
	case *ast.PredicateNode:
		return p.cost(n.Node)
	case *ast.CallNode: // a call of the meter, which costs nothing itself
		return p.cost(n.Arguments[0])
	case *ast.BuiltinNode:
		if slices.Contains(loops, n.Name) {
			return p.loopCost(n)
		}
		return p.sum(textWeight, n.Arguments...)
	}
	return cost{own: 1, steps: 1}
}

// sum adds up the costs of parts and the weight of the node itself.
func (p *planner) sum(weight int64, parts ...ast.Node) cost {
	total := cost{own: weight, steps: weight}
	for _, part := range parts {
		c := p.cost(part)
		total.own = saturatingAdd(total.own, c.own)
		total.steps = saturatingAdd(total.steps, c.steps)
		total.cells = saturatingAdd(total.cells, c.cells)
	}
	return total
}

// loopCost multiplies the cost of the body by the maximum number of items.
func (p *planner) loopCost(n *ast.BuiltinNode) cost {
	turns, err := p.maxItems(n.Arguments[0])
	if err != nil {
		return p.refuse("%s %s %w", n.Name, position(n), err)
	}
	over, body := p.sum(1, n.Arguments[0]), p.cost(n.Arguments[1])
	over.steps = saturatingAdd(over.steps, saturatingMul(turns, body.steps))
	over.cells = saturatingAdd(over.cells, saturatingMul(turns, body.cells))
	if n.Name == "filter" || n.Name == "map" {
		over.cells = saturatingAdd(over.cells, turns)
	}
	return over
}

var errNoList = errors.New("goes over reviews, serviceReviews, pages, and lists that are made of them")

// maxItems returns the maximum number of items of a list.
func (p *planner) maxItems(list ast.Node) (int64, error) {
	switch n := list.(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "pages":
			return p.limits.Pages, nil
		case "reviews", "serviceReviews":
			return p.limits.Reviews, nil
		}
	case *ast.ArrayNode:
		return int64(len(n.Nodes)), nil
	case *ast.ConditionalNode:
		first, err := p.maxItems(n.Exp1)
		second, wrong := p.maxItems(n.Exp2)
		return max(first, second), errors.Join(err, wrong)
	case *ast.BuiltinNode:
		if n.Name == "filter" || n.Name == "map" {
			return p.maxItems(n.Arguments[0])
		}
	}
	return 0, errNoList
}

// operatorCost returns the cost of a binary operator.
func (p *planner) operatorCost(n *ast.BinaryNode) cost {
	weight := int64(1)
	switch n.Operator {
	case "==", "!=", "<", "<=", ">", ">=":
		if !isScalar(n.Left) || !isScalar(n.Right) {
			return p.refuse("%s %s compares texts, numbers, true and false, and no lists", n.Operator, position(n))
		}
	case "in":
		turns, err := p.maxItems(n.Right)
		if err != nil || !isScalar(n.Left) {
			return p.refuse("in %s looks for a text or a number in a list", position(n))
		}
		weight = saturatingAdd(1, turns)
	case "contains", "startsWith", "endsWith", "+":
		weight = textWeight
	case "matches":
		weight = p.patternCost(n)
	}
	return p.sum(weight, n.Left, n.Right)
}

// patternCost returns the weight of a pattern, whose size was already checked.
func (p *planner) patternCost(n *ast.BinaryNode) int64 {
	text, ok := n.Right.(*ast.StringNode)
	if !ok {
		return textWeight
	}
	re, err := syntax.Parse(text.Value, syntax.Perl)
	if err != nil {
		return textWeight
	}
	return saturatingMul(patternSize(re), patternWeight)
}

// isScalar reports whether a node is a scalar, which is compared in one step.
func isScalar(n ast.Node) bool {
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
