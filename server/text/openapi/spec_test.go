package openapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/openapi"
)

const origin = "https://example.com/api/openapi.yaml"

// web returns a Reader of the given files.
func web(files map[string]string) openapi.Reader {
	return func(_ context.Context, address string) ([]byte, error) {
		text, ok := files[address]
		if !ok {
			return nil, fmt.Errorf("%s: 404", address)
		}
		return []byte(text), nil
	}
}

const petStore = `openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets:
    get:
      operationId: listPets
      responses:
        "200":
          description: All.
          content:
            application/json:
              schema: {$ref: "schemas/pet.yaml#/Pet"}
`

const petSchema = `Pet:
  type: object
  properties:
    name: {type: [string, "null"], const: Rex}
    owner: {$ref: "https://other.example.com/person.json"}
    friends: {type: array, items: {$ref: "#/Pet"}}
`

func TestReadBundlesReferences(t *testing.T) {
	t.Parallel()
	d, err := openapi.Read(t.Context(), origin, []byte(petStore), web(map[string]string{
		"https://example.com/api/schemas/pet.yaml": petSchema,
		"https://other.example.com/person.json":    `{"type":"object","properties":{"age":{"type":"integer"}}}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	if d.Version != "3.1.0" || d.Title != "Pets" {
		t.Errorf("%s %s", d.Version, d.Title)
	}
	var paths []string
	for _, f := range d.Files {
		paths = append(paths, f.Path)
	}
	if got := strings.Join(paths, " "); got != "openapi.yaml schemas/pet.yaml https://other.example.com/person.json" {
		t.Errorf("files %s", got)
	}
	if string(d.Files[0].Data) != petStore {
		t.Error("the document is not kept as it was given")
	}
	// The items of friends are resolved to the right one of two schemas with the same name.
	if n := strings.Count(string(d.Bundle), `"const":"Rex"`); n != 1 {
		t.Errorf("the pet stands %d times in %s", n, d.Bundle)
	}
	if bundle := string(d.Bundle); strings.Contains(bundle, "example.com") || strings.Contains(bundle, ".yaml") ||
		!strings.Contains(bundle, `"age"`) || !strings.Contains(bundle, `"const":"Rex"`) || !json.Valid(d.Bundle) {
		t.Errorf("bundle %s", bundle)
	}
}

// TestReadComponentsOfOtherDocuments checks that a component in another document is renamed and included, wherever
// the document is.
func TestReadComponentsOfOtherDocuments(t *testing.T) {
	t.Parallel()
	text := `{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{},"components":{"schemas":{
		"Pet":{"$ref":"pet.json"},"pet":{"$ref":"../other/pet.json"},"Cat":{"$ref":"https://example.org/deep/down/pet.json#/definitions/Cat"},"Same":{"$ref":"#/components/schemas/Pet"}}}}`
	d, err := openapi.Read(t.Context(), origin, []byte(text), web(map[string]string{
		"https://example.com/api/pet.json":       `{"type":"object","description":"One."}`,
		"https://example.com/other/pet.json":     `{"type":"object","description":"Two."}`,
		"https://example.org/deep/down/pet.json": `{"definitions":{"Cat":{"type":"object","description":"Three."}}}`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	var bundle struct {
		Components struct {
			Schemas map[string]struct {
				Ref         string `json:"$ref"`
				Description string `json:"description"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(d.Bundle, &bundle); err != nil {
		t.Fatal(err)
	}
	schemas := bundle.Components.Schemas
	for name, want := range map[string]string{"Pet": "One.", "pet": "Two.", "Cat": "Three.", "Same": "One."} {
		at := schemas[name]
		for range schemas {
			if at.Ref != "" {
				at = schemas[strings.TrimPrefix(at.Ref, "#/components/schemas/")]
			}
		}
		if at.Description != want {
			t.Errorf("%s leads to %+v: %s", name, at, d.Bundle)
		}
	}
}

func TestReadVersions(t *testing.T) {
	t.Parallel()
	for version, text := range map[string]string{
		"2.0":   `{"swagger":"2.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"description":"x","schema":{"$ref":"#/definitions/A"}}}}}},"definitions":{"A":{"type":"string"}}}`,
		"3.0.3": `{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{}}`,
		"3.1.1": "openapi: 3.1.1\ninfo:\n  title: T\n  version: '1'\nwebhooks: {}\n",
	} {
		d, err := openapi.Read(t.Context(), "", []byte(text), web(nil))
		if err != nil || d.Version != version || d.Title != "T" || len(d.Files) != 1 {
			t.Errorf("%s: %+v, %v", version, d, err)
		}
	}
}

func TestReadRejectsInvalidDocuments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ address, text, says string }{
		"not a document":          {origin, "\x00\x01", "neither JSON nor YAML"},
		"plain text":              {origin, "hello", "it must not be of the type string"},
		"a field of another type": {origin, `{"openapi":3.1,"info":{"title":"T"}}`, "openapi must not be of the type number"},
		"circular references":     {origin, strings.ReplaceAll(petStore, "schemas/pet.yaml#/Pet", "here.json#/A"), "in a circle"},
		"JSON of another kind":    {origin, `{"a":1}`, "neither openapi nor swagger"},
		"a later version":         {origin, `{"openapi":"4.0.0","info":{"title":"T"}}`, "version 4.0.0 is not known"},
		"no title":                {origin, `{"openapi":"3.0.0","info":{}}`, "info.title"},
		"a reference inside": {
			origin, `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{"/a":{"get":{"responses":{"200":{"$ref":"#/components/responses/None"}}}}}}`, "not found",
		},
		"a relative reference of a text": {"", strings.ReplaceAll(petStore, "schemas/pet.yaml#/Pet", "pet.yaml"), "leads nowhere"},
	} {
		_, err := openapi.Read(t.Context(), c.address, []byte(c.text), web(map[string]string{
			"https://example.com/api/here.json":  `{"A":{"$ref":"there.json#/B"}}`,
			"https://example.com/api/there.json": `{"B":{"$ref":"here.json#/A"}}`,
		}))
		var wrong *openapi.ParseError
		if !errors.As(err, &wrong) || !strings.Contains(wrong.Message, c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

// TestReadReturnsFetchErrors checks that an error of the reader is not a *ParseError.
func TestReadReturnsFetchErrors(t *testing.T) {
	t.Parallel()
	_, err := openapi.Read(t.Context(), origin, []byte(petStore), web(nil))
	var wrong *openapi.ParseError
	if err == nil || errors.As(err, &wrong) || !strings.Contains(err.Error(), "404") {
		t.Errorf("%v", err)
	}
}

func TestReadLimitsDocuments(t *testing.T) {
	t.Parallel()
	endless := func(_ context.Context, address string) ([]byte, error) {
		return fmt.Appendf(nil, `{"type":"object","properties":{"next":{"$ref":"%sx"}}}`, address), nil
	}
	text := `{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{},"components":{"schemas":{"A":{"$ref":"https://example.com/a"}}}}`
	if _, err := openapi.Read(t.Context(), origin, []byte(text), endless); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(petStore)
	f.Add(
		`{"swagger":"2.0","info":{"title":"T"},"paths":{"/a":{"post":{"parameters":[{"in":"body","schema":{"$ref":"#/definitions/A"}}]}}},"definitions":{"A":{"$ref":"#/definitions/A"}}}`)
	f.Add("openapi: 3.0.0\ninfo: &a {title: T, x: *a}\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := openapi.Read(t.Context(), origin, []byte(text), web(nil))
		if err == nil && !json.Valid(d.Bundle) {
			t.Errorf("the bundle is not JSON: %s", d.Bundle)
		}
	})
}
