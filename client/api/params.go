package api

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// ParamIn is the location of a parameter in a request.
type ParamIn string

// The locations of a Param.
const (
	InPath  ParamIn = "path"
	InQuery ParamIn = "query"
)

// Param is a field of an input that is sent in the path or the query.
type Param struct {
	In   ParamIn
	Name string
	// Subject is the resource that a path parameter identifies, such as space for {spaceId}. For a query parameter it
	// is the Name.
	Subject string
	Schema  *Schema
	Index   []int
	List    bool // repeated keys: authors=a&authors=b
	// Required is set if the operation needs the parameter.
	Required bool
}

// Input is the compiled input type of a row.
type Input struct {
	Params []Param
	Body   *Schema // nil without a body
	// BodyIndex is the index of the field Body, for reflect.Value.FieldByIndex.
	BodyIndex []int
	// BodyLimit is the maximum size of the body in bytes: the limit of the row, or the maximum size of a body that
	// the schema allows.
	BodyLimit int64
	// Upload is the input of the second form; nil if the row has none. It has no body.
	Upload *Input
}

// Input compiles the input type of a row. It panics if its tags do not match the path of the row, or if a field has
// no tag, because an untagged field could be set by a request (mass assignment).
func (c *Compiler) Input(r Row) Input {
	var in Input
	c.addParams(&in, r, r.In, nil)
	for _, name := range pathNames(r.Path) {
		known := func(p Param) bool { return p.In == InPath && p.Name == name }
		if !slices.ContainsFunc(in.Params, known) {
			panic(fmt.Sprintf("api: %s: no field of %s is bound to {%s}", r.Name, r.In, name))
		}
	}
	if in.Body != nil {
		in.BodyLimit = cmp.Or(r.BodyLimit, in.Body.bodyLimit(c.Limits.Body))
	}
	if r.Upload != nil {
		in.Upload = new(c.Input(r.Upload.Form(r)))
	}
	return in
}

func (c *Compiler) addParams(in *Input, r Row, t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int{}, prefix...), i)
		path, inPath := f.Tag.Lookup("path")
		query, inQuery := f.Tag.Lookup("query")
		switch {
		case f.Anonymous:
			c.addParams(in, r, f.Type, index)
		case inPath:
			if !slices.Contains(pathNames(r.Path), path) {
				panic(fmt.Sprintf("api: %s: field %s is bound to {%s}, which its path lacks", r.Name, f.Name, path))
			}
			in.Params = append(in.Params, Param{
				In: InPath, Name: path, Subject: subject(f), Schema: c.fieldSchema(t, f, false), Index: index, Required: true,
			})
		case inQuery:
			schema := c.fieldSchema(t, f, true)
			in.Params = append(in.Params, Param{
				In: InQuery, Name: query, Subject: query, Schema: schema, Index: index, List: schema.Kind == KindArray,
				Required: f.Tag.Get("required") == "true",
			})
		case f.Name == "Body":
			in.Body, in.BodyIndex = c.Compile(f.Type), index
		default:
			panic(fmt.Sprintf("api: %s: field %s of %s has neither a path nor a query tag", r.Name, f.Name, t))
		}
	}
}

// PathParam is a parameter of a row's path.
type PathParam struct {
	Name    string // as in the path: spaceId
	Subject string // the resource it identifies: space
}

// PathParams returns the parameters of the row's path, in order.
func (r Row) PathParams() []PathParam {
	var params []PathParam
	for _, name := range pathNames(r.Path) {
		for _, f := range reflect.VisibleFields(r.In) {
			if f.Tag.Get("path") == name {
				params = append(params, PathParam{Name: name, Subject: subject(f)})
				break
			}
		}
	}
	return params
}

// subject returns the resource of an input field: reusableContent for ReusableContent, samlProvider for SAMLProvider.
func subject(f reflect.StructField) string {
	upper := strings.IndexFunc(f.Name, unicode.IsLower)
	first := max(1, upper-1)
	return strings.ToLower(f.Name[:first]) + f.Name[first:]
}

// pathNames returns the parameter names of a path in order. A name that ends in ... matches the rest of the path
// including slashes, and is returned without the dots.
func pathNames(path string) []string {
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, "}"), "..."))
		}
	}
	return names
}
