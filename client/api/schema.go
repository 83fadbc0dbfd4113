package api

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Kind is the JSON type of a Schema.
type Kind string

// The kinds of a Schema.
const (
	KindString  Kind = "string"
	KindInteger Kind = "integer"
	KindNumber  Kind = "number"
	KindBoolean Kind = "boolean"
	KindObject  Kind = "object"
	KindArray   Kind = "array"
	KindMap     Kind = "map" // object with arbitrary keys
	KindAny     Kind = "any"
)

// Schema says what a value of the contract looks like. It is compiled from a Go type and its field tags, and is
// the single source of body validation, the OpenAPI document and the flags of wsctl.
//
// Tags: `json` (name; omitzero or omitempty = optional), `doc`, `len:"min..max"` (characters of a string, items
// of a list, entries of a map, bytes of any JSON), `range:"min..max"` (numbers), `pattern` (a name of Patterns),
// `format` (uri, date-time, emoji, markdown, text, base64), `default`, `null:"true"` (an Optional that may be null),
// `enum:"a,b"`, `each:"min..max"` and `eachFormat` (what len and format are, of the items of a list or map), `keys:"min..max"` and `keyPattern`
// (characters of the keys of a map, and what they match), `unique:"true"` (a list that repeats nothing). A pattern
// or format that implies how long a text may be needs no len.
type Schema struct {
	Kind     Kind
	Name     string // Go type name of an object, "" for an anonymous one
	Nullable bool
	Enum     []string
	Words    []string // texts that may stand in place of an array
	OrObject bool     // an object may stand in place of a text
	Object   *Schema  // an object like this may stand in place of a text
	Min, Max *int
	Pattern  string
	Format   string
	Default  string
	Doc      string
	Items    *Schema // of an array or a map
	Keys     *Schema // of a map; nil: any
	Unique   bool    // no item of the array twice
	Fields   []Field // of an object, in declaration order
}

// Field is one member of an object.
type Field struct {
	Name     string
	Required bool
	Schema   *Schema
	Index    []int // for reflect.Value.FieldByIndex
}

// Field returns the member with that name.
func (s *Schema) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Compiler turns Go types into Schemas; equal types share one Schema, so recursive types are possible.
type Compiler struct {
	Limits Limits // of the server that compiles; DefaultLimits unless it sets them

	known map[reflect.Type]*Schema
	depth int
	// narrowed are copies of schemas that fields narrow by tags. Where a type contains itself the original was not
	// complete when it was copied, so what the two share is set at the end.
	narrowed []narrowing
}

type narrowing struct {
	copied, original *Schema
	items            bool // the copy's are its own
}

// NewCompiler returns an empty Compiler.
func NewCompiler() *Compiler {
	return &Compiler{Limits: DefaultLimits(), known: map[reflect.Type]*Schema{}}
}

// Compile returns the Schema of t. It panics when the contract itself is wrong (a field without a tag, an unknown
// pattern): rows are compiled at start, so a test that builds the server catches it.
func (c *Compiler) Compile(t reflect.Type) *Schema {
	if s, ok := c.known[t]; ok {
		return s
	}
	s := &Schema{}
	c.known[t] = s
	c.depth++
	c.fill(s, t)
	c.depth--
	if c.depth == 0 {
		c.complete()
	}
	return s
}

// complete gives the copies what their originals have by now.
func (c *Compiler) complete() {
	for _, n := range c.narrowed {
		n.copied.Kind, n.copied.Name = n.original.Kind, n.original.Name
		if n.copied.Fields = n.original.Fields; !n.items {
			n.copied.Items = n.original.Items
		}
	}
	c.narrowed = nil
}

func (c *Compiler) fill(s *Schema, t reflect.Type) {
	switch {
	case t == reflect.TypeFor[Time]():
		s.Kind, s.Format, s.Max = KindString, "date-time", new(maxTime)
		return
	case t == reflect.TypeFor[Text]():
		s.Kind, s.Format = KindString, "text"
		return
	case t == reflect.TypeFor[Description](), t == reflect.TypeFor[Invitee]():
		s.Kind, s.OrObject = KindString, true
		return
	case t == reflect.TypeFor[Base64]():
		s.Kind, s.Format = KindString, "base64"
		return
	case t == reflect.TypeFor[json.RawMessage]():
		s.Kind = KindAny
		return
	case t == reflect.TypeFor[JSONObject]():
		s.Kind, s.Items = KindMap, &Schema{Kind: KindAny}
		return
	case t.Kind() == reflect.Struct && t.Implements(reflect.TypeFor[textOrObject]()):
		text, object := reflect.Zero(t).Interface().(textOrObject).textOrObject()
		s.Kind, s.Enum, s.Object = KindString, enumOf(text), c.Compile(object)
		return
	case t.Implements(reflect.TypeFor[optional]()):
		c.copy(s, reflect.Zero(t).Interface().(optional).element())
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		c.copy(s, t.Elem())
		s.Nullable = true
	case reflect.String:
		s.Kind, s.Enum = KindString, enumOf(t)
	case reflect.Bool:
		s.Kind = KindBoolean
	case reflect.Int, reflect.Int64:
		s.Kind = KindInteger
	case reflect.Float64:
		s.Kind = KindNumber
	case reflect.Slice:
		s.Kind, s.Items, s.Words = KindArray, c.Compile(t.Elem()), wordsOf(t)
	case reflect.Map:
		s.Kind, s.Items = KindMap, c.Compile(t.Elem())
	case reflect.Interface:
		s.Kind = KindAny
	case reflect.Struct:
		s.Kind, s.Name = KindObject, schemaName(t)
		s.Fields = c.fields(t, nil)
		if t.Implements(reflect.TypeFor[defaulted]()) {
			s.Fields = leftOut(s.Fields)
		}
	default:
		panic(fmt.Sprintf("api: %s cannot be part of the contract", t))
	}
}

// copy makes s what t is.
func (c *Compiler) copy(s *Schema, t reflect.Type) {
	original := c.Compile(t)
	*s = *original
	c.narrowed = append(c.narrowed, narrowing{copied: s, original: original})
}

// schemaName is the component name: "Space", and "PageOfSpace" for Page[Space].
func schemaName(t reflect.Type) string {
	name, argument, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	argument = strings.TrimSuffix(argument, "]")
	return name + "Of" + argument[strings.LastIndexAny(argument, "./")+1:]
}

func (c *Compiler) fields(t reflect.Type, prefix []int) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int{}, prefix...), i)
		if f.Anonymous {
			fields = append(fields, c.fields(f.Type, index)...)
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			panic(fmt.Sprintf("api: field %s of %s has no json tag", f.Name, t))
		}
		optional := strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")
		fields = append(fields, Field{Name: name, Required: !optional, Schema: c.tagged(f, optional), Index: index})
	}
	return fields
}

// tagged is the schema of a field: its type's, narrowed by the field's tags.
func (c *Compiler) tagged(f reflect.StructField, optional bool) *Schema {
	base := c.Compile(f.Type)
	s := *base
	if f.Type.Kind() == reflect.Pointer && optional {
		s.Nullable = false // an optional pointer is absent, not null
	}
	tag := f.Tag
	if tag.Get("null") == "true" {
		s.Nullable = true
	}
	for key, target := range map[string]*string{"doc": &s.Doc, "format": &s.Format, "default": &s.Default, "pattern": &s.Pattern} {
		if v, ok := tag.Lookup(key); ok {
			*target = v
		}
	}
	if s.Pattern != "" && Patterns[s.Pattern] == nil {
		panic(fmt.Sprintf("api: field %s has the unknown pattern %q", f.Name, s.Pattern))
	}
	if v, ok := tag.Lookup("enum"); ok {
		s.Enum = strings.Split(v, ",")
	}
	for _, key := range []string{"len", "range"} {
		if v, ok := tag.Lookup(key); ok {
			s.Min, s.Max = bounds(f.Name, v)
		}
	}
	if s.Max == nil && s.Kind == KindString {
		s.Max = implied(&s)
	}
	s.Unique = s.Unique || tag.Get("unique") == "true"
	narrowItems(&s, f)
	if same(s, *base) {
		return base // keep sharing, so that components stay components
	}
	c.narrowed = append(c.narrowed, narrowing{copied: &s, original: base, items: s.Items != base.Items})
	return &s
}

// narrowItems gives the items and keys of a list or map their limits.
func narrowItems(s *Schema, f reflect.StructField) {
	if v, ok := f.Tag.Lookup("each"); ok {
		items := *s.Items
		items.Min, items.Max = bounds(f.Name, v)
		items.Format = f.Tag.Get("eachFormat")
		s.Items = &items
	}
	if v, ok := f.Tag.Lookup("keys"); ok {
		s.Keys = &Schema{Kind: KindString, Pattern: f.Tag.Get("keyPattern")}
		s.Keys.Min, s.Keys.Max = bounds(f.Name, v)
		if s.Keys.Pattern != "" && Patterns[s.Keys.Pattern] == nil {
			panic(fmt.Sprintf("api: field %s has keys of the unknown pattern %q", f.Name, s.Keys.Pattern))
		}
	}
}

// textOrObject is a type that is written as one of the values of a text, or as an object.
type textOrObject interface {
	textOrObject() (text, object reflect.Type)
}

// defaulted is the type of a body whose members have defaults.
type defaulted interface{ defaulted() }

// leftOut are fields that may be left out, and so may be those of the objects that they require.
func leftOut(fields []Field) []Field {
	free := slices.Clone(fields)
	for i, f := range free {
		if f.Required && f.Schema.Kind == KindObject && !f.Schema.Nullable {
			object := *f.Schema
			object.Name, object.Fields = object.Name+"Input", leftOut(object.Fields)
			free[i].Schema = &object
		}
		free[i].Required = false
	}
	return free
}

// maxTime is the length of the longest date and time that anybody writes.
const maxTime = 40

// implied is how long a text may be that says nothing of it: what its pattern or format stands for is never longer.
func implied(s *Schema) *int {
	switch {
	case s.Enum != nil:
		return nil
	case s.Pattern == "id", s.Pattern == "optionalID":
		return new(maxID)
	case s.Pattern == "domain":
		return new(maxDomain)
	}
	return nil
}

// maxID is how long an id may be; those that wsd makes have less than half of it.
const maxID = 100

func same(a, b Schema) bool {
	return a.Nullable == b.Nullable && a.Doc == b.Doc && a.Format == b.Format && a.Default == b.Default &&
		a.Pattern == b.Pattern && a.Min == b.Min && a.Max == b.Max && len(a.Enum) == len(b.Enum) &&
		a.Items == b.Items && a.Keys == b.Keys && a.Unique == b.Unique
}

func bounds(field, tag string) (minimum, maximum *int) {
	low, high, ok := strings.Cut(tag, "..")
	if !ok {
		panic(fmt.Sprintf("api: field %s has the bounds %q, want min..max", field, tag))
	}
	return bound(low), bound(high)
}

func bound(text string) *int {
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("api: %q is not a bound", text))
	}
	return &n
}

// enumOf returns the values of a type with a Values method that returns a slice of the type itself.
func enumOf(t reflect.Type) []string {
	method, ok := t.MethodByName("Values")
	if !ok {
		return nil
	}
	list := method.Func.Call([]reflect.Value{reflect.Zero(t)})[0]
	values := make([]string, list.Len())
	for i := range values {
		values[i] = list.Index(i).String()
	}
	return values
}

// wordsOf returns the texts that may stand in place of a list whose type has a Words method.
func wordsOf(t reflect.Type) []string {
	if list, ok := reflect.TypeAssert[interface{ Words() []string }](reflect.Zero(t)); ok {
		return list.Words()
	}
	return nil
}
