package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Kind is the JSON type of a Schema.
type Kind string

// Values of Kind.
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

// Schema describes the JSON of a value. It is compiled from a Go type and its field tags, and is the only source of
// body validation, of the OpenAPI description and of the flags of wsctl.
//
// Tags: `json` (name; omitzero or omitempty = optional), `doc`, `len:"min..max"` (characters of a string, items of a
// list, entries of a map, bytes of any JSON), `range:"min..max"` (numbers), `pattern` (a name of Patterns), `format`
// (uri, date-time, emoji, markdown, text, base64), `default`, `null:"true"` (an Optional that may be null),
// `enum:"a,b"`, `each:"min..max"` and `eachFormat` (like len and format, for the items of a list or map),
// `keys:"min..max"` and `keyPattern` (characters and pattern of the keys of a map), `unique:"true"` (a list without
// duplicates), `emails:"true"` (a list of user ids that takes e-mail addresses of members, too), `ends:"true"` (a time that cannot be
// never), `secret:"true"` (a query parameter
// whose value is not logged, see SecretParams). A pattern or format that implies a maximum length needs no len.
type Schema struct {
	Kind     Kind
	Name     string // Go type name of an object or enumeration; "" for an anonymous one. A list with Words has the name of those
	Nullable bool
	Enum     []string
	EnumOf   string   // member that alone has the enumeration, such as "corners of CustomizationStyling"; "" for that of a Go type
	Words    []string // strings allowed instead of an array
	OrObject bool     // an object is allowed instead of a string; only its type is checked here
	Object   *Schema  // an object of this schema is allowed instead of a string
	Min, Max *int
	Pattern  string
	Format   string
	Default  string
	Doc      string
	Items    *Schema           // schema of the items of an array or the values of a map
	Keys     *Schema           // schema of the keys of a map; nil if any key is allowed
	Unique   bool              // array without duplicates
	Ends     bool              // time without a value that means never
	Emails   bool              // array of user ids in which an e-mail address of a member is taken, too
	Fields   []Field           // members of an object, in declaration order
	Lacking  map[string]string // members of an object in the public API that are refused, with the reasons
}

// Field is a member of an object.
type Field struct {
	Name     string
	Required bool
	Schema   *Schema
	Index    []int // for reflect.Value.FieldByIndex
}

// Field returns the member with the given name.
func (s *Schema) Field(name string) (Field, bool) {
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// Compiler compiles Go types to Schemas. Equal types share a Schema, so recursive types are possible.
type Compiler struct {
	Limits Limits // limits of the server; NewCompiler sets DefaultLimits

	schemas map[reflect.Type]*Schema
	depth   int
	// narrowedCopies lists copies of schemas that were narrowed by field tags. The original of a recursive type is incomplete
	// when it is copied, so the shared parts are set at the end.
	narrowedCopies []narrowedCopy
}

type narrowedCopy struct {
	copied, original *Schema
	ownItems         bool // the copy has its own items
	ownName          bool // the copy has its own name: that of an enumeration of one field
}

// NewCompiler returns a Compiler without compiled types.
func NewCompiler() *Compiler {
	return &Compiler{Limits: DefaultLimits(), schemas: map[reflect.Type]*Schema{}}
}

// Compile returns the Schema of t. It panics if the contract is invalid, for example if a field has no tag or an
// unknown pattern. Rows are compiled at startup, so a test that builds the server detects this.
func (c *Compiler) Compile(t reflect.Type) *Schema {
	if s, ok := c.schemas[t]; ok {
		return s
	}
	s := &Schema{}
	c.schemas[t] = s
	c.depth++
	c.fill(s, t)
	c.depth--
	if c.depth == 0 {
		c.completeCopies()
	}
	return s
}

// completeCopies copies the now complete parts of the originals to the narrowed copies.
func (c *Compiler) completeCopies() {
	for _, n := range c.narrowedCopies {
		n.copied.Kind = n.original.Kind
		if !n.ownName {
			n.copied.Name = n.original.Name
		}
		if n.copied.Fields = n.original.Fields; !n.ownItems {
			n.copied.Items = n.original.Items
		}
	}
	c.narrowedCopies = nil
}

func (c *Compiler) fill(s *Schema, t reflect.Type) {
	switch {
	case t == reflect.TypeFor[Time]():
		s.Kind, s.Format, s.Max = KindString, "date-time", new(maxTime)
		return
	case t == reflect.TypeFor[Text]():
		s.Kind, s.Format = KindString, "text"
		return
	case t == reflect.TypeFor[Description]():
		s.Kind, s.OrObject = KindString, true
		return
	case t == reflect.TypeFor[Invitee]():
		s.Kind, s.OrObject, s.Object = KindString, true, c.Compile(reflect.TypeFor[Invitation]())
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
		s.Kind, s.Enum, s.Object = KindString, enumValues(text), c.Compile(object)
		if s.Enum != nil {
			s.Name = text.Name()
		}
		return
	case t.Implements(reflect.TypeFor[optional]()):
		c.copySchema(s, reflect.Zero(t).Interface().(optional).element())
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		c.copySchema(s, t.Elem())
		s.Nullable = true
	case reflect.String:
		if s.Kind, s.Enum = KindString, enumValues(t); s.Enum != nil {
			s.Name = t.Name()
		}
	case reflect.Bool:
		s.Kind = KindBoolean
	case reflect.Int, reflect.Int64:
		s.Kind = KindInteger
	case reflect.Float64:
		s.Kind = KindNumber
	case reflect.Slice:
		if s.Kind, s.Items, s.Words = KindArray, c.Compile(t.Elem()), wordValues(t); s.Words != nil {
			s.Name = t.Name() + "Keyword"
		}
	case reflect.Map:
		s.Kind, s.Items = KindMap, c.Compile(t.Elem())
	case reflect.Interface:
		s.Kind = KindAny
	case reflect.Struct:
		s.Kind, s.Name = KindObject, schemaName(t)
		s.Fields, s.Lacking = c.fields(t, nil), lackingMembers(t)
		if t.Implements(reflect.TypeFor[hasDefaults]()) {
			s.Fields = makeOptional(s.Fields)
		}
	default:
		panic(fmt.Sprintf("api: %s cannot be part of the contract", t))
	}
}

// copySchema sets s to the schema of t.
func (c *Compiler) copySchema(s *Schema, t reflect.Type) {
	original := c.Compile(t)
	*s = *original
	c.narrowedCopies = append(c.narrowedCopies, narrowedCopy{copied: s, original: original})
}

// schemaName returns the component name of t: "Space", or "PageOfSpace" for Page[Space].
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
		fields = append(fields, Field{Name: name, Required: !optional, Schema: c.fieldSchema(t, f, optional), Index: index})
	}
	return fields
}

// fieldSchema returns the schema of a field of struct type t: that of the field's type, narrowed by the field's tags.
func (c *Compiler) fieldSchema(t reflect.Type, f reflect.StructField, optional bool) *Schema {
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
		s.Enum, s.Name = strings.Split(v, ","), ""
		if len(s.Enum) > 1 {
			if s.Name = schemaName(t) + f.Name; s.Object != nil {
				s.Name += "Text" // generators of clients give the choice of text and object the name of the member
			}
			member, _, _ := strings.Cut(cmp.Or(tag.Get("json"), tag.Get("query")), ",")
			s.EnumOf = member + " of " + schemaName(t)
		}
	}
	for _, key := range []string{"len", "range"} {
		if v, ok := tag.Lookup(key); ok {
			s.Min, s.Max = parseBounds(f.Name, v)
		}
	}
	if s.Max == nil && s.Kind == KindString {
		s.Max = impliedLength(&s)
	}
	s.Unique = s.Unique || tag.Get("unique") == "true"
	s.Emails = s.Emails || tag.Get("emails") == "true"
	s.Ends = s.Ends || tag.Get("ends") == "true"
	narrowItems(&s, f)
	if sameSchema(s, *base) {
		return base // share the schema, so that it stays one component
	}
	c.narrowedCopies = append(c.narrowedCopies, narrowedCopy{
		copied: &s, original: base, ownItems: s.Items != base.Items, ownName: s.Enum != nil,
	})
	return &s
}

// narrowItems applies the tags for items and keys to a list or map.
func narrowItems(s *Schema, f reflect.StructField) {
	if v, ok := f.Tag.Lookup("each"); ok {
		items := *s.Items
		items.Min, items.Max = parseBounds(f.Name, v)
		items.Format = f.Tag.Get("eachFormat")
		s.Items = &items
	}
	if v, ok := f.Tag.Lookup("keys"); ok {
		s.Keys = &Schema{Kind: KindString, Pattern: f.Tag.Get("keyPattern")}
		s.Keys.Min, s.Keys.Max = parseBounds(f.Name, v)
		if s.Keys.Pattern != "" && Patterns[s.Keys.Pattern] == nil {
			panic(fmt.Sprintf("api: field %s has keys of the unknown pattern %q", f.Name, s.Keys.Pattern))
		}
	}
}

// textOrObject is implemented by types that are encoded as a string or as an object.
type textOrObject interface {
	textOrObject() (text, object reflect.Type)
}

// hasDefaults is implemented by body types whose members have defaults.
type hasDefaults interface{ hasDefaults() }

// makeOptional returns fields as optional, including the fields of required objects.
func makeOptional(fields []Field) []Field {
	free := slices.Clone(fields)
	for i, f := range free {
		if f.Required && f.Schema.Kind == KindObject && !f.Schema.Nullable {
			object := *f.Schema
			object.Name, object.Fields = object.Name+"Input", makeOptional(object.Fields)
			free[i].Schema = &object
		}
		free[i].Required = false
	}
	return free
}

// maxTime is the maximum length of a timestamp.
const maxTime = 40

// impliedLength returns the maximum length that the pattern or format of s implies, or nil.
func impliedLength(s *Schema) *int {
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

// maxID is the maximum length of an id. The ids that wsd creates are less than half as long.
const maxID = 100

func sameSchema(a, b Schema) bool {
	return a.Name == b.Name && a.Nullable == b.Nullable && a.Doc == b.Doc && a.Format == b.Format && a.Default == b.Default &&
		a.Pattern == b.Pattern && a.Min == b.Min && a.Max == b.Max && len(a.Enum) == len(b.Enum) &&
		a.Items == b.Items && a.Keys == b.Keys && a.Unique == b.Unique && a.Emails == b.Emails && a.Ends == b.Ends
}

func parseBounds(field, tag string) (minimum, maximum *int) {
	low, high, ok := strings.Cut(tag, "..")
	if !ok {
		panic(fmt.Sprintf("api: field %s has the bounds %q, want min..max", field, tag))
	}
	return parseBound(low), parseBound(high)
}

func parseBound(text string) *int {
	if text == "" {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("api: %q is not a bound", text))
	}
	return &n
}

// enumValues returns the result of the Values method of a type, if it returns a slice of that type.
func enumValues(t reflect.Type) []string {
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

// wordValues returns the result of the Words method of a list type: the strings allowed instead of the list.
func wordValues(t reflect.Type) []string {
	if list, ok := reflect.TypeAssert[interface{ Words() []string }](reflect.Zero(t)); ok {
		return list.Words()
	}
	return nil
}
