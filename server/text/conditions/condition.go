package conditions

import (
	"errors"
	"fmt"
	"strings"
)

// Condition decides by the claims of a visitor whether content is shown.
type Condition struct {
	root   expression
	claims []path // claims that the condition refers to
}

// SyntaxError is the error of an invalid condition.
type SyntaxError struct {
	Offset  int // in bytes
	Message string
}

// Error implements error.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Message, e.Offset) }

// Holds reports whether the condition is true for the claims. It is false if a claim is missing or has an unexpected
// type.
func (c *Condition) Holds(claims map[string]any) bool {
	value, err := c.root.value(claims)
	return err == nil && value == true
}

// expression is a node of a condition.
type expression interface {
	value(claims map[string]any) (any, error)
}

var (
	errMissing = errors.New("adaptive: the claim is missing")
	errType    = errors.New("adaptive: the value is of another type")
)

// literal is a string, a number or a boolean.
type literal struct{ val any }

func (l literal) value(map[string]any) (any, error) { return l.val, nil }

// path is a path below visitor.claims: names and, in lists, indexes.
type path []any

// String returns the path as it is written in a condition.
func (p path) String() string {
	var b strings.Builder
	b.WriteString("visitor.claims")
	for _, at := range p {
		if name, ok := at.(string); ok {
			b.WriteString(pathStep(name))
		} else {
			fmt.Fprintf(&b, "[%d]", at)
		}
	}
	return b.String()
}

func (p path) value(claims map[string]any) (any, error) {
	var at any = claims
	for _, step := range p {
		switch step := step.(type) {
		case string:
			object, ok := at.(map[string]any)
			if !ok {
				return nil, errType
			}
			if at, ok = object[step]; !ok {
				return nil, errMissing
			}
		case int:
			list, ok := at.([]any)
			if !ok {
				return nil, errType
			}
			if step >= len(list) {
				return nil, errMissing
			}
			at = list[step]
		}
	}
	return at, nil
}

// notExpr is !x.
type notExpr struct{ operand expression }

func (n notExpr) value(claims map[string]any) (any, error) {
	is, err := boolValue(n.operand, claims)
	return !is, err
}

// andExpr is x && y, with y evaluated only if x is true.
type andExpr struct{ left, right expression }

func (a andExpr) value(claims map[string]any) (any, error) {
	if is, err := boolValue(a.left, claims); err != nil || !is {
		return false, err
	}
	return boolValue(a.right, claims)
}

// orExpr is x || y, with y evaluated only if x is false.
type orExpr struct{ left, right expression }

func (o orExpr) value(claims map[string]any) (any, error) {
	if is, err := boolValue(o.left, claims); err != nil || is {
		return is, err
	}
	return boolValue(o.right, claims)
}

// boolValue returns the value of an expression that must be a boolean.
func boolValue(e expression, claims map[string]any) (bool, error) {
	value, err := e.value(claims)
	if err != nil {
		return false, err
	}
	is, ok := value.(bool)
	if !ok {
		return false, errType
	}
	return is, nil
}

// equalExpr is x == y. Values of different types are not equal; lists and objects cannot be compared.
type equalExpr struct{ left, right expression }

func (e equalExpr) value(claims map[string]any) (any, error) {
	left, err := e.left.value(claims)
	if err != nil {
		return nil, err
	}
	right, err := e.right.value(claims)
	if err != nil {
		return nil, err
	}
	for _, value := range []any{left, right} {
		switch value.(type) {
		case string, float64, bool:
		default:
			return nil, errType
		}
	}
	return left == right, nil
}
