package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"docspace.dev/wsd/client/api"
)

//go:embed service.go.tmpl
var serviceText string

//go:embed services.go.tmpl
var servicesText string

var (
	templateFuncs    = template.FuncMap{"comment": formatComment}
	serviceTemplate  = template.Must(template.New("service.go.tmpl").Funcs(templateFuncs).Parse(serviceText))
	servicesTemplate = template.Must(template.New("services.go.tmpl").Funcs(templateFuncs).Parse(servicesText))
)

// service is the template data of a resource.
type service struct {
	Name    string // such as Spaces
	Purpose string
	Methods []method
}

// HasStream reports whether a method returns a stream.
func (s service) HasStream() bool {
	return slices.ContainsFunc(s.Methods, func(m method) bool { return m.Stream })
}

// method is the template data of a row.
type method struct {
	Name     string // such as ListCommenters
	Variable string // variable of the row, such as ListSpaceCommenters
	In, Out  string // Go types; if Out is "" the method returns only an error
	Doc      string
	Stream   bool // returns a sequence of Out

	UploadIn, UploadDoc string // of the method that sends content; empty if the row has no such form
}

// generate returns the generated files of package client, keyed by name.
func generate(rows []api.Row) (map[string][]byte, error) {
	methods := map[string][]method{}
	for _, row := range rows {
		methods[row.Resource()] = append(methods[row.Resource()], newMethod(row))
	}
	files := map[string][]byte{}
	var services []service
	for _, p := range api.Resources() {
		s := service{goName(p.Name), p.Purpose, methods[p.Name]}
		if len(s.Methods) == 0 {
			return nil, fmt.Errorf("client/api/resources.go names %s, which have no rows", p.Name)
		}
		services = append(services, s)
		delete(methods, p.Name)
		if err := render(files, strings.ReplaceAll(p.Name, "-", "_"), serviceTemplate, s); err != nil {
			return nil, err
		}
	}
	for resource := range methods {
		return nil, fmt.Errorf("client/api/resources.go does not say what %s are for", resource)
	}
	return files, render(files, "services", servicesTemplate, services)
}

// render executes t with data and adds the formatted result to files.
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
	m := method{Name: goName(row.Verb()), Variable: rowVariable(row), In: typeName(row.In), Doc: methodDoc(row), Stream: row.Stream}
	if row.Out != reflect.TypeFor[api.None]() {
		m.Out = typeName(row.Out)
	}
	if row.Upload != nil {
		m.UploadIn, m.UploadDoc = typeName(row.Upload.In), uploadDoc(m.Name, *row.Upload)
	}
	return m
}

// typeName returns the name of a type of the contract as used in package client, such as api.Page[api.Space].
func typeName(t reflect.Type) string {
	contract := reflect.TypeFor[api.Row]().PkgPath()
	return strings.ReplaceAll(t.String(), contract+".", "api.")
}
