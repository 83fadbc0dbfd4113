package auth

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestSealedValuesAreInTheTable checks that every purpose that Sealer.Encrypt is called for is one of secret_records.go, whose
// values secret replace, fsck and doctor visit, and that every purpose there is used.
func TestSealedValuesAreInTheTable(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{} // purpose -> Encrypt is called for it
	for _, call := range callsOf(t, "secret_records.go") {
		if name := calledName(call); strings.HasSuffix(name, "Purpose") {
			listed[name] = false
		}
	}
	err := filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		isSource := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go")
		if err != nil || entry.IsDir() || !isSource {
			return err
		}
		for _, call := range callsOf(t, path) {
			if calledName(call) != "Encrypt" || len(call.Args) < 2 {
				continue
			}
			purpose, ok := call.Args[len(call.Args)-1].(*ast.CallExpr)
			name := ""
			if ok {
				name = calledName(purpose)
			}
			if _, known := listed[name]; !known {
				t.Errorf("%s: a value is sealed for a purpose that secret_records.go does not call", path)
				continue
			}
			listed[name] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, used := range listed {
		if !used {
			t.Errorf("nothing is sealed for %s", name)
		}
	}
	if len(listed) < 2 {
		t.Errorf("%d purposes are found, want more", len(listed))
	}
}

// callsOf returns the calls in a source file.
func callsOf(t *testing.T, path string) (calls []*ast.CallExpr) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

// calledName returns the name of the called function or method, without its package or receiver.
func calledName(call *ast.CallExpr) string {
	switch fn := call.Fun.(type) {
	case *ast.Ident:
		return fn.Name
	case *ast.SelectorExpr:
		return fn.Sel.Name
	}
	return ""
}
