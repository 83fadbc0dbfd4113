package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

// TestGeneratedFilesAreCurrent checks that the generated files match the contract, and that there are no other generated files.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	t.Parallel()
	want, err := generate(api.Rows())
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("../*" + suffix)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]byte{}
	for _, path := range paths {
		if got[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !bytes.Equal(got[name], want[name]) {
			t.Errorf("client/%s is stale: go generate ./client", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("client/%s has no resource any more: go generate ./client", name)
	}
}

func TestEveryResourceHasPurpose(t *testing.T) {
	t.Parallel()
	row := api.GetUser.Row
	row.Name = "lamps.get"
	if _, err := generate(append(api.Rows(), row)); err == nil || !strings.Contains(err.Error(), "lamps") {
		t.Errorf("a resource without a purpose: %v", err)
	}
	gone := func(r api.Row) bool { return r.Resource() == "subdomains" }
	if _, err := generate(slices.DeleteFunc(api.Rows(), gone)); err == nil || !strings.Contains(err.Error(), "subdomains") {
		t.Errorf("a purpose without a resource: %v", err)
	}
}

// TestRunReplacesGeneratedFilesOnly checks that run removes obsolete generated files but no handwritten ones.
func TestRunReplacesGeneratedFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"client.go", "lamps_gen.go", "spaces_gen.go"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"client.go": true, "lamps_gen.go": false, "spaces_gen.go": true, "services_gen.go": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMethodDoc(t *testing.T) {
	t.Parallel()
	const place = "\n\n\tPATCH /v1/lamps (operation turnLamp)"
	for summary, want := range map[string]string{
		"Edit, resolve or react to a lamp.":            "Turn edits, resolves or reacts to a lamp." + place,
		"Copy a lamp; shades and posts stay behind.":   "Turn copies a lamp; shades and posts stay behind." + place,
		"Publish what people may read, and say why.":   "Turn publishes what people may read, and say why." + place,
		"Move a lamp (deprecated: lamps sort-shades).": "Turn moves a lamp." + place + "\n\nDeprecated: use [LampsService.SortShades].",
	} {
		row := api.GetUser.Row
		row.Name, row.Operation, row.Method, row.Path, row.Summary = "lamps.turn", "turnLamp", "PATCH", "/v1/lamps", summary
		if diff := cmp.Diff(want, methodDoc(row)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestOperationVariablesMatchNames checks that the variable of each row is the one that rowVariable derives from the name of
// the row, such as ListChangeRequestReviewers for change-requests.list-reviewers. Only a list is in the plural.
func TestOperationVariablesMatchNames(t *testing.T) {
	t.Parallel()
	variables := rowVariables(t)
	for _, row := range api.Rows() {
		if got, want := variables[row.Name], rowVariable(row); got != want {
			t.Errorf("%s is api.%s, want api.%s", row.Name, got, want)
		}
	}
}

// rowVariables parses the sources of package api and returns the variable of each row by the name of the row.
func rowVariables(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of the contract: %v", err)
	}
	variables := map[string]string{}
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if name, ok := rowName(spec.Values[0]); ok {
				variables[name] = spec.Names[0].Name
			}
			return true
		})
	}
	return variables
}

func rowName(e ast.Expr) (string, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	name, err := strconv.Unquote(literal.Value)
	return name, err == nil && strings.Contains(name, ".")
}
