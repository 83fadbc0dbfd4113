package e2e

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// functionID is a function of a source file, given by its import path.
type functionID struct{ file, name string }

// readCounters returns the number of calls of each function, which is the counter of its first block.
func readCounters(ctx context.Context, dir, counters string) (map[functionID]int, error) {
	profile := filepath.Join(counters, "profile")
	convert := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+profile)
	convert.Stderr = os.Stderr
	if err := convert.Run(); err != nil {
		return nil, fmt.Errorf("counters: %w", err)
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	first := map[string]map[int]int{} // file -> line of a block -> count
	for line := range strings.Lines(string(text)) {
		file, rest, ok := strings.Cut(line, ".go:")
		if !ok {
			continue
		}
		var from, column, to, end, statements, n int
		if _, err := fmt.Sscanf(rest, "%d.%d,%d.%d %d %d", &from, &column, &to, &end, &statements, &n); err != nil {
			return nil, fmt.Errorf("profile: %q: %w", line, err)
		}
		if first[file] == nil {
			first[file] = map[int]int{}
		}
		first[file][from] = max(first[file][from], n)
	}
	entered := map[functionID]int{}
	for file, blocks := range first {
		if err := addFunctions(entered, dir, file+".go", blocks); err != nil {
			return nil, err
		}
	}
	return entered, nil
}

// addFunctions adds the functions of a file. The first block of a function begins on the line of its brace.
func addFunctions(entered map[functionID]int, dir, file string, blocks map[int]int) error {
	local := strings.TrimPrefix(file, module+"/")
	if strings.HasPrefix(local, "client/api/") {
		return nil
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, filepath.Join(dir, local), nil, parser.ParseComments)
	if err != nil {
		return err
	}
	if ast.IsGenerated(syntax) {
		return nil
	}
	for _, decl := range syntax.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		name := fn.Name.Name
		if fn.Recv != nil {
			name = receiver(fn.Recv.List[0].Type) + "." + name
		}
		entered[functionID{file, name}] += blocks[set.Position(fn.Body.Lbrace).Line]
	}
	return nil
}

func TestAddFunctionsCountsCalls(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, "walks_counters_test.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[int]int{}
	for i, decl := range syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			blocks[set.Position(fn.Body.Lbrace).Line] = i
		}
	}
	entered := map[functionID]int{}
	file := module + "/e2e/walks_counters_test.go"
	if err := addFunctions(entered, "..", file, blocks); err != nil {
		t.Fatal(err)
	}
	for i, decl := range syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && entered[functionID{file, fn.Name.Name}] != i {
			t.Errorf("%s was entered %d times, want %d", fn.Name.Name, entered[functionID{file, fn.Name.Name}], i)
		}
	}
}
