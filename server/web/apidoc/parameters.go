package apidoc

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
)

// sharedParameters returns the parameters that are components: of each name the definition that most operations have, if
// at least two have it. A use of it is a reference.
func (d *document) sharedParameters(operations []Operation) map[string]any {
	counts := map[string]map[string]int{} // by name and definition
	for _, e := range operations {
		for _, p := range d.parametersOf(e) {
			name, text := parameterName(p), encodeParameter(p)
			if counts[name] == nil {
				counts[name] = map[string]int{}
			}
			counts[name][text]++
		}
	}
	shared := map[string]any{}
	for name, definitions := range counts {
		most, chosen := 1, ""
		for text, n := range definitions {
			if n > most || n == most && n > 1 && text < chosen {
				most, chosen = n, text
			}
		}
		if chosen != "" {
			shared[name] = json.RawMessage(chosen)
		}
	}
	return shared
}

// parameterName returns the name of the component of a parameter: OrganizationIdParameter, IfMatchParameter,
// FormatMarkdownRefsParameter. Generators of clients make types of all components, so the name is not that of a schema.
func parameterName(p map[string]any) string {
	var name strings.Builder
	for word := range strings.FieldsFuncSeq(p["name"].(string), func(r rune) bool { return r == '-' || r == '.' || r == '_' }) {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String() + "Parameter"
}

// encodeParameter returns the JSON of a parameter, which has only values that can be encoded.
func encodeParameter(p map[string]any) string {
	data, _ := json.Marshal(p)
	return string(data)
}

// operationParameters returns the parameters of an operation, shared ones as references.
func (d *document) operationParameters(e Operation) []any {
	var list []any
	for _, p := range d.parametersOf(e) {
		name := parameterName(p)
		if shared, ok := d.parameters[name].(json.RawMessage); ok && string(shared) == encodeParameter(p) {
			p = componentReference("parameters", name)
		}
		list = append(list, p)
	}
	return list
}

// parametersOf returns the parameters of the input and those common to all writes.
func (d *document) parametersOf(e Operation) []map[string]any {
	var list []map[string]any
	for _, p := range e.Input.Params {
		list = append(list, d.parameter(p, p.Schema.Doc))
	}
	if e.Row.Upload != nil {
		for _, p := range e.Input.Upload.Params {
			if p.In == api.InQuery {
				list = append(list, d.parameter(p, "With a body of "+e.Row.Upload.String()+" only. "+p.Schema.Doc))
			}
		}
	}
	if e.Row.Writes() {
		list = append(list, map[string]any{
			"name": "dryRun", "in": "query", "schema": map[string]any{"type": "boolean"}, "description": "Run everything and write " +
				"nothing.",
		})
	}
	for _, h := range api.Headers() {
		if h.AppliesTo(e.Row) {
			list = append(list, map[string]any{
				"name": h.Name, "in": "header", "schema": map[string]any{"type": "string", "maxLength": h.Max}, "description": h.Doc,
			})
		}
	}
	return list
}

// parameter returns a parameter. A path parameter without a description has that of its name.
func (d *document) parameter(p api.Param, description string) map[string]any {
	schema := *p.Schema
	schema.Doc = ""
	parameter := map[string]any{"name": p.Name, "in": string(p.In), "required": p.Required, "schema": d.reference(&schema, inRequests)}
	if p.In == api.InPath && description == "" {
		description = pathParameter(p.Name)
	}
	if description != "" {
		parameter["description"] = description
	}
	if value, ok := d.examples.parameters[p.Name]; ok && p.In == api.InPath {
		parameter["example"] = value
	}
	return parameter
}
