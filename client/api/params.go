package api

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// ParamIn says where an input's field travels.
type ParamIn string

// The places of a Param.
const (
	InPath  ParamIn = "path"
	InQuery ParamIn = "query"
)

// Param is a field of an input that travels in the path or the query.
type Param struct {
	In   ParamIn
	Name string
	// Subject is what a parameter of the path names, in our own words: the space of {spaceId}. In the query it is
	// the Name.
	Subject string
	Schema  *Schema
	Index   []int
	List    bool // repeated keys: authors=a&authors=b
	// Required is set on what the operation cannot do without.
	Required bool
}

// Input is the compiled shape of a row's In.
type Input struct {
	Params []Param
	Body   *Schema // nil without a body
	// BodyIndex is the position of the field Body.
	BodyIndex []int
	// BodyLimit is how many bytes the body may have: what the row says, or what the largest body takes that the
	// schema allows.
	BodyLimit int64
}

// Input compiles the row's In. It panics when the tags of the input and the path of the row do not fit each
// other, or when a field has no tag: a mass assignment hole must not start.
func (c *Compiler) Input(r Row) Input {
	var in Input
	c.params(&in, r, r.In, nil)
	for _, name := range pathNames(r.Path) {
		known := func(p Param) bool { return p.In == InPath && p.Name == name }
		if !slices.ContainsFunc(in.Params, known) {
			panic(fmt.Sprintf("api: %s: no field of %s is bound to {%s}", r.Name, r.In, name))
		}
	}
	if in.Body != nil {
		in.BodyLimit = cmp.Or(r.BodyLimit, in.Body.bodyLimit(c.Limits.Body))
	}
	return in
}

func (c *Compiler) params(in *Input, r Row, t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int{}, prefix...), i)
		path, inPath := f.Tag.Lookup("path")
		query, inQuery := f.Tag.Lookup("query")
		switch {
		case f.Anonymous:
			c.params(in, r, f.Type, index)
		case inPath:
			if !slices.Contains(pathNames(r.Path), path) {
				panic(fmt.Sprintf("api: %s: field %s is bound to {%s}, which its path lacks", r.Name, f.Name, path))
			}
			in.Params = append(in.Params, Param{
				In: InPath, Name: path, Subject: subject(f), Schema: c.tagged(f, false), Index: index, Required: true,
			})
		case inQuery:
			schema := c.tagged(f, true)
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
	Subject string // what it names: space
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

// subject is what a field of an input names: reusableContent of ReusableContent, samlProvider of SAMLProvider.
func subject(f reflect.StructField) string {
	upper := strings.IndexFunc(f.Name, unicode.IsLower)
	first := max(1, upper-1)
	return strings.ToLower(f.Name[:first]) + f.Name[first:]
}

// pathNames returns the names of the parameters of a path, in order. A name that ends in ... takes the rest of
// the path, slashes included, and is returned without the dots.
func pathNames(path string) []string {
	var names []string
	for segment := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, "}"), "..."))
		}
	}
	return names
}
