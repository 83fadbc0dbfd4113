// Command typecheck checks the types of the packages of this module as for another system, such as what make release builds for:
//
//	GOOS=darwin GOARCH=arm64 go run .ci/typecheck.go ./cmd/...
//
// It reads all sources that the packages depend on, but not the bodies of functions outside the module, and compiles nothing:
// compiling takes several times as long. It prints the errors of the packages of the module, and packages that are not found.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	dir, err := os.Getwd()
	if err != nil {
		log.Fatal(err)
	}
	config := packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule,
		ParseFile: func(fset *token.FileSet, name string, src []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
			if file != nil && !strings.HasPrefix(name, dir+string(os.PathSeparator)) {
				dropBodies(file)
			}
			return file, err
		},
	}
	roots, err := packages.Load(&config, os.Args[1:]...)
	if err != nil {
		log.Fatal(err)
	}
	checked, failed := 0, 0
	packages.Visit(roots, nil, func(p *packages.Package) {
		main := p.Module != nil && p.Module.Main
		if main {
			checked++
		}
		for _, e := range p.Errors {
			if main || e.Kind == packages.ListError {
				fmt.Println(e)
				failed++
			}
		}
	})
	fmt.Printf("%d packages checked, %d errors\n", checked, failed)
	if failed > 0 || checked == 0 {
		os.Exit(1)
	}
}

// dropBodies removes the bodies of functions. Errors that follow, such as unused imports, are those of packages outside the module.
func dropBodies(file *ast.File) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
