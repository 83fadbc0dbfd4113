package conditions

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// KnownClaims returns the claims of a visitor that the schema defines and whose values conform to it. claims holds values as
// encoding/json decodes them.
func (s *Schema) KnownClaims(claims map[string]any) map[string]any {
	known := map[string]any{}
	for name, value := range claims {
		if c := s.claims[name]; c != nil && c.conforms(value) {
			known[name] = value
		}
	}
	return known
}

// conforms reports whether a value conforms to a claim. The members of an object are optional.
func (c *claim) conforms(value any) bool {
	switch value := value.(type) {
	case bool:
		return c.kind == "boolean"
	case float64:
		return c.kind == "number"
	case string:
		return c.kind == "string" && (c.enum == nil || slices.Contains(c.enum, value))
	case []any:
		return c.kind == "array" && !slices.ContainsFunc(value, func(item any) bool { return !c.items.conforms(item) })
	case map[string]any:
		for name, member := range value {
			if of := c.properties[name]; of == nil || !of.conforms(member) {
				return false
			}
		}
		return c.kind == "object"
	}
	return false
}

// UndefinedClaim returns a claim of a condition that the schema does not define, or "" if there is none. No visitor can have such
// a claim.
func (s *Schema) UndefinedClaim(c *Condition) string {
	for _, p := range c.claims {
		known := &claim{kind: "object", properties: s.claims}
		for _, step := range p {
			if name, ok := step.(string); ok {
				known = known.properties[name]
			} else {
				known = known.items
			}
			if known == nil {
				return p.String()
			}
		}
	}
	return ""
}

// Template is an example of a condition on a claim of a schema, with a description.
type Template struct {
	Description string
	Condition   string
}

// Templates returns a condition for each boolean claim and for each value of an enumerated claim.
func (s *Schema) Templates() []Template { return templates(nil, "visitor.claims", s.claims) }

func templates(found []Template, path string, claims map[string]*claim) []Template {
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		c, at := claims[name], path+pathStep(name)
		says := cmp.Or(c.description, name)
		switch c.kind {
		case "boolean":
			found = append(found, Template{Description: says, Condition: at + " == true"})
		case "string":
			for _, value := range c.enum {
				found = append(found, Template{Description: says + ": " + value, Condition: at + " == " + quote(value)})
			}
		case "object":
			found = templates(found, at, c.properties)
		}
	}
	return found
}

// pathStep returns the step of a path that selects the member name: .name, or ["name"] if name is not an identifier.
func pathStep(name string) string {
	p := parser{text: name}
	if p.name() == name {
		return "." + name
	}
	return "[" + quote(name) + "]"
}

// quote returns text as a double-quoted string literal of a condition.
func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}
