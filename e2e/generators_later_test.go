package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// laterValue is the value that a laterVersion answers for each enumeration that may grow.
const laterValue = "added-later"

// laterVersion is a proxy that answers as a later version of wsd may: each object of an answer has a member that the document does
// not name, and each value of an enumeration that may grow is one that the document does not list.
type laterVersion struct {
	document        map[string]any // the OpenAPI document of this version
	url             string
	members, values atomic.Int64 // that were added
}

// newLaterVersion starts a proxy to the server at target, which ends with the test.
func newLaterVersion(t *testing.T, target string, document []byte) *laterVersion {
	t.Helper()
	v := &laterVersion{}
	if err := json.Unmarshal(document, &v.document); err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Header.Del("Accept-Encoding")
		},
		ModifyResponse: v.change,
	})
	t.Cleanup(server.Close)
	v.url = server.URL
	return v
}

// change changes an answer.
func (v *laterVersion) change(answer *http.Response) error {
	schema := v.schemaOf(answer)
	if schema == nil {
		return nil
	}
	var body any
	decoder := json.NewDecoder(answer.Body)
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return err
	}
	text, err := json.Marshal(v.later(body, schema))
	if err != nil {
		return err
	}
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	answer.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// schemaOf returns the schema of the JSON of an answer, or nil if it has none.
func (v *laterVersion) schemaOf(answer *http.Response) map[string]any {
	path, paths := answer.Request.URL.Path, v.document["paths"].(map[string]any)
	template, found := "", false
	for candidate := range paths { // a segment without a parameter goes first
		if isOfTemplate(path, candidate) && (!found || strings.Count(candidate, "{") < strings.Count(template, "{")) {
			template, found = candidate, true
		}
	}
	responses := objectAt(paths, template, strings.ToLower(answer.Request.Method), "responses")
	response, declared := responses[strconv.Itoa(answer.StatusCode)].(map[string]any)
	if !declared {
		response, _ = responses["default"].(map[string]any)
	}
	return objectAt(v.resolve(response), "content", "application/json", "schema")
}

// isOfTemplate reports whether path is one of a template of the document.
func isOfTemplate(path, template string) bool {
	have, want := strings.Split(path, "/"), strings.Split(template, "/")
	if len(have) != len(want) {
		return false
	}
	for i, segment := range want {
		if segment != have[i] && !strings.HasPrefix(segment, "{") {
			return false
		}
	}
	return true
}

// objectAt returns the object at a path of member names, or nil.
func objectAt(object map[string]any, path ...string) map[string]any {
	for _, name := range path {
		object, _ = object[name].(map[string]any)
	}
	return object
}

// resolve follows a reference.
func (v *laterVersion) resolve(schema map[string]any) map[string]any {
	pointer, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	return v.resolve(objectAt(v.document, strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...))
}

// later returns a value of a schema with the additions.
func (v *laterVersion) later(value any, schema map[string]any) any {
	schema = v.resolve(schema)
	for _, keyword := range []string{"oneOf", "anyOf"} {
		if options, ok := schema[keyword].([]any); ok {
			return v.later(value, v.option(value, options, objectAt(schema, "discriminator")))
		}
	}
	switch value := value.(type) {
	case string:
		if schema["x-extensible-enum"] != nil {
			v.values.Add(1)
			return laterValue
		}
	case []any:
		for i, item := range value {
			value[i] = v.later(item, objectAt(schema, "items"))
		}
	case map[string]any:
		properties := objectAt(schema, "properties")
		for name, old := range maps.Clone(value) {
			if property := objectAt(properties, name); property != nil {
				value[name] = v.later(old, property)
			} else {
				value[name] = v.later(old, objectAt(schema, "additionalProperties"))
			}
		}
		if properties != nil {
			v.members.Add(1)
			value["addedLater"] = map[string]any{"values": []int{1, 2}}
		}
	}
	return value
}

// option returns the option of a choice that has the value.
func (v *laterVersion) option(value any, options []any, discriminator map[string]any) map[string]any {
	if object, ok := value.(map[string]any); ok && discriminator != nil {
		kind, _ := object[discriminator["propertyName"].(string)].(string)
		return map[string]any{"$ref": objectAt(discriminator, "mapping")[kind]}
	}
	for _, option := range options {
		schema := v.resolve(option.(map[string]any))
		switch value.(type) {
		case string:
			if schema["type"] == "string" {
				return schema
			}
		case map[string]any:
			if schema["type"] == "object" {
				return schema
			}
		}
	}
	return nil
}
