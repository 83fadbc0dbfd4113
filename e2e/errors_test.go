package e2e

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"testing"
)

// decoders are the functions and methods whose results are never dropped by a bare call.
var decoders = map[string]bool{"Decode": true, "Unmarshal": true}

// TestDiscardedResultsHaveReason checks that every line that assigns all results of a call to _ has a comment, which
// gives the reason, and that no bare call drops the error of decoding.
func TestDiscardedResultsHaveReason(t *testing.T) {
	t.Parallel()
	for _, f := range sourceFiles(t) {
		commented := map[int]bool{}
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				commented[f.line(c.Pos())] = true
			}
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if discards(n) && !commented[f.line(n.Pos())] {
					t.Errorf("%s:%d discards the results of a call without a reason on the line", f.path, f.line(n.Pos()))
				}
			case *ast.ExprStmt:
				if !isTestHelper(path.Dir(f.path)) && callsDecoder(n.X) {
					t.Errorf("%s:%d drops the error of decoding", f.path, f.line(n.Pos()))
				}
			}
			return true
		})
	}
}

// discards reports whether a statement assigns a call to blanks only.
func discards(s *ast.AssignStmt) bool {
	for _, left := range s.Lhs {
		if name, ok := left.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	if s.Tok != token.ASSIGN {
		return false
	}
	_, ok := s.Rhs[0].(*ast.CallExpr)
	return ok
}

// callsDecoder reports whether an expression calls one of the decoders.
func callsDecoder(expression ast.Expr) bool {
	call, ok := expression.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return decoders[f.Name]
	case *ast.SelectorExpr:
		return decoders[f.Sel.Name]
	}
	return false
}

var httpMethods = regexp.MustCompile(`\b(GET|POST|PUT|PATCH|DELETE)\b`)

// TestHintsNameCommands checks that the hints of errors name commands, as people see them in wsctl, and no HTTP requests.
func TestHintsNameCommands(t *testing.T) {
	t.Parallel()
	hints := 0
	eachSource(t, func(_ string, set *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if selector, ok := call.Fun.(*ast.SelectorExpr); !ok || selector.Sel.Name != "WithHint" || len(call.Args) == 0 {
				return true
			}
			hints++
			ast.Inspect(call.Args[0], func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && httpMethods.MatchString(text.Value) {
					t.Errorf("%s: the hint %s names an HTTP request", set.Position(text.Pos()), text.Value)
				}
				return true
			})
			return true
		})
	})
	if hints < 50 {
		t.Errorf("%d hints", hints)
	}
}
