package apidoc_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestOpenAPIDocumentIsServed checks that the document is public and supports caches.
func TestOpenAPIDocumentIsServed(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	a := w.Send("", http.MethodGet, "/v1/openapi.json", nil)
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%d %s", a.Status, a.Header)
	}
	if again := w.Send("", http.MethodGet, "/v1/openapi.json", nil, "If-None-Match",
		a.Header.Get("Etag")); again.Status != http.StatusNotModified || len(again.Body) > 0 {
		t.Errorf("with its ETag: %d", again.Status)
	}
	if version, _ := w.Schema["openapi"].(string); !strings.HasPrefix(version, "3.1.") {
		t.Errorf("it is OpenAPI %s", version)
	}
}

// TestOpenAPIReferencesResolve checks that every reference of the document resolves, every component is used, and
// every row has an operation with all its path parameters.
func TestOpenAPIReferencesResolve(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	used := map[string]bool{}
	walk(map[string]any(d), func(object map[string]any) {
		pointer, ok := object["$ref"].(string)
		if !ok {
			return
		}
		used[pointer] = true
		if servertest.ValueAt(map[string]any(d), strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...) == nil {
			t.Errorf("%s leads nowhere", pointer)
		}
	})
	for kind, components := range d["components"].(map[string]any) {
		for name := range components.(map[string]any) {
			if pointer := "#/components/" + kind + "/" + name; !used[pointer] && kind != "securitySchemes" {
				t.Errorf("nothing points at %s", pointer)
			}
		}
	}
	for _, row := range api.Rows() {
		operation := d.Operation(row)
		if operation["operationId"] != row.Operation || operation["x-wsd-name"] != row.Name {
			t.Errorf("%s %s is the operation %v of %v, want %s of %s", row.Method, row.Path, operation["operationId"],
				operation["x-wsd-name"], row.Operation, row.Name)
		}
		for _, param := range row.PathParams() {
			if p := parameter(d, row, param.Name); p["in"] != "path" || p["required"] != true {
				t.Errorf("%s: parameter %s is %v", row.Name, param.Name, p)
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

// parameter returns a parameter of a row's operation.
func parameter(d servertest.Document, row api.Row, name string) map[string]any {
	for _, p := range servertest.AsList(d.Operation(row)["parameters"]) {
		if p := resolveReference(d, p.(map[string]any)); p["name"] == name {
			return p
		}
	}
	return nil
}

// resolveMember resolves a path of property names in a schema; "[]" selects the items of an array.
func resolveMember(d servertest.Document, schema map[string]any, path string) (field map[string]any, required bool) {
	for name := range strings.SplitSeq(path, ".") {
		schema = resolveReference(d, schema)
		if name == "{}" {
			schema, _ = schema["additionalProperties"].(map[string]any)
			continue
		}
		name, isList := strings.CutSuffix(name, "[]")
		required = slices.Contains(servertest.AsList(schema["required"]), any(name))
		schema, _ = servertest.ValueAt(schema["properties"], name).(map[string]any)
		if isList {
			schema, _ = resolveReference(d, schema)["items"].(map[string]any)
		}
	}
	return schema, required
}

// resolveReference resolves a reference, including one in an anyOf with null.
func resolveReference(d servertest.Document, schema map[string]any) map[string]any {
	for _, option := range servertest.AsList(schema["anyOf"]) {
		if pointer, _ := option.(map[string]any); pointer["$ref"] != nil {
			schema = pointer
		}
	}
	if pointer, ok := schema["$ref"].(string); ok {
		schema, _ = servertest.ValueAt(map[string]any(d), strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...).(map[string]any)
	}
	return schema
}

// nullable reports whether a schema accepts null.
func nullable(d servertest.Document, schema map[string]any) bool {
	return len(d.Violations("", nil, schema)) == 0
}

// findField returns a field of an operation's body, query or response.
func findField(d servertest.Document, operation, place, field string) (schema map[string]any, required, ok bool) {
	i := slices.IndexFunc(api.Rows(), func(r api.Row) bool { return r.Name == operation })
	if i < 0 {
		return nil, false, false
	}
	row := api.Rows()[i]
	switch place {
	case "query":
		p := parameter(d, row, field)
		schema, _ = p["schema"].(map[string]any)
		return schema, p["required"] == true, schema != nil
	case "body":
		schema, _ = servertest.ValueAt(d.Operation(row), "requestBody", "content", "application/json", "schema").(map[string]any)
	default:
		schema, _ = servertest.ValueAt(d.Operation(row), "responses", fmt.Sprint(row.Status), "content", "application/json",
			"schema").(map[string]any)
	}
	if schema == nil {
		return nil, false, false
	}
	schema, required = resolveMember(d, schema, field)
	return schema, required, schema != nil
}

// TestOpenAPIDocumentMarksDeprecatedAndPublic checks which fields are marked as deprecated and which operations need no
// token.
func TestOpenAPIDocumentMarksDeprecatedAndPublic(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	var deprecated, tokenless []string
	for _, row := range api.Rows() {
		operation := d.Operation(row)
		if operation["deprecated"] == true {
			deprecated = append(deprecated, row.Name)
		}
		if operation["security"] != nil {
			tokenless = append(tokenless, row.Name)
		}
	}
	servertest.Equal(t, "deprecated", "site-sections.move site-spaces.move", strings.Join(deprecated, " "))
	servertest.Equal(t, "without a token",
		"integrations.get integrations.list invites.accept saml-providers.list-logins server.get site-sections.list "+
			"site-spaces.list sites.get-published sites.get-structure spaces.get", strings.Join(tokenless, " "))
	field, _, _ := findField(d, "organizations.get", "answer", "internal_isOnNewTrial")
	servertest.Equal(t, "deprecated", any(true), field["deprecated"])
}

// TestOpenAPIDocumentIsStable checks that the document is always encoded identically, so that generated clients do not
// change.
func TestOpenAPIDocumentIsStable(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	first := w.Send("", http.MethodGet, "/v1/openapi.json", nil)
	w.Serve()
	if second := w.Send("", http.MethodGet, "/v1/openapi.json", nil); string(first.Body) != string(second.Body) {
		t.Error("it changed")
	}
	if !json.Valid(first.Body) {
		t.Error("it is not JSON")
	}
}

// TestOtherRoutesAnswerAsDescribed checks that the routes of the document that are no operations answer without a token as it says.
func TestOtherRoutesAnswerAsDescribed(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	routes := 0
	for path, methods := range object(map[string]any(w.Schema), "paths") {
		operation := object(methods, "get")
		if operation == nil || operation["x-wsd-name"] != nil {
			continue
		}
		routes++
		a := w.Send("", http.MethodGet, strings.NewReplacer("{", "", "}", "").Replace(path), nil)
		content := object(operation, "responses", fmt.Sprint(a.Status), "content")
		switch media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";"); {
		case strings.Contains(path, "{"):
			servertest.Equal(t, path+" with values of nothing", http.StatusNotFound, a.Status)
		case content[media] == nil:
			t.Errorf("%s answered %d with %s, which is not described", path, a.Status, media)
		case media == "application/json":
			var v any
			servertest.Decode(w, a, &v)
			for _, wrong := range w.Schema.Violations("", v, object(content, media, "schema")) {
				t.Errorf("%s: body%s", path, wrong)
			}
		}
	}
	if routes < 6 {
		t.Errorf("only %d routes were looked at", routes)
	}
}
