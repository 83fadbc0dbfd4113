package mergerules

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// loops are the functions that evaluate their second argument for each item of the first; functions are the others.
var (
	loops     = []string{"all", "any", "none", "one", "count", "filter", "map"}
	functions = []string{"len", "lower", "upper", "trim"}
)

// maxPattern limits the program size of a regular expression, in instructions.
const maxPattern = 1000

// validate returns an error if a condition contains anything that is not part of the language. It is called before the compiler
// processes the condition.
func validate(root ast.Node) error {
	a := &validator{}
	ast.Walk(&root, a)
	return a.err
}

// validator visits a tree and records the first error.
type validator struct{ err error }

// Visit implements ast.Visitor.
func (v *validator) Visit(node *ast.Node) {
	if v.err == nil {
		v.err = validateNode(*node)
	}
}

func validateNode(node ast.Node) error {
	switch n := node.(type) {
	case *ast.NilNode, *ast.IdentifierNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode, *ast.UnaryNode,
		*ast.ChainNode, *ast.ArrayNode, *ast.ConditionalNode, *ast.PredicateNode:
		return nil
	case *ast.PointerNode:
		if n.Name == "" || n.Name == "index" {
			return nil
		}
	case *ast.MemberNode:
		switch n.Property.(type) {
		case *ast.StringNode, *ast.IntegerNode:
			return nil
		}
	case *ast.BuiltinNode:
		if slices.Contains(loops, n.Name) && len(n.Arguments) == 2 || slices.Contains(functions, n.Name) {
			return nil
		}
		return fmt.Errorf("%s %s cannot be used; there are %s", n.Name, position(n), strings.Join(slices.Concat(loops, functions), ", "))
	case *ast.CallNode:
		return fmt.Errorf("a call %s cannot be used; there are %s", position(n), strings.Join(slices.Concat(loops, functions), ", "))
	case *ast.BinaryNode:
		return validateOperator(n)
	}
	return fmt.Errorf("what stands %s cannot be used: conditions have comparisons, and, or, not, in, contains, startsWith, endsWith, "+
		"matches, arithmetic, ?:, ?? and lists", position(node))
}

// validateOperator rejects ranges, powers, and patterns that are not constant or too large.
func validateOperator(n *ast.BinaryNode) error {
	switch n.Operator {
	case "..", "**", "^":
		return fmt.Errorf("%s %s cannot be used", n.Operator, position(n))
	case "matches":
		pattern, ok := n.Right.(*ast.StringNode)
		if !ok {
			return fmt.Errorf("the pattern of matches %s has to be written out", position(n))
		}
		re, err := syntax.Parse(pattern.Value, syntax.Perl)
		if err != nil {
			return fmt.Errorf("the pattern %s cannot be read: %w", position(n), err)
		}
		if size := patternSize(re); size > maxPattern {
			return fmt.Errorf("the pattern %s is too large: %d steps, at most %d", position(n), size, maxPattern)
		}
	}
	return nil
}

// patternSize estimates the number of instructions of a regular expression with its repetitions expanded.
func patternSize(re *syntax.Regexp) int64 {
	size := int64(1 + len(re.Rune))
	for _, sub := range re.Sub {
		size = saturatingAdd(size, patternSize(sub))
	}
	if re.Op == syntax.OpRepeat {
		size = saturatingMul(size, int64(max(re.Max, re.Min, 1)))
	}
	return size
}
