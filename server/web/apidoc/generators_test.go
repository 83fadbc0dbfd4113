package apidoc_test

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// TestComponentsHaveDifferentNames checks that generators of clients, which make a type of each component and of each schema inside one,
// find no name twice. The name of an inner schema is that of the component and its member.
func TestComponentsHaveDifferentNames(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	places := map[string]string{} // by name of the type
	add := func(name, place string) {
		name = strings.ToLower(strings.ReplaceAll(name, "-", ""))
		if other, taken := places[name]; taken {
			t.Errorf("%s and %s get the same type", other, place)
		}
		places[name] = place
	}
	components := d["components"].(map[string]any)
	for _, kind := range []string{"schemas", "parameters", "responses", "headers"} {
		for name := range components[kind].(map[string]any) {
			add(name, kind+"/"+name)
		}
	}
	if components["parameters"].(map[string]any)["LimitParameter"] == nil || len(places) < 700 {
		t.Errorf("only %d components were found", len(places))
	}
	inner := 0
	for name, schema := range components["schemas"].(map[string]any) {
		properties, _ := servertest.ValueAt(schema, "properties").(map[string]any)
		for member, v := range properties {
			place := "schemas/" + name + "/" + member
			if isInnerType(v) {
				add(name+member, place)
				inner++
			}
			if items := servertest.ValueAt(v, "items"); isInnerType(items) {
				add(name+member+"Item", place+" items")
				inner++
			}
		}
	}
	if inner < 20 {
		t.Errorf("only %d schemas inside components were found", inner)
	}
}

// isInnerType reports whether a schema inside a component is a choice or an object, of which generators make a type.
func isInnerType(schema any) bool {
	return servertest.ValueAt(schema, "oneOf") != nil || servertest.ValueAt(schema, "type") == "object"
}

// TestConditionalReadsAreDeclared checks that operations with the parameter If-None-Match, and no others, declare the status 304.
func TestConditionalReadsAreDeclared(t *testing.T) {
	t.Parallel()
	d := servertest.NewWorld(t, storetest.Memory()).Schema
	conditional := 0
	for path, operations := range d["paths"].(map[string]any) {
		for method, operation := range operations.(map[string]any) {
			takes := slices.ContainsFunc(servertest.AsList(servertest.ValueAt(operation, "parameters")), func(p any) bool {
				return resolveReference(d, p.(map[string]any))["name"] == "If-None-Match"
			})
			if takes != (servertest.ValueAt(operation, "responses", "304") != nil) {
				t.Errorf("%s %s: the parameter If-None-Match: %t, the status 304: %t", method, path, takes, !takes)
			}
			if takes {
				conditional++
			}
		}
	}
	if conditional < 50 {
		t.Errorf("only %d operations take If-None-Match", conditional)
	}
}
