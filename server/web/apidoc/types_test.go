package apidoc

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// Update is the flag of the tests of both packages that writes types.json and the examples.
var Update = flag.Bool("update", false, "write types.json and the examples")

// TestTypesAreCurrent compares types.json with the comments of the types of the contract.
func TestTypesAreCurrent(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	if err := encoder.Encode(describeTypes(t)); err != nil {
		t.Fatal(err)
	}
	if *Update {
		if err := os.WriteFile("types.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b.Bytes(), typesJSON) {
		t.Error("types.json differs from the comments; run: go test ./server/web/apidoc -run TestTypesAreCurrent -update")
	}
}

// describeTypes returns the comments of the types of the contract by name. Names of rows are replaced by operation ids, and
// sentences about Go are left out.
func describeTypes(t *testing.T) map[string]string {
	t.Helper()
	operations := map[string]string{}
	files, err := filepath.Glob("../../../client/api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no source of the contract", err)
	}
	parsed := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			d, ok := declaration.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					parsed[spec.Name.Name] = strings.Join(strings.Fields(commentOf(d, spec.Doc)), " ")
				case *ast.ValueSpec:
					addOperations(operations, spec)
				}
			}
		}
	}
	for name, text := range parsed {
		if parsed[name] = translate(text, operations); parsed[name] == "" || !ast.IsExported(name) {
			delete(parsed, name)
		}
	}
	return parsed
}

func commentOf(d *ast.GenDecl, doc *ast.CommentGroup) string {
	if doc == nil {
		doc = d.Doc
	}
	return doc.Text()
}

// addOperations adds the operation id of each variable of a specification that declares a row.
func addOperations(operations map[string]string, spec *ast.ValueSpec) {
	for i, value := range spec.Values {
		call, ok := value.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 || i >= len(spec.Names) {
			continue
		}
		literal, ok := call.Args[0].(*ast.BasicLit)
		if !ok {
			continue
		}
		for _, row := range api.Rows() {
			if `"`+row.Name+`"` == literal.Value {
				operations[spec.Names[i].Name] = row.Operation
			}
		}
	}
}

var identifier = regexp.MustCompile(`\b[A-Z][A-Za-z]+\b`)

func translate(text string, operations map[string]string) string {
	var kept []string
	for _, sentence := range strings.SplitAfter(text, ". ") {
		if !strings.HasPrefix(sentence, "In Go,") && !strings.HasPrefix(sentence, "See ") {
			kept = append(kept, sentence)
		}
	}
	return identifier.ReplaceAllStringFunc(strings.TrimSpace(strings.Join(kept, "")), func(word string) string {
		if operation, ok := operations[word]; ok {
			return "`" + operation + "`"
		}
		return word
	})
}
