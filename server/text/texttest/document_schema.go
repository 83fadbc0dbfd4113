// Package texttest has helpers for tests of texts. It checks documents against document.schema.json, the JSON Schema
// that clients of the public API depend on, and reads the links of PDFs with pdftotext of poppler-utils.
package texttest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed document.schema.json
var schemaJSON []byte

// schema is one schema of document.schema.json.
type schema struct {
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
	Type       string             `json:"type"`
	Enum       []any              `json:"enum"`
	Pattern    string             `json:"pattern"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Additional json.RawMessage    `json:"additionalProperties"`
	Items      *schema            `json:"items"`
	MaxItems   *int               `json:"maxItems"`
	AnyOf      []*schema          `json:"anyOf"`
}

var rootSchema = sync.OnceValue(func() *schema {
	s := new(schema)
	if err := json.Unmarshal(schemaJSON, s); err != nil {
		panic(err)
	}
	return s
})

// Violations checks every document in a response against the schema. It returns the violations with their paths.
func Violations(answer []byte) []string {
	found, _ := validateAll(answer)
	return found
}

// Count returns the number of documents in a response.
func Count(answer []byte) int {
	_, count := validateAll(answer)
	return count
}

func validateAll(answer []byte) (found []string, count int) {
	if !strings.Contains(string(answer), `"document"`) {
		return nil, 0
	}
	var value any
	if json.Unmarshal(answer, &value) != nil {
		return nil, 0
	}
	var walk func(value any, path string)
	walk = func(value any, path string) {
		switch v := value.(type) {
		case []any:
			for i, one := range v {
				walk(one, fmt.Sprintf("%s[%d]", path, i))
			}
		case map[string]any:
			if v["object"] == "document" {
				count++
				if wrong := check(rootSchema(), v, path); wrong != "" {
					found = append(found, wrong)
				}
				return
			}
			for name, one := range v {
				walk(one, path+"."+name)
			}
		}
	}
	walk(value, "")
	return found, count
}

// check returns the first violation, or "" if there is none.
func check(s *schema, value any, path string) string {
	if s.Ref != "" {
		return check(rootSchema().Defs[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]], value, path)
	}
	if s.AnyOf != nil {
		return checkAny(s.AnyOf, value, path)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(one any) bool { return reflect.DeepEqual(one, value) }) {
		return fmt.Sprintf("%s is %v, want one of %v", path, value, s.Enum)
	}
	switch v := value.(type) {
	case map[string]any:
		if s.Type == "object" || s.Type == "" {
			return checkObject(s, v, path)
		}
	case []any:
		if s.Type == "array" {
			return checkList(s, v, path)
		}
	case string:
		if s.Type == "string" && s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
			return fmt.Sprintf("%s is %q, want %s", path, v, s.Pattern)
		}
	}
	if s.Type != "" && !hasType(s.Type, value) {
		return fmt.Sprintf("%s is %v, want %s", path, value, s.Type)
	}
	return ""
}

func hasType(kind string, value any) bool {
	switch v := value.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case float64:
		return kind == "number" || kind == "integer" && v == float64(int(v))
	}
	return false
}

// checkAny returns the violation of the alternative that has the type of the value.
func checkAny(all []*schema, value any, path string) string {
	wrong := path + " is none of what it may be"
	if v, ok := value.(map[string]any); ok {
		wrong = fmt.Sprintf("%s may not be %v %v %v here", path, v["object"], v["type"], v["kind"])
	}
	for _, s := range all {
		misfit := check(s, value, path)
		if misfit == "" {
			return ""
		}
		if !strings.HasPrefix(misfit, path+".type is ") && !strings.HasPrefix(misfit, path+".kind is ") &&
			!strings.HasPrefix(misfit, path+".object is ") && !strings.Contains(misfit, " may not be ") {
			wrong = misfit
		}
	}
	return wrong
}

func checkObject(s *schema, v map[string]any, path string) string {
	for _, name := range []string{"object", "type", "kind"} { // these members identify the alternative
		if member, value := s.Properties[name], v[name]; member != nil && value != nil {
			if wrong := check(member, value, path+"."+name); wrong != "" {
				return wrong
			}
		}
	}
	for _, name := range s.Required {
		if _, have := v[name]; !have {
			return path + "." + name + " is missing"
		}
	}
	for name, value := range v {
		member := s.Properties[name]
		if member == nil && string(s.Additional) == "false" {
			return path + "." + name + " is not a member"
		}
		if member == nil && len(s.Additional) > 0 && s.Additional[0] == '{' {
			member = new(schema)
			if err := json.Unmarshal(s.Additional, member); err != nil {
				return err.Error()
			}
		}
		if member != nil {
			if wrong := check(member, value, path+"."+name); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func checkList(s *schema, v []any, path string) string {
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		return fmt.Sprintf("%s has %d items, want at most %d", path, len(v), *s.MaxItems)
	}
	for i, one := range v {
		if wrong := check(s.Items, one, fmt.Sprintf("%s[%d]", path, i)); wrong != "" {
			return wrong
		}
	}
	return ""
}
