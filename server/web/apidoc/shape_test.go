package apidoc_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// schemaVisit is called with a schema and its place in the document.
type schemaVisit func(place string, schema map[string]any)

// visitSchemas calls visit for each schema reachable from v, once for each component.
func visitSchemas(d servertest.Document, place string, v any, seen map[string]bool, visit schemaVisit) {
	switch v := v.(type) {
	case map[string]any:
		if pointer, ok := v["$ref"].(string); ok {
			if !seen[pointer] {
				seen[pointer] = true
				target := servertest.ValueAt(map[string]any(d), strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...)
				visitSchemas(d, pointer, target, seen, visit)
			}
			return
		}
		visit(place, v)
		for name, member := range v {
			if name != "examples" && name != "example" && name != "mapping" {
				visitSchemas(d, place+"/"+name, member, seen, visit)
			}
		}
	case []any:
		for _, item := range v {
			visitSchemas(d, place, item, seen, visit)
		}
	}
}

// directions returns the parts of the document with the schemas of requests and of answers.
func directions(d servertest.Document) (requests, answers []any) {
	for _, path := range d["paths"].(map[string]any) {
		for _, operation := range path.(map[string]any) {
			o := operation.(map[string]any)
			requests = append(requests, o["requestBody"], o["parameters"])
			answers = append(answers, o["responses"])
		}
	}
	return requests, answers
}

// TestRequestsAreClosedAnswersOpen checks that no object of a request allows members that the document does not name, and that
// every object of an answer does.
func TestRequestsAreClosedAnswersOpen(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	requests, answers := directions(d)
	closed, open := 0, 0
	visitSchemas(d, "request", requests, map[string]bool{}, func(place string, schema map[string]any) {
		if schema["type"] == "object" && schema["properties"] != nil {
			if closed++; schema["additionalProperties"] != false {
				t.Errorf("%s: a request allows members that are not named", place)
			}
		}
		if schema["x-extensible-enum"] != nil {
			t.Errorf("%s: an enumeration of a request has no fixed values", place)
		}
	})
	visitSchemas(d, "answer", answers, map[string]bool{}, func(place string, schema map[string]any) {
		if schema["type"] == "object" && schema["properties"] != nil {
			if _, set := schema["additionalProperties"]; set {
				t.Errorf("%s: an answer says which members it may have: %v", place, schema["additionalProperties"])
			}
			open++
		}
		isClosed := strings.Contains(text(schema["description"]), "The list is closed")
		if values := servertest.AsList(schema["enum"]); len(values) > 1 && !isClosed {
			t.Errorf("%s: an enumeration of an answer cannot grow and does not say that it is closed", place)
		}
	})
	if closed < 100 || open < 250 {
		t.Errorf("%d objects of requests and %d of answers were found", closed, open)
	}
}

func text(v any) string { s, _ := v.(string); return s }

// TestChoicesAreUnambiguous checks that a value of a choice has exactly one schema: the options differ by their JSON type or by
// the member that a discriminator names.
func TestChoicesAreUnambiguous(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	choices := 0
	visit := func(place string, schema map[string]any) {
		if types := servertest.AsList(schema["type"]); len(types) > 2 || len(types) == 2 && !slices.Contains(types, any("null")) {
			t.Errorf("%s: has the types %v", place, types)
		}
		if options := servertest.AsList(schema["anyOf"]); options != nil && (len(options) != 2 || jsonType(d, options[1]) != "null") {
			t.Errorf("%s: anyOf is for null only: %v", place, options)
		}
		options := servertest.AsList(schema["oneOf"])
		if options == nil {
			return
		}
		choices++
		types := map[string]int{}
		for _, option := range options {
			types[jsonType(d, option)]++
		}
		property, _ := servertest.ValueAt(schema, "discriminator", "propertyName").(string)
		for kind, n := range types {
			if n > 1 && (property == "" || kind != "object") {
				t.Errorf("%s: %d options are of type %s", place, n, kind)
			}
		}
		if property != "" {
			checkDiscriminator(t, d, place, property, options)
		}
	}
	requests, answers := directions(d)
	visitSchemas(d, "document", []any{requests, answers}, map[string]bool{}, visit)
	if choices < 8 {
		t.Errorf("only %d choices were found", choices)
	}
}

// jsonType returns the JSON type of the values of a schema.
func jsonType(d servertest.Document, schema any) string {
	return text(resolveReference(d, schema.(map[string]any))["type"])
}

// checkDiscriminator checks that each option requires the member and has an own value of it.
func checkDiscriminator(t *testing.T, d servertest.Document, place, property string, options []any) {
	t.Helper()
	seen := map[any]bool{}
	for _, option := range options {
		schema := resolveReference(d, option.(map[string]any))
		values := servertest.AsList(servertest.ValueAt(schema["properties"], property, "enum"))
		if len(values) != 1 || seen[values[0]] || !slices.Contains(servertest.AsList(schema["required"]), any(property)) {
			t.Errorf("%s: an option has the values %v of %s", place, values, property)
			continue
		}
		seen[values[0]] = true
	}
}

// TestEnumerationsAreComponents checks that each set of more than one value is defined once.
func TestEnumerationsAreComponents(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	requests, answers := directions(d)
	visitSchemas(d, "document", []any{requests, answers}, map[string]bool{}, func(place string, schema map[string]any) {
		for _, keyword := range []string{"enum", "x-extensible-enum"} {
			if values := servertest.AsList(schema[keyword]); len(values) > 1 && strings.Count(place, "/") != 3 {
				t.Errorf("%s: the values %v are no component", place, values)
			}
		}
	})
}

// TestEveryOperationHasExamples checks that every JSON body of a request and of a success has an example, and every path parameter.
func TestEveryOperationHasExamples(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	bodies := 0
	check := func(place string, body any) {
		content, ok := servertest.ValueAt(body, "content", "application/json").(map[string]any)
		if !ok {
			return
		}
		bodies++
		if content["example"] == nil {
			t.Errorf("%s has no example", place)
		}
	}
	for _, row := range api.Rows() {
		operation := d.Operation(row)
		check(row.Name+": the request", operation["requestBody"])
		for status, response := range operation["responses"].(map[string]any) {
			check(row.Name+": the response "+status, response)
		}
		for _, p := range row.PathParams() {
			if parameter(d, row, p.Name)["example"] == nil {
				t.Errorf("%s: the parameter %s has no example", row.Name, p.Name)
			}
		}
	}
	if bodies < 350 {
		t.Errorf("only %d bodies were looked at", bodies)
	}
}

// plainMembers are the names of members that need no description.
var plainMembers = strings.Fields(`
	background blocks categories configuration copyright cover custom dark description displayName domain email
	enabled externalLinks files font fontFaces fontFamily footer groups handle header hostname id items kind label
	light links logo message metadata monospaceFont name nodes object outline pages pagination reactions
	socialAccounts sources subject summary tableOfContents text title type url users
`)

// isReference reports whether a schema is a reference to a component, or null: the component has a description.
func isReference(schema map[string]any) bool {
	for _, option := range servertest.AsList(schema["anyOf"]) {
		if option.(map[string]any)["$ref"] != nil {
			return true
		}
	}
	return schema["$ref"] != nil
}

// TestEverythingIsDescribed checks that every operation, schema and parameter has a description, every member whose name and type leave
// a question, and every operation its errors.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	check := func(place string, v any) {
		description := text(servertest.ValueAt(v, "description"))
		if description == "" || !strings.HasSuffix(strings.TrimRight(description, "`)"), ".") && !strings.HasSuffix(description, ":") {
			t.Errorf("%s: the description is %q", place, description)
		}
	}
	for kind, components := range d["components"].(map[string]any) {
		if kind == "securitySchemes" {
			continue
		}
		for name, component := range components.(map[string]any) {
			check(kind+"/"+name, component)
		}
	}
	for name, schema := range object(map[string]any(d), "components", "schemas") {
		for member, v := range object(schema, "properties") {
			if !slices.Contains(plainMembers, member) && !isReference(v.(map[string]any)) {
				check("the member "+member+" of "+name, v)
			}
		}
	}
	for _, tag := range servertest.AsList(d["tags"]) {
		check("tag", tag)
	}
	for path, operations := range d["paths"].(map[string]any) {
		for method, operation := range operations.(map[string]any) {
			place := method + " " + path
			check(place, operation)
			for _, p := range servertest.AsList(servertest.ValueAt(operation, "parameters")) {
				if servertest.ValueAt(p, "$ref") == nil {
					check(place+": "+text(servertest.ValueAt(p, "name")), p)
				}
			}
			errors, _ := servertest.ValueAt(operation, "x-wsd-errors").(map[string]any)
			for status := range errors {
				if servertest.ValueAt(operation, "responses", status) == nil {
					t.Errorf("%s: the status %s has reasons and no response", place, status)
				}
			}
			if servertest.ValueAt(operation, "x-wsd-name") != nil && (errors["401"] == nil || errors["503"] == nil) {
				t.Errorf("%s: has the errors %v", place, errors)
			}
		}
	}
}
