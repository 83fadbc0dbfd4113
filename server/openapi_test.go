package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// The document is served to everybody, and to caches.
func TestDocumentIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	a := w.raw("", http.MethodGet, "/v1/openapi.json", nil)
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %s", a.Status, a.Header)
	}
	if again := w.raw("", http.MethodGet, "/v1/openapi.json", nil, "If-None-Match", a.Header.Get("Etag")); again.Status != http.StatusNotModified || len(again.Body) > 0 {
		t.Errorf("with its ETag: %d", again.Status)
	}
	if version, _ := w.schema["openapi"].(string); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("it is OpenAPI %s", version)
	}
}

// Every pointer of the document leads somewhere, every component is pointed at, and every row has an operation
// with all its path parameters.
func TestDocumentIsWhole(t *testing.T) {
	t.Parallel()
	d := newWorld(t, storetest.Memory()).schema
	used := map[string]bool{}
	walk(map[string]any(d), func(object map[string]any) {
		pointer, ok := object["$ref"].(string)
		if !ok {
			return
		}
		used[strings.TrimPrefix(pointer, "#/components/schemas/")] = true
		if at(map[string]any(d), strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...) == nil {
			t.Errorf("%s leads nowhere", pointer)
		}
	})
	components, _ := at(map[string]any(d), "components", "schemas").(map[string]any)
	for name := range components {
		if !used[name] {
			t.Errorf("nothing points at the component %s", name)
		}
	}
	for _, row := range api.Rows() {
		operation := d.operation(row)
		if operation["operationId"] != row.Name {
			t.Errorf("%s %s is the operation %v, want %s", row.Method, row.Path, operation["operationId"], row.Name)
		}
		for _, name := range api.PathParams(row.Path) {
			if p := d.parameter(row, name); p["in"] != "path" || p["required"] != true {
				t.Errorf("%s: parameter %s is %v", row.Name, name, p)
			}
		}
	}
}

func walk(v any, visit func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(v)
		for _, member := range v {
			walk(member, visit)
		}
	case []any:
		for _, item := range v {
			walk(item, visit)
		}
	}
}

// parameter finds a parameter of a row's operation.
func (d document) parameter(row api.Row, name string) map[string]any {
	list, _ := d.operation(row)["parameters"].([]any)
	for _, p := range list {
		if p, _ := p.(map[string]any); p["name"] == name {
			return p
		}
	}
	return nil
}

// field walks from a schema along property names; "[]" goes into the items of a list.
func (d document) field(schema map[string]any, path string) (field map[string]any, required bool) {
	for name := range strings.SplitSeq(path, ".") {
		schema = d.resolved(schema)
		name, isList := strings.CutSuffix(name, "[]")
		required = slices.Contains(listOf(schema["required"]), any(name))
		schema, _ = at(schema["properties"], name).(map[string]any)
		if isList {
			schema, _ = d.resolved(schema)["items"].(map[string]any)
		}
	}
	return schema, required
}

// resolved follows a pointer, also one that stands beside null.
func (d document) resolved(schema map[string]any) map[string]any {
	for _, option := range listOf(schema["anyOf"]) {
		if pointer, _ := option.(map[string]any); pointer["$ref"] != nil {
			schema = pointer
		}
	}
	if pointer, ok := schema["$ref"].(string); ok {
		schema, _ = at(map[string]any(d), strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...).(map[string]any)
	}
	return schema
}

// nullable reports whether a schema takes null.
func (d document) nullable(schema map[string]any) bool {
	return len(d.violations("", nil, schema)) == 0
}

// bounds is how a schema's limits are written in tables: "0..50", "a|b|c", "~id" for a pattern.
func bounds(schema map[string]any) string {
	var parts []string
	for _, pair := range [][2]string{{"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minimum", "maximum"}} {
		low, high := schema[pair[0]], schema[pair[1]]
		if low != nil || high != nil {
			parts = append(parts, strings.ReplaceAll(fmt.Sprintf("%v..%v", low, high), "<nil>", ""))
		}
	}
	if enum, ok := schema["enum"].([]any); ok {
		var values []string
		for _, v := range enum {
			if v != nil {
				values = append(values, fmt.Sprint(v))
			}
		}
		slices.Sort(values)
		parts = append(parts, strings.Join(values, "|"))
	}
	return strings.Join(parts, " ")
}

// The limits of the interface, copied by hand from its text: what the emitted document says must be the same.
func TestDocumentSaysWhatTheInterfaceSays(t *testing.T) {
	t.Parallel()
	d := newWorld(t, storetest.Memory()).schema
	const levels = "admin|comment|create|edit|inherit|read|review"
	for _, want := range []struct {
		operation, place, field string
		required, null          bool
		limits                  string
	}{
		{"spaces.update", "body", "title", false, false, "0..50"},
		{"spaces.update", "body", "emoji", false, true, "1..50"},
		{"spaces.update", "body", "editMode", false, false, "live|locked"},
		{"spaces.update", "body", "defaultLevel", false, true, levels},
		{"spaces.move", "body", "parent", false, true, ""},
		{"spaces.move", "body", "position", false, false, ""},
		{"collections.create", "body", "title", false, false, "0..50"},
		{"collections.create", "body", "parent", false, false, ""},
		{"collections.update", "body", "title", false, false, "0..50"},
		{"collections.update", "body", "description", false, false, "0..100"},
		{"collections.update", "body", "defaultLevel", false, true, levels},
		{"collections.move", "body", "parent", false, true, ""},
		{"collections.list", "query", "limit", false, false, "0..1000"},
		{"collections.list", "query", "nested", false, false, ""},
		{"collections.list", "query", "page", false, false, ""},
		{"content.import", "body", "url", true, false, "1..2048"},
		{"content.import", "body", "source", true, false, "html|markdown|website|zip"},
		{"change-requests.create", "body", "subject", false, false, "0..100"},
		{"change-requests.update", "body", "subject", false, false, "0..100"},
		{"change-requests.update", "body", "status", false, false, "archived|draft|open"},
		{"change-requests.list", "query", "status", false, false, "archived|draft|merged|open"},
		{"change-requests.list", "query", "limit", false, false, "0..1000"},
		{"change-requests.request-review", "body", "users", true, false, "1..100"},
		{"change-requests.request-review", "body", "subject", false, false, "0..100"},
		{"comments.create", "body", "body", true, false, ""},
		{"comments.create", "body", "body.markdown", true, false, "1.."},
		{"comments.create", "body", "page", false, false, ""},
		{"comments.create", "body", "node", false, false, ""},
		{"comments.list", "query", "order", false, false, "asc|desc"},
		{"comments.list", "query", "status", false, false, "all|open|resolved"},
		{"comments.update", "body", "resolved", false, false, ""},
		{"comments.update", "body", "addedReactions", false, false, "0..50"},
		{"comments.update", "body", "removedReactions", false, false, "0..50"},
		{"replies.create", "body", "body.markdown", true, false, "1.."},
		{"replies.update", "body", "addedReactions", false, false, "0..50"},
		{"content.get-page", "query", "format", false, false, "markdown"},
		{"content.get-page", "query", "metadata", false, false, ""},

		{"spaces.get", "answer", "title", true, false, "0..50"},
		{"spaces.get", "answer", "emoji", true, false, "1..50"},
		{"spaces.get", "answer", "defaultLevel", true, true, levels},
		{"spaces.get", "answer", "parent", false, false, ""},
		{"spaces.get", "answer", "deletedAt", false, false, ""},
		{"spaces.get", "answer", "visibility", true, false, "in-collection|private|public|share-link|unlisted|visitor-auth"},
		{"spaces.get", "answer", "urls.published", false, false, ""},
		{"spaces.get", "answer", "permissions.merge", true, false, ""},
		{"collections.get", "answer", "title", true, false, "0..50"},
		{"collections.get", "answer", "description", false, false, "0..100"},
		{"collections.get", "answer", "defaultLevel", true, true, levels},
		{"organizations.get", "answer", "type", true, false, "business|community"},
		{"organizations.get", "answer", "title", true, false, "2..255"},
		{"change-requests.get", "answer", "status", true, false, "archived|draft|merged|open"},
		{"change-requests.get", "answer", "revisionMergedAncestor", false, false, ""},
		{"change-requests.get", "answer", "createdBy.displayName", true, false, ""},
		{"change-requests.merge", "answer", "result", true, false, "conflicts|merge|update"},
		{"change-requests.merge", "answer", "revision", true, false, ""},
		{"comments.get", "answer", "status", true, false, "open|resolved"},
		{"comments.get", "answer", "resolvedBy", false, false, ""},
		{"comments.get", "answer", "target.page.outdated", true, false, ""},
		{"comments.list", "answer", "next", false, false, ""},
		{"comments.list", "answer", "count", true, false, ""},
		{"comments.list", "answer", "items[].replies", true, false, ""},
		{"content.import", "answer", "importedResources", true, false, ""},
		{"content.import", "answer", "totalResources", true, false, ""},
	} {
		name := strings.Join([]string{want.operation, want.place, want.field}, " ")
		schema, required, ok := d.lookUp(want.operation, want.place, want.field)
		if !ok {
			t.Errorf("%s is not in the document", name)
			continue
		}
		if required != want.required {
			t.Errorf("%s: required is %t", name, required)
		}
		if got := d.nullable(schema); want.place != "query" && got != want.null {
			t.Errorf("%s: null is %t", name, got)
		}
		if got := bounds(schema); got != want.limits {
			t.Errorf("%s: limits %q, want %q", name, got, want.limits)
		}
	}
}

// lookUp finds a field of an operation's body, query or answer.
func (d document) lookUp(operation, place, field string) (schema map[string]any, required, ok bool) {
	i := slices.IndexFunc(api.Rows(), func(r api.Row) bool { return r.Name == operation })
	if i < 0 {
		return nil, false, false
	}
	row := api.Rows()[i]
	switch place {
	case "query":
		p := d.parameter(row, field)
		schema, _ = p["schema"].(map[string]any)
		return schema, p["required"] == true, schema != nil
	case "body":
		schema, _ = at(d.operation(row), "requestBody", "content", "application/json", "schema").(map[string]any)
	default:
		schema, _ = at(d.operation(row), "responses", fmt.Sprint(row.Status), "content", "application/json", "schema").(map[string]any)
	}
	if schema == nil {
		return nil, false, false
	}
	schema, required = d.field(schema, field)
	return schema, required, schema != nil
}

// The document is the same each time that it is made, so that clients generated from it do not change.
func TestDocumentIsStable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	first := w.raw("", http.MethodGet, "/v1/openapi.json", nil)
	w.serve()
	if second := w.raw("", http.MethodGet, "/v1/openapi.json", nil); string(first.Body) != string(second.Body) {
		t.Error("it changed")
	}
	if !json.Valid(first.Body) {
		t.Error("it is not JSON")
	}
}
