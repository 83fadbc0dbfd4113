package e2e

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// absentRecordsHandled lists the functions whose loops pass absent records on to a callback, which checks their version.
var absentRecordsHandled = []string{"ForEachMember"}

// minRecordLoops is the least number of loops that the test must find.
const minRecordLoops = 15

// TestLoopsInTransactionsCheckForAbsentRecords checks each loop that reads records in a transaction by the ids of a list. The list
// was read before, so a record may be absent: the loop compares its version with 0, or does not use it, or the function has
// checked with RequireListed that nothing in the list has changed. A document of version 0 has an empty id, and to write it is
// misuse of the transaction.
func TestLoopsInTransactionsCheckForAbsentRecords(t *testing.T) {
	t.Parallel()
	files := sourceFiles(t)
	readers := documentReaders(files)
	found := 0
	for _, f := range files {
		if isTestHelper(path.Dir(f.path)) {
			continue
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			for _, loop := range recordLoops(fn, readers) {
				found++
				if !checksAbsentRecords(fn, loop) && !slices.Contains(absentRecordsHandled, fn.Name.Name) {
					t.Errorf("%s:%d: the loop in %s does not check for absent records", f.path, f.line(loop.Pos()), fn.Name.Name)
				}
			}
		}
	}
	if found < minRecordLoops {
		t.Errorf("found %d loops, want at least %d", found, minRecordLoops)
	}
}

// documentReaders returns the names of the methods of store.Tx that read a document.
func documentReaders(files []sourceFile) map[string]bool {
	readers := map[string]bool{}
	for _, f := range files {
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.path, "store/") || fn.Recv == nil || fn.Type.Results == nil || len(fn.Type.Results.List) < 2 {
				continue
			}
			receiver, ok := fn.Recv.List[0].Type.(*ast.StarExpr)
			if !ok || !isNamed(receiver.X, "Tx") {
				continue
			}
			if name, ok := fn.Type.Results.List[0].Type.(*ast.Ident); ok && strings.HasSuffix(name.Name, "Document") {
				readers[fn.Name.Name] = true
			}
		}
	}
	return readers
}

func isNamed(e ast.Expr, name string) bool {
	ident, ok := e.(*ast.Ident)
	return ok && ident.Name == name
}

// recordLoops returns the innermost loops of a function that read a document and use it.
func recordLoops(fn *ast.FuncDecl, readers map[string]bool) (loops []*ast.RangeStmt) {
	ast.PreorderStack(fn.Body, nil, func(n ast.Node, stack []ast.Node) bool {
		assigned, ok := n.(*ast.AssignStmt)
		if !ok || len(assigned.Rhs) != 1 || len(assigned.Lhs) < 2 || isNamed(assigned.Lhs[0], "_") {
			return true
		}
		call, ok := assigned.Rhs[0].(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !isNamed(method.X, "tx") || !readers[method.Sel.Name] {
			return true
		}
		for _, outer := range slices.Backward(stack) {
			if loop, ok := outer.(*ast.RangeStmt); ok {
				if !slices.Contains(loops, loop) {
					loops = append(loops, loop)
				}
				break
			}
		}
		return true
	})
	return loops
}

// checksAbsentRecords reports whether a loop of a function uses a version, or follows a call of RequireListed.
func checksAbsentRecords(fn *ast.FuncDecl, loop *ast.RangeStmt) bool {
	return mentions(loop.Body, token.NoPos, "Version") || mentions(fn.Body, loop.Pos(), "RequireListed")
}

// mentions reports whether a selector of the given name is below n, before a position if it is valid.
func mentions(n ast.Node, before token.Pos, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		found = found || ok && selector.Sel.Name == name && (!before.IsValid() || selector.Pos() < before)
		return !found
	})
	return found
}
