package openapi

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// schemas returns a document with the given schemas, without the comma after the last one.
func schemas(members string) []byte {
	return []byte(`{"openapi":"3.0.0","info":{"title":"t","version":"1"},"paths":{},"components":{"schemas":{` +
		strings.TrimSuffix(members, ",") + `}}}`)
}

// chainOf returns schemas of n references, each to the next, and the schema that the last one leads to.
func chainOf(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"a%d":{"$ref":"#/components/schemas/a%d"},`, i, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"type":"string"},`, n)
	return b.String()
}

// references returns a schema with n references to the schema "z".
func references(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"p%d":{"$ref":"#/components/schemas/z"},`, i)
	}
	return `"r":{"properties":{` + strings.TrimSuffix(b.String(), ",") + `}},`
}

// members returns the schema "z" with n members.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"m%d":{},`, i)
	}
	return `"z":{"properties":{` + strings.TrimSuffix(b.String(), ",") + `}},`
}

func TestReadLimitsReferences(t *testing.T) {
	t.Parallel()
	const edgesOfReference = 102 // the chain of 1, the schema, its properties, and 99 of them
	for name, c := range map[string]struct{ good, bad, want string }{
		"number": {references(MaxReferences) + `"z":{}`, references(MaxReferences+1) + `"z":{}`, "references"},
		"chain":  {chainOf(MaxChain), chainOf(MaxChain + 1), "lead to each other"},
		"circle": {`"a":{"properties":{"b":{"$ref":"#/components/schemas/a"}}}`, `"a":{"$ref":"#/components/schemas/a"}`, "circle"},
		"edges": {
			references(MaxEdges/edgesOfReference) + members(99), references(MaxEdges/edgesOfReference+1) + members(99),
			"objects",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := (&referenceCounter{}).add(schemas(c.good)); err != nil { // the library would take seconds
				t.Errorf("at the limit: %v", err)
			}
			_, err := Read(t.Context(), "", schemas(c.bad), nil)
			var wrong *ParseError
			if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("one beyond the limit: %v, want an error that contains %q", err, c.want)
			}
			if _, err := MakePages(schemas(c.bad)); !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("pages beyond the limit: %v, want an error that contains %q", err, c.want)
			}
		})
	}
}

func TestReadLimitsReferencesOfAllDocuments(t *testing.T) {
	t.Parallel()
	part := string(schemas(references(MaxReferences/2) + `"z":{}`))
	first := schemas(`"a":{"$ref":"b.json#/components/schemas/z"},"b":{"$ref":"c.yaml#/components/schemas/z"}`)
	read := func(_ context.Context, address string) ([]byte, error) {
		if address == "https://example.com/c.yaml" {
			return []byte("# YAML\n" + part), nil
		}
		return []byte(part), nil
	}
	_, err := Read(t.Context(), "https://example.com/a.json", first, read)
	var wrong *ParseError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "references") {
		t.Errorf("two documents with the limit of references and one that refers to them: %v", err)
	}
}

func TestPageOfErrorNamesReason(t *testing.T) {
	t.Parallel()
	pages := PageOfError(&ParseError{Message: "more than 3 *references*"}).Select(nil)
	if len(pages) != 1 || !strings.Contains(string(pages[0].Markdown), `more than 3 \*references\*`) || pages[0].Slug == "" {
		t.Errorf("%+v", pages)
	}
}
