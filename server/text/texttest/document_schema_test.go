package texttest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

//go:embed testdata/every-node.json
var everyNode []byte

// violations returns the violations of a document.
func violations(t *testing.T, document any) []string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"items": []any{map[string]any{"document": document}}})
	if err != nil {
		t.Fatal(err)
	}
	return Violations(data)
}

// readDocument returns the document that has every type of node.
func readDocument(t *testing.T) (document map[string]any) {
	t.Helper()
	if err := json.Unmarshal(everyNode, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

// TestDocumentWithEveryNodeTypeIsValid checks that a document with every type of node is valid, with conditions and columns at
// the top, and with the members that the renderer of sites reads beyond those of the public interface.
func TestDocumentWithEveryNodeTypeIsValid(t *testing.T) {
	t.Parallel()
	for _, misfit := range violations(t, readDocument(t)) {
		t.Error(misfit)
	}
	for name := range rootSchema().Defs {
		if kind := rootSchema().Defs[name].Properties["type"]; kind != nil && len(kind.Enum) > 0 && kind.Enum[0] != "grid" &&
			!strings.Contains(string(everyNode), fmt.Sprintf("%q", kind.Enum[0])) {
			t.Errorf("the document has no %s", kind.Enum[0])
		}
	}
}

// TestInvalidDocumentsAreDetected checks that invalid documents are detected: a value of another type in place of any value,
// and a member that no node has.
func TestInvalidDocumentsAreDetected(t *testing.T) {
	t.Parallel()
	document := readDocument(t)
	planted := 0
	try := func(path string) {
		if planted++; len(violations(t, document)) == 0 {
			t.Errorf("what is planted at %s is not found", path)
		}
	}
	var walk func(value any, path string)
	walk = func(value any, path string) {
		switch v := value.(type) {
		case []any:
			for i, one := range v {
				at := fmt.Sprintf("%s[%d]", path, i)
				v[i] = wrongType(one)
				try(at)
				v[i] = one
				walk(one, at)
			}
		case map[string]any:
			if !openPaths.MatchString(path) {
				v["planted"] = "x"
				try(path + ".planted")
				delete(v, "planted")
			}
			for name, one := range v {
				at := path + "." + name
				if !untypedPaths.MatchString(at) {
					v[name] = wrongType(one)
					try(at)
					v[name] = one
					walk(one, at)
				}
			}
		}
	}
	walk(document, "")
	t.Logf("%d misfits planted", planted)
}

var (
	// openPaths matches the paths of objects with arbitrary members: columns and records by id, and the data of the
	// document, which wsd needs to write it back.
	openPaths = regexp.MustCompile(`^\.data$|\.(?:records|definition|columnWidths|values|props|action)$`)
	// untypedPaths matches the paths of values of any type, and of the members that identify a document.
	untypedPaths = regexp.MustCompile(`^\.(?:object|data\.page)$|\.(?:props|action)\.\w+$`)
)

// wrongType returns a value whose type is invalid in place of the given one.
func wrongType(value any) any {
	if _, isList := value.([]any); isList {
		return map[string]any{"planted": true}
	}
	return []any{[]any{}}
}

// TestLengthsHaveShape checks that a width is a number or an object with value and unit, and nothing else.
func TestLengthsHaveShape(t *testing.T) {
	t.Parallel()
	for text, valid := range map[string]bool{
		`200`: true, `0.5`: true, `{"value": 25, "unit": "%"}`: true, `{"value": 1.5, "unit": "em"}`: true,
		`"25%"`: false, `"200"`: false, `true`: false, `null`: false, `[25]`: false, `{}`: false, `{"value": 25}`: false, `{"unit": "%"}`: false,
		`{"value": "25", "unit": "%"}`: false, `{"value": 25, "unit": 1}`: false, `{"value": 25, "unit": "%", "more": 1}`: false,
	} {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		for _, kind := range []string{"column", "image"} {
			document := readDocument(t)
			data, _ := find(document, kind)["data"].(map[string]any)
			data["width"] = value
			if found := violations(t, document); (len(found) == 0) != valid {
				t.Errorf("%s of width %s: %v", kind, text, found)
			}
		}
	}
}

// TestMissingMembersAreReported checks that each missing required member is reported with its path.
func TestMissingMembersAreReported(t *testing.T) {
	t.Parallel()
	for kind, members := range map[string]string{
		"document": "object data nodes", "paragraph": "object type nodes", "heading-1": "nodes data", "list-ordered": "nodes data",
		"list-item": "nodes",
		"divider":   "isVoid data", "hint": "nodes data data.style", "images": "isVoid nodes data",
		"image": "isVoid fragments data data.ref", "file": "isVoid data.ref",
		"embed": "isVoid data.url", "code": "nodes data", "code-line": "nodes data", "math": "isVoid data.formula",
		"expandable": "isVoid fragments data",
		"table":      "isVoid fragments data.view data.records data.definition", "tabs": "nodes", "tabs-item": "nodes data",
		"columns": "isVoid data nodes", "column": "data nodes",
		"if": "data.expression nodes", "stepper": "nodes", "stepper-step": "nodes data", "content-ref": "isVoid data.ref",
		"reusable-content":  "isVoid data.ref",
		"openapi-operation": "isVoid data.ref data.path data.method", "link": "data.ref nodes", "inline-image": "isVoid data.ref",
		"emoji":      "isVoid data.code",
		"annotation": "isVoid nodes fragments", "mention": "isVoid data.ref", "button": "isVoid data.label data.kind data.ref",
		"color": "data.text", "text": "leaves", "leaf": "text marks",
	} {
		for member := range strings.FieldsSeq(members) {
			document := readDocument(t)
			node := find(document, kind)
			inner, name, found := strings.Cut(member, ".")
			if !found {
				delete(node, member)
			} else if data, ok := node[inner].(map[string]any); ok {
				delete(data, name)
			}
			if kind == "document" && member == "object" {
				continue // without the member it is not a document
			}
			if len(violations(t, document)) == 0 {
				t.Errorf("%s without %s fits", kind, member)
			}
		}
	}
}

// find returns the first node, mark or leaf of a type, or the first object without one.
func find(value any, kind string) map[string]any {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			if found := find(one, kind); found != nil {
				return found
			}
		}
	case map[string]any:
		if kind == v["object"] || kind == v["type"] && (v["object"] == "mark") == (kind == "color") && v["object"] != nil {
			return v
		}
		for _, one := range v {
			if found := find(one, kind); found != nil {
				return found
			}
		}
	}
	return nil
}

// TestMisplacedNodesAreReported checks that nodes that are not allowed at their position are reported with their path.
func TestMisplacedNodesAreReported(t *testing.T) {
	t.Parallel()
	for kind, in := range map[string]string{
		"table": "hint", "code": "blockquote", "list-item": "columns", "tabs": "tabs-item", "if": "column", "heading-1": "list-unordered",
		"image": "stepper-step",
	} {
		document := readDocument(t)
		into := find(document, in)
		into["nodes"] = []any{find(readDocument(t), kind)}
		found := violations(t, document)
		if len(found) != 1 || !strings.Contains(found[0], ".nodes[") {
			t.Errorf("%s in %s: %q", kind, in, found)
		}
	}
}
