package conditions

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Limits of a schema.
const (
	MaxSchemaBytes = 32 << 10
	maxClaims      = 200
	maxDepth       = 8
	maxName        = 100
)

// Violation describes a place in a schema that violates a rule.
type Violation struct {
	Path    string // relative to the schema, "" = the schema itself
	Message string
}

// Schema describes the claims that visitors of a site may have: a subset of JSON Schema draft-07.
type Schema struct{ claims map[string]*claim }

// claim is one claim of a schema.
type claim struct {
	kind        string
	description string
	enum        []string          // of a string
	items       *claim            // of an array
	properties  map[string]*claim // of an object
}

// unsignedClaim contains the claims that visitors provide themselves; the others are signed.
const unsignedClaim = "unsigned"

var drafts = []string{
	"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#",
	"https://json-schema.org/draft-07/schema",
}

// ParseSchema parses a schema. It returns all violations.
func ParseSchema(data []byte) (*Schema, []Violation) {
	c := &checker{}
	if len(data) > MaxSchemaBytes {
		c.add("", "must have at most %d bytes, not %d", MaxSchemaBytes, len(data))
		return nil, c.violations
	}
	root, ok := c.object("", data)
	if !ok {
		return nil, c.violations
	}
	c.rejectUnknown("", root, "$schema", "$id", "type", "properties", "additionalProperties")
	if text, given := c.optionalString("$schema", root["$schema"]); given && !slices.Contains(drafts, text) {
		c.add("$schema", "must be %s", drafts[0])
	}
	c.optionalString("$id", root["$id"])
	schema := &Schema{claims: c.members("", root, 0)}
	if len(c.violations) > 0 {
		return nil, c.violations
	}
	return schema, nil
}

// checker collects violations.
type checker struct {
	violations []Violation
	claimCount int
}

func (c *checker) add(path, format string, args ...any) {
	c.violations = append(c.violations, Violation{Path: path, Message: fmt.Sprintf(format, args...)})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *checker) object(path string, data json.RawMessage) (map[string]json.RawMessage, bool) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil || object == nil {
		c.add(path, "must be an object")
		return nil, false
	}
	return object, true
}

// optionalString decodes a string. given is false if data is nil, or if it is not a string, which is reported as a violation.
func (c *checker) optionalString(path string, data json.RawMessage) (text string, given bool) {
	if data == nil {
		return "", false
	}
	var value *string
	if err := json.Unmarshal(data, &value); err != nil || value == nil {
		c.add(path, "must be a string")
		return "", false
	}
	return *value, true
}

// rejectUnknown reports each member of object that is not one of names as a violation.
func (c *checker) rejectUnknown(path string, object map[string]json.RawMessage, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(names, name) {
			c.add(join(path, name), "is not possible here")
		}
	}
}

// members parses the schema of an object and returns the claims of its properties. It reports a violation if the schema allows
// additional properties.
func (c *checker) members(path string, object map[string]json.RawMessage, depth int) map[string]*claim {
	if kind, given := c.optionalString(join(path, "type"), object["type"]); !given && object["type"] == nil || given && kind != "object" {
		c.add(join(path, "type"), `must be "object"`)
	}
	if string(object["additionalProperties"]) != "false" {
		c.add(join(path, "additionalProperties"), "must be false")
	}
	path = join(path, "properties")
	properties, ok := c.object(path, object["properties"])
	if !ok {
		return nil
	}
	claims := make(map[string]*claim, len(properties))
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if name == "" || len(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
			c.add(path, "has the name %q: names have 1 to %d bytes and no control characters", name, maxName)
			continue
		}
		claims[name] = c.claim(join(path, name), properties[name], depth, depth == 0 && name == unsignedClaim)
	}
	return claims
}

// claim parses one claim. The result is never nil.
func (c *checker) claim(path string, data json.RawMessage, depth int, unsigned bool) *claim {
	made := &claim{}
	if c.claimCount++; c.claimCount > maxClaims || depth > maxDepth {
		c.add(path, "is too much: a schema has at most %d claims, nested up to %d levels", maxClaims, maxDepth)
		return made
	}
	object, ok := c.object(path, data)
	if !ok {
		return made
	}
	made.kind, _ = c.optionalString(join(path, "type"), object["type"])
	made.description, _ = c.optionalString(join(path, "description"), object["description"])
	switch kind := made.kind; {
	case unsigned && kind != "object":
		c.add(join(path, "type"), `must be "object"`)
	case kind == "boolean" || kind == "number":
		c.rejectUnknown(path, object, "type", "description")
	case kind == "string":
		c.rejectUnknown(path, object, "type", "description", "enum")
		made.enum = c.enum(join(path, "enum"), object["enum"])
	case kind == "array":
		c.rejectUnknown(path, object, "type", "description", "items")
		made.items = c.item(join(path, "items"), object["items"], depth+1)
	case kind == "object":
		c.rejectUnknown(path, object, "type", "description", "properties", "additionalProperties")
		made.properties = c.members(path, object, depth+1)
	default:
		c.add(join(path, "type"), "must be boolean, string, number, array or object")
	}
	return made
}

// item parses the schema of the items of an array. It reports a violation if there is none.
func (c *checker) item(path string, data json.RawMessage, depth int) *claim {
	if data == nil {
		c.add(path, "is required")
		return &claim{}
	}
	return c.claim(path, data, depth, false)
}

func (c *checker) enum(path string, data json.RawMessage) []string {
	if data == nil {
		return nil
	}
	var values []*string
	if err := json.Unmarshal(data, &values); err != nil || len(values) == 0 || slices.Contains(values, nil) {
		c.add(path, "must be a list of strings, one or more")
		return nil
	}
	texts := make([]string, len(values))
	for i, value := range values {
		if texts[i] = *value; slices.Contains(texts[:i], *value) {
			c.add(path+"["+strconv.Itoa(i)+"]", "repeats %q", *value)
		}
	}
	return texts
}
