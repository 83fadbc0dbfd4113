package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"reflect"
	"strings"
	"text/template"

	"docspace.dev/wsd/client/api"
)

//go:embed service.go.tmpl
var serviceText string

//go:embed services.go.tmpl
var servicesText string

var (
	functions        = template.FuncMap{"comment": comment}
	serviceTemplate  = template.Must(template.New("service.go.tmpl").Funcs(functions).Parse(serviceText))
	servicesTemplate = template.Must(template.New("services.go.tmpl").Funcs(functions).Parse(servicesText))
)

// service is what the templates need of one resource.
type service struct {
	Name    string // Spaces
	Purpose string
	Methods []method
}

// method is what the templates need of one row.
type method struct {
	Name     string // ListCommenters
	Variable string // of the row: ListSpaceCommenters
	In, Out  string // Go types; without an Out the method returns an error only
	Doc      string
}

// generate returns the generated files of package client by their names.
func generate(rows []api.Row) (map[string][]byte, error) {
	methods := map[string][]method{}
	for _, row := range rows {
		methods[row.Resource()] = append(methods[row.Resource()], newMethod(row))
	}
	files := map[string][]byte{}
	var services []service
	for _, p := range purposes {
		s := service{camel(p.resource), p.purpose, methods[p.resource]}
		if len(s.Methods) == 0 {
			return nil, fmt.Errorf("services.go names %s, which have no rows", p.resource)
		}
		services = append(services, s)
		delete(methods, p.resource)
		if err := render(files, strings.ReplaceAll(p.resource, "-", "_"), serviceTemplate, s); err != nil {
			return nil, err
		}
	}
	for resource := range methods {
		return nil, fmt.Errorf("services.go does not say what %s are for", resource)
	}
	return files, render(files, "services", servicesTemplate, services)
}

// render adds a file to files, formatted.
func render(files map[string][]byte, stem string, t *template.Template, data any) error {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return err
	}
	source, err := format.Source(b.Bytes())
	if err != nil {
		return fmt.Errorf("%s: %w", stem, err)
	}
	files[stem+suffix] = source
	return nil
}

func newMethod(row api.Row) method {
	m := method{Name: camel(row.Verb()), Variable: variable(row), In: typeName(row.In), Doc: doc(row)}
	if row.Out != reflect.TypeFor[api.None]() {
		m.Out = typeName(row.Out)
	}
	return m
}

// typeName writes a type of the contract as package client does: api.Page[api.Space].
func typeName(t reflect.Type) string {
	contract := reflect.TypeFor[api.Row]().PkgPath()
	return strings.ReplaceAll(t.String(), contract+".", "api.")
}
