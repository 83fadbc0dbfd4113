package e2e

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Errors about data that is damaged, lost or changed concurrently.
var (
	// testedErrors are the errors for which a comparison by errors.Is, == or != is a branch.
	testedErrors = []string{"ErrCorrupt", "ErrMissing", "ErrStale", "ErrExists", "ErrHeadMoved"}
	// returnedErrors are the errors whose returns and assignments make the condition that guards them a branch.
	returnedErrors = []string{"ErrStale", "ErrExists", "ErrHeadMoved"}
	// errorTests are the functions that test an error; each call is a branch. The value is true if the campaign changes the
	// argument instead of the result, because the function has two results.
	errorTests = map[string]bool{"IsLost": false, "AsUnreadable": true}
)

// branch is an expression in the source that handles damaged, lost or changed data: a test for one of testedErrors, a condition
// under which one of returnedErrors is returned, or a comparison of the versions of a record. The campaign changes it so that
// the case never occurs.
type branch struct {
	file, function string
	condition      string // the condition, with the changed expression in «»
	kind           string

	from, to int  // offsets of the changed expression
	isError  bool // the expression is an error, which becomes nil
	isEqual  bool // the expression is true in the normal case, and becomes true
}

// name returns the file, the function and the condition of the branch, which identify it in the table.
func (b branch) name() string { return b.file + " " + b.function + ": " + b.condition }

// directory returns the directory of the package.
func (b branch) directory() string { return path.Dir(b.file) }

// findBranches lists the branches of the module in the order of the source.
func findBranches(t *testing.T) []branch {
	t.Helper()
	var found []branch
	times := map[string]int{}
	for _, f := range sourceFiles(t) {
		if !isWithin(f.path, "server") && !isWithin(f.path, "store") && !isWithin(f.path, "cmd") || isTestHelper(path.Dir(f.path)) {
			continue
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			s := branchSearch{sourceFile: f, function: functionName(fn)}
			ast.Inspect(fn.Body, s.visit)
			slices.SortFunc(s.branches, func(a, b branch) int { return a.from - b.from })
			for _, b := range s.branches {
				if times[b.name()]++; times[b.name()] > 1 {
					b.condition += " #" + strconv.Itoa(times[b.name()])
				}
				found = append(found, b)
			}
		}
	}
	return found
}

// functionName returns the name of a function, for a method with the name of the type.
func functionName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	receiver := fn.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	switch generic := receiver.(type) {
	case *ast.IndexExpr:
		receiver = generic.X
	case *ast.IndexListExpr:
		receiver = generic.X
	}
	return fmt.Sprint(receiver, ".", fn.Name.Name)
}

// branchSearch collects the branches of one function.
type branchSearch struct {
	sourceFile
	function string
	branches []branch
	parents  []ast.Node
}

func (s *branchSearch) visit(n ast.Node) bool {
	if n == nil {
		s.parents = s.parents[:len(s.parents)-1]
		return true
	}
	s.parents = append(s.parents, n)
	switch n := n.(type) {
	case *ast.CallExpr:
		s.visitCall(n)
	case *ast.BinaryExpr:
		s.visitComparison(n)
	case *ast.IfStmt:
		s.visitBody(n.Body.List, n.Cond)
	case *ast.CaseClause:
		if s.isTagless() {
			s.visitBody(n.Body, n.List...)
		}
	}
	return true
}

// isTagless reports whether the innermost enclosing switch is an expression switch without a tag, whose cases are conditions.
func (s *branchSearch) isTagless() bool {
	for _, n := range slices.Backward(s.parents) {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			return n.Tag == nil
		case *ast.TypeSwitchStmt, *ast.SelectStmt:
			return false
		}
	}
	return false
}

// visitCall adds calls of errors.Is with one of testedErrors, of Contains with the text of one, and of errorTests.
func (s *branchSearch) visitCall(call *ast.CallExpr) {
	name := lastName(call.Fun)
	ofArgument, isTest := errorTests[name]
	switch {
	case name == "Is" && len(call.Args) == 2 && slices.Contains(testedErrors, lastName(call.Args[1])):
		s.add(branch{kind: lastName(call.Args[1])}, call)
	case name == "Contains" && len(call.Args) == 2 && isErrorText(call.Args[1]):
		s.add(branch{kind: "text"}, call)
	case isTest && len(call.Args) == 1 && ofArgument:
		s.add(branch{kind: name, isError: true}, call.Args[0])
	case isTest && len(call.Args) == 1:
		s.add(branch{kind: name}, call)
	}
}

// isErrorText reports whether an expression is the text of one of testedErrors.
func isErrorText(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	return ok && method.Sel.Name == "Error" && slices.Contains(testedErrors, lastName(method.X))
}

// visitComparison adds the comparisons by == and != that have one of testedErrors as an operand, or that compare a Version
// field with a value other than a literal.
func (s *branchSearch) visitComparison(n *ast.BinaryExpr) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	for _, side := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
		selector, ok := side[0].(*ast.SelectorExpr)
		_, isLiteral := side[1].(*ast.BasicLit)
		switch {
		case slices.Contains(testedErrors, lastName(side[0])):
			s.add(branch{kind: lastName(side[0]), isEqual: n.Op == token.NEQ}, n)
			return
		case ok && selector.Sel.Name == "Version" && !isLiteral:
			s.add(branch{kind: "version", isEqual: n.Op == token.EQL}, n)
			return
		}
	}
}

// visitBody adds the conditions of a body that returns or assigns one of returnedErrors, unless a part of the condition
// is a branch.
func (s *branchSearch) visitBody(body []ast.Stmt, conditions ...ast.Expr) {
	for _, statement := range body {
		var values []ast.Expr
		switch statement := statement.(type) {
		case *ast.ReturnStmt:
			values = statement.Results
		case *ast.AssignStmt:
			values = statement.Rhs
		}
		kind := ""
		for _, value := range values {
			ast.Inspect(value, func(n ast.Node) bool {
				if e, ok := n.(ast.Expr); ok && slices.Contains(returnedErrors, lastName(e)) {
					kind = "returned " + lastName(e)
				}
				_, isFunction := n.(*ast.FuncLit)
				return !isFunction
			})
		}
		if kind == "" {
			continue
		}
		for _, condition := range conditions {
			part := branchSearch{sourceFile: s.sourceFile}
			if ast.Inspect(condition, part.visit); len(part.branches) == 0 {
				s.add(branch{kind: kind}, condition)
			}
		}
		return
	}
}

// add records b as a branch that changes the given condition or error, which must lie inside the visited node.
func (s *branchSearch) add(b branch, changed ast.Expr) {
	var whole ast.Node = changed
	for _, n := range slices.Backward(s.parents) {
		e, ok := n.(ast.Expr)
		if _, isFunction := n.(*ast.FuncLit); !ok || isFunction {
			break
		}
		if e.Pos() <= changed.Pos() && changed.End() <= e.End() {
			whole = e
		}
	}
	text, part := s.text(whole), s.text(changed)
	b.file, b.function = s.path, s.function
	b.condition = strings.Replace(text, part, "«"+part+"»", 1)
	b.from, b.to = s.fset.Position(changed.Pos()).Offset, s.fset.Position(changed.End()).Offset
	s.branches = append(s.branches, b)
}

// text returns the source of an expression in one line.
func (s *branchSearch) text(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// lastName returns the last name of an identifier or selector, or "".
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}
