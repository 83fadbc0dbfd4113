package apidoc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"docspace.dev/wsd/client/api"
)

// directions is a set of the directions in which values of a schema are sent. Schemas of answers allow further members, which
// later versions may add; those of requests do not, because wsd refuses unknown members.
type directions uint8

const (
	inAnswers directions = 1 << iota
	inRequests
)

// recordUses records the directions of all named schemas of an operation.
func (d *document) recordUses(e Operation) {
	for _, p := range e.Input.Params {
		d.recordUse(p.Schema, inRequests)
	}
	if e.Input.Upload != nil {
		for _, p := range e.Input.Upload.Params {
			d.recordUse(p.Schema, inRequests)
		}
	}
	if e.Input.Body != nil {
		d.recordUse(e.Input.Body, inRequests)
	}
	for _, out := range []reflect.Type{e.Row.Out, e.Row.Or, errorBodyType, removalType} {
		if out != nil {
			d.recordUse(d.compiler.Compile(out), inAnswers)
		}
	}
}

func (d *document) recordUse(s *api.Schema, direction directions) {
	if s.Name != "" {
		if s.Kind == api.KindObject && d.uses[s.Name]&direction != 0 {
			return
		}
		d.uses[s.Name] |= direction
	}
	for _, f := range s.Fields {
		d.recordUse(f.Schema, direction)
	}
	for _, part := range []*api.Schema{s.Items, s.Keys, s.Object} {
		if part != nil {
			d.recordUse(part, direction)
		}
	}
}

// componentName returns the name of the component of a named schema. A schema that requests and answers share keeps its name in
// answers.
func (d *document) componentName(s *api.Schema, direction directions) string {
	if direction == inAnswers || d.uses[s.Name]&inAnswers == 0 || s.Enum != nil && isClosed(s) {
		return s.Name
	}
	if name := s.Name + "Input"; d.uses[name] == 0 {
		return name
	}
	return s.Name + "Request"
}

// isComponent reports whether a schema is a component: a named object or a named enumeration.
func isComponent(s *api.Schema) bool {
	return s.Name != "" && (s.Kind == api.KindObject || s.Kind == api.KindString && len(s.Enum) > 1 && s.Object == nil)
}

// reference returns a schema, or a reference to its component if it has one.
func (d *document) reference(s *api.Schema, direction directions) map[string]any {
	if !isComponent(s) {
		return d.inline(s, direction)
	}
	name := d.componentName(s, direction)
	if _, known := d.schemas[name]; !known {
		d.schemas[name] = nil // ends the recursion of recursive types
		d.schemas[name] = d.component(s, direction)
	}
	pointer := componentReference("schemas", name)
	if s.Nullable {
		pointer = map[string]any{"anyOf": []any{pointer, nullSchema()}}
	}
	if s.Default != "" {
		pointer["default"] = defaultValue(s)
	}
	addDescription(pointer, s.Doc)
	return pointer
}

func nullSchema() map[string]any { return map[string]any{"type": "null"} }

// addDescription adds a description, which may be empty, and marks a deprecated schema.
func addDescription(v map[string]any, text string) {
	if text == "" {
		return
	}
	v["description"] = text
	if strings.HasPrefix(text, "Deprecated") {
		v["deprecated"] = true
	}
}

func (d *document) component(s *api.Schema, direction directions) map[string]any {
	v := map[string]any{"type": "string"}
	if s.Kind == api.KindObject {
		v = d.object(s, direction)
	} else {
		addValues(v, s, direction)
	}
	addDescription(v, describe(s))
	return v
}

func (d *document) object(s *api.Schema, direction directions) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range s.Fields {
		member := d.reference(f.Schema, direction)
		describeMember(member, s, f)
		properties[f.Name] = member
		if f.Required {
			required = append(required, f.Name)
		}
	}
	object := map[string]any{"type": "object", "properties": properties}
	if direction == inRequests {
		object["additionalProperties"] = false
	}
	if len(required) > 0 {
		object["required"] = required
	}
	return object
}

// inline returns a schema that is no component.
func (d *document) inline(s *api.Schema, direction directions) map[string]any {
	if others := d.alternatives(s, direction); others != nil {
		return d.choice(s, others, direction)
	}
	v := map[string]any{}
	switch s.Kind {
	case api.KindAny:
		text := s.Doc
		if s.Max != nil {
			text = strings.TrimSpace(fmt.Sprintf("%s At most %d bytes of JSON.", s.Doc, *s.Max))
		}
		addDescription(v, text)
		return v
	case api.KindArray:
		v["type"], v["items"] = "array", d.reference(s.Items, direction)
	case api.KindMap:
		v["type"], v["additionalProperties"] = "object", d.reference(s.Items, direction)
	case api.KindObject:
		v = d.object(s, direction)
	case api.KindString, api.KindInteger, api.KindNumber, api.KindBoolean:
		v["type"] = string(s.Kind)
	}
	d.addLimits(v, s, direction)
	switch {
	case s.Nullable && s.Kind == api.KindObject:
		v = map[string]any{"anyOf": []any{v, nullSchema()}}
	case s.Nullable:
		v["type"] = []any{v["type"], "null"}
	}
	addDescription(v, s.Doc)
	return v
}

// choice returns the schema of a string or list that may be replaced with one of others. The JSON type tells them apart.
func (d *document) choice(s *api.Schema, others []any, direction directions) map[string]any {
	plain := *s
	plain.Object, plain.OrObject, plain.Words, plain.Nullable, plain.Doc = nil, false, nil, false, ""
	options := append([]any{d.reference(&plain, direction)}, others...)
	if s.Nullable {
		options = append(options, nullSchema())
	}
	v := map[string]any{"oneOf": options}
	addDescription(v, s.Doc)
	return v
}

// alternatives returns the schemas of values of other JSON types that a string or list may be replaced with.
func (d *document) alternatives(s *api.Schema, direction directions) []any {
	switch {
	case s.Words != nil:
		keyword := &api.Schema{Kind: api.KindString, Enum: s.Words, Name: s.Name, EnumOf: "a keyword in the place of a list"}
		return []any{d.reference(keyword, direction)}
	case s.Object != nil:
		return []any{d.reference(s.Object, direction)}
	case s.OrObject:
		return []any{map[string]any{"type": "object", "additionalProperties": map[string]any{}}}
	}
	return nil
}

// addLimits adds the constraints of a schema.
func (d *document) addLimits(v map[string]any, s *api.Schema, direction directions) {
	low, high := boundNames(s.Kind)
	if s.Min != nil && low != "" {
		v[low] = *s.Min
	}
	if s.Max != nil && high != "" {
		v[high] = *s.Max
	}
	if s.Unique {
		v["uniqueItems"] = true
	}
	if s.Keys != nil {
		v["propertyNames"] = d.inline(s.Keys, direction)
	}
	if s.Enum != nil {
		addValues(v, s, direction)
	}
	if s.Pattern != "" {
		v["pattern"] = api.Patterns[s.Pattern].String()
	}
	if s.Format != "" {
		v["format"] = s.Format
	}
	if s.Format == "uri" && s.Pattern == "" {
		v["pattern"] = "^[Hh][Tt][Tt][Pp][Ss]?://"
	}
	if s.Default != "" {
		v["default"] = defaultValue(s)
	}
}

// addValues adds the values of an enumeration. Those of an answer may grow unless the enumeration is closed.
func addValues(v map[string]any, s *api.Schema, direction directions) {
	if direction == inAnswers && !isClosed(s) {
		v["x-extensible-enum"] = s.Enum
		return
	}
	v["enum"] = s.Enum
	if s.Nullable && s.Name == "" {
		v["enum"] = append(toAny(s.Enum), nil)
	}
}

func toAny(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

// boundNames returns the keywords for the lower and upper bound of a kind.
func boundNames(k api.Kind) (low, high string) {
	switch k {
	case api.KindString:
		return "minLength", "maxLength"
	case api.KindArray:
		return "minItems", "maxItems"
	case api.KindMap:
		return "minProperties", "maxProperties"
	case api.KindInteger, api.KindNumber:
		return "minimum", "maximum"
	case api.KindObject, api.KindBoolean, api.KindAny:
	}
	return "", ""
}

// defaultValue returns the default as a JSON value of the schema's type.
func defaultValue(s *api.Schema) any {
	if s.Kind == api.KindString {
		return s.Default
	}
	return json.RawMessage(s.Default)
}
