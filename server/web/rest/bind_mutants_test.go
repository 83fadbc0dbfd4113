package rest_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// testValue is a value that a schema forbids or barely allows, with the path of the deciding field.
type testValue struct {
	path   string
	value  any
	reason string
}

// stringOfLength returns a string of n characters that satisfies the rest of the schema.
func stringOfLength(s *api.Schema, n int) string {
	switch {
	case s.Format == "uri":
		return "https://a.example/" + strings.Repeat("x", max(0, n-len("https://a.example/")))
	case s.Pattern == "commit":
		return strings.Repeat("a", n)
	case s.Pattern == "" && s.Format == "": // long texts are also limited in bytes
		return strings.Repeat("é", n)
	}
	return strings.Repeat("x", n)
}

// forbiddenValues returns values that a schema forbids.
func forbiddenValues(path string, s *api.Schema) []testValue {
	var list []testValue
	add := func(value any, why string) { list = append(list, testValue{path, value, why}) }
	if !s.Nullable && s.Kind != api.KindAny {
		add(nil, "null")
	}
	for _, wrong := range []any{"x", 1.5, true, []any{}, map[string]any{}} {
		if _, object := wrong.(map[string]any); object && (s.OrObject || s.Object != nil) {
			continue
		}
		if !hasKind(wrong, s.Kind) {
			add(wrong, fmt.Sprintf("of type %T", wrong))
		}
	}
	switch s.Kind {
	case api.KindString:
		addForbiddenStrings(s, add)
	case api.KindInteger, api.KindNumber:
		if s.Min != nil {
			add(*s.Min-1, "too small")
		}
		if s.Max != nil {
			add(*s.Max+1, "too large")
		}
		add(json.RawMessage("1e999"), "beyond numbers")
	case api.KindArray:
		if s.Min != nil && *s.Min > 0 {
			add([]any{}, "too few")
		}
		if s.Max != nil {
			add(slices.Repeat([]any{servertest.MinimalValue(s.Items)}, *s.Max+1), "too many")
		}
		for _, m := range forbiddenValues(path+"[0]", s.Items) {
			list = append(list, testValue{m.path, []any{m.value}, m.reason})
		}
	case api.KindObject:
		list = append(list, forbiddenObjects(path, s)...)
	case api.KindBoolean, api.KindMap, api.KindAny:
	}
	return list
}

func hasKind(v any, kind api.Kind) bool {
	switch v.(type) {
	case string:
		return kind == api.KindString
	case float64:
		return kind == api.KindNumber
	case bool:
		return kind == api.KindBoolean
	case []any:
		return kind == api.KindArray
	}
	return kind == api.KindObject || kind == api.KindMap || kind == api.KindAny
}

func addForbiddenStrings(s *api.Schema, add func(any, string)) {
	if s.Enum != nil {
		add("no such value", "not in the enumeration")
		add(strings.ToUpper(s.Enum[0]), "in capitals")
		return
	}
	if s.Max != nil {
		add(stringOfLength(s, *s.Max+1), "too long")
	}
	if s.Min != nil && *s.Min > 0 {
		add(strings.Repeat("x", *s.Min-1), "too short")
	}
	switch s.Pattern {
	case "id":
		for _, text := range []string{"a b", "a/b", "{x}", "ä", "a\n", "../x", "a:b", ""} {
			add(text, "not an id")
		}
	case "slug":
		for _, text := range []string{"a b", "a/b", "a?b", "a#b", `a\b`} {
			add(text, "not a slug")
		}
	case "":
	default:
		add(" ~ ", "not of the pattern")
	}
	switch s.Format {
	case "uri":
		for _, text := range []string{"no URL", "/relative", "https://", "//host/x", "https://a.example/\n"} {
			add(text, "not a URL")
		}
	case "date-time":
		for _, text := range []string{"tomorrow", "2030-01-31", "2030-13-01T00:00:00Z", ""} {
			add(text, "not a time")
		}
	case "base64":
		add("not base64!", "not base64")
	case "":
		add("a\u0000b", "with a control character")
		add("a\nb", "with a line break")
	}
}

func forbiddenObjects(path string, s *api.Schema) []testValue {
	var list []testValue
	with := func(name string, v any) map[string]any {
		object, _ := servertest.MinimalValue(s).(map[string]any)
		object[name] = v
		return object
	}
	inner := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	list = append(list, testValue{inner("surprise"), with("surprise", 1), "unknown"})
	for _, f := range s.Fields {
		if f.Required {
			object, _ := servertest.MinimalValue(s).(map[string]any)
			delete(object, f.Name)
			list = append(list, testValue{inner(f.Name), object, "missing"})
		}
		capital := strings.ToUpper(f.Name[:1]) + f.Name[1:]
		list = append(list, testValue{inner(capital), with(capital, servertest.MinimalValue(f.Schema)), "in another case"})
		for _, m := range forbiddenValues(inner(f.Name), f.Schema) {
			list = append(list, testValue{m.path, with(f.Name, m.value), m.reason})
		}
	}
	return list
}

// allowedValues returns values exactly at the limits of a schema.
func allowedValues(path string, s *api.Schema) []testValue {
	var list []testValue
	add := func(value any, why string) { list = append(list, testValue{path, value, why}) }
	if s.Nullable {
		add(nil, "null")
	}
	switch s.Kind {
	case api.KindString:
		for _, value := range s.Enum {
			add(value, "of the enumeration")
		}
		if s.Max != nil && s.Enum == nil {
			add(stringOfLength(s, *s.Max), "as long as may be")
		}
		if s.Min != nil && s.Enum == nil && s.Pattern == "" && s.Format == "" {
			add(strings.Repeat("é", *s.Min), "as short as may be")
		}
	case api.KindInteger, api.KindNumber:
		if s.Min != nil {
			add(*s.Min, "as small as may be")
		}
		if s.Max != nil {
			add(*s.Max, "as large as may be")
		}
	case api.KindArray:
		if s.Max != nil {
			add(slices.Repeat([]any{servertest.MinimalValue(s.Items)}, *s.Max), "as many as may be")
		}
		for _, m := range allowedValues(path+"[0]", s.Items) {
			list = append(list, testValue{m.path, []any{m.value}, m.reason})
		}
	case api.KindObject:
		for _, f := range s.Fields {
			for _, m := range allowedValues(strings.TrimPrefix(path+"."+f.Name, "."), f.Schema) {
				object, _ := servertest.MinimalValue(s).(map[string]any)
				object[f.Name] = m.value
				list = append(list, testValue{m.path, object, m.reason})
			}
		}
	case api.KindBoolean, api.KindMap, api.KindAny:
	}
	return list
}
