package documents

import (
	"bytes"
	"html"
	"regexp"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// container describes how a pair of tags is converted to a block.
type container struct {
	kind       string
	void       bool // the content between the tags is only for readers of the Markdown
	hasCaption bool // the content between the tags follows the block as a caption
}

// containers maps container tags to blocks.
var containers = map[string]container{
	"hint":              {kind: "hint"},
	"tabs":              {kind: "tabs"},
	"tab":               {kind: "tabs-item"},
	"stepper":           {kind: "stepper"},
	"step":              {kind: "stepper-step"},
	"columns":           {kind: "columns"},
	"column":            {kind: "column"},
	"if":                {kind: "if"},
	"embed":             {kind: "embed", void: true, hasCaption: true},
	"file":              {kind: "file", void: true, hasCaption: true},
	"content-ref":       {kind: "content-ref", void: true},
	"swagger":           {kind: "swagger", void: true},
	"openapi":           {kind: "swagger", void: true},
	"openapi-operation": {kind: "openapi-operation", void: true},
	"openapi-schemas":   {kind: "openapi-schemas", void: true},
	"openapi-webhook":   {kind: "openapi-webhook", void: true},
}

// voidTags maps single tags to blocks. An empty pair of tags is equivalent to a single tag.
var voidTags = map[string]string{
	"embed": "embed", "file": "file", "drawing": "drawing", "swagger": "swagger", "openapi": "swagger", "include": "reusable-content",
	"math": "math", "integration": "integration", "content-ref": "content-ref",
	"openapi-operation": "openapi-operation", "openapi-schemas": "openapi-schemas", "openapi-webhook": "openapi-webhook",
}

// HasTag reports whether tags with a name are read as a block: pairs of them, single ones, or either.
func HasTag(name string) (pairs, single bool) {
	_, pairs = containers[name]
	_, single = voidTags[name]
	return pairs || name == "code", single
}

// TagMembers maps types of blocks to the attributes of their tags and these to their types: s a string, b a flag, l a
// list of strings, n a length, r a reference, f a reference to a file, p a specification, j any JSON.
var TagMembers = map[string]map[string]string{
	"hint":              {"style": "s"},
	"tabs":              {"fullWidth": "b"},
	"tabs-item":         {"title": "s"},
	"stepper":           {},
	"stepper-step":      {"icon": "s"},
	"columns":           {"fullWidth": "b"},
	"column":            {"width": "n"},
	"if":                {"expression": "s"},
	"content-ref":       {"url": "r"},
	"embed":             {"url": "s", "fullWidth": "b"},
	"file":              {"src": "f"},
	"drawing":           {"src": "f"},
	"math":              {"formula": "s"},
	"reusable-content":  {},
	"integration":       {"integration": "s", "block": "s", "props": "j", "action": "j", "url": "s", "fullWidth": "b"},
	"swagger":           {"src": "r", "path": "s", "method": "s", "expanded": "b", "fullWidth": "b"},
	"openapi-operation": {"spec": "p", "path": "s", "method": "s"},
	"openapi-schemas":   {"spec": "p", "schemas": "l", "grouped": "b"},
	"openapi-webhook":   {"spec": "p", "name": "s", "method": "s"},
}

var tagAttribute = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_-]*)="([^"]*)"`)

// tagAttributes returns the attributes of a tag.
func tagAttributes(line []byte) map[string]string {
	found := map[string]string{}
	for _, m := range tagAttribute.FindAllSubmatch(line, -1) {
		found[string(m[1])] = html.UnescapeString(string(m[2]))
	}
	return found
}

// tagData returns the data of a tag; ok is false if its reference refers to nothing.
func (w *writer) tagData(kind string, line []byte) (data map[string]any, ok bool) {
	data, ok = map[string]any{}, true
	said := tagAttributes(line)
	for name, typ := range TagMembers[kind] {
		value, given := said[name]
		switch {
		case typ == "r" || typ == "f":
			ref, leads := w.ref(value, typ == "f")
			fits := leads && (typ == "r" && (kind != "swagger" || ref["kind"] == "url" || ref["kind"] == "file") || ref["kind"] == "file")
			if fits {
				data["ref"] = ref
			}
			ok = ok && (fits || kind == "drawing" && !given)
		case typ == "p":
			if ok = ok && given && value != ""; ok {
				data["ref"] = map[string]any{"kind": "openapi", "spec": value}
			}
		case typ == "n":
			if length, isLength := ParseLength(value); isLength {
				data[name] = length
			}
		case given:
			data[name] = typedValue(typ, value)
		}
	}
	return data, addRequired(kind, line, data) && ok
}

// typedValue converts an attribute to the value of a member.
func typedValue(typ, value string) any {
	switch typ {
	case "b":
		return value == "true"
	case "l":
		return anyList(strings.Split(value, ","))
	case "j":
		return decodeJSON(value)
	}
	return value
}

func anyList(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

var headingID = regexp.MustCompile(`^[-a-z0-9.+_]+$`)

var hintStyles = []string{"info", "warning", "danger", "success"}

// addRequired adds to data the required members that can be derived; ok is false if one cannot be derived.
func addRequired(kind string, line []byte, data map[string]any) (ok bool) {
	need := func(name string) bool { s, _ := data[name].(string); return s != "" }
	switch kind {
	case "hint":
		if style, _ := data["style"].(string); !strings.Contains("info warning danger success", style) || style == "" {
			data["style"] = hintStyles[0]
		}
	case "if":
		if data["expression"] == nil {
			inner := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("{%")), []byte("%}")))
			data["expression"] = string(bytes.TrimSpace(bytes.TrimPrefix(inner, []byte("if"))))
		}
	case "reusable-content":
		id, included := content.IncludedID(content.TrimEnd(line))
		data["ref"] = map[string]any{"kind": "reusable-content", "reusableContent": id}
		return included
	case "embed":
		return need("url")
	case "math":
		return data["formula"] != nil
	case "integration":
		if _, isObject := data["props"].(map[string]any); !isObject {
			data["props"] = map[string]any{}
		}
		return need("integration") && need("block")
	}
	return true
}

// tag returns the block of a line that consists of a single tag, such as an include.
func (w *writer) tag(line []byte) (api.DocumentNode, bool) {
	name, _, ok := content.ParseTag(line)
	kind, known := voidTags[name]
	if !ok || !known || bytes.ContainsAny(content.TrimEnd(line), "\n") {
		return api.DocumentNode{}, false
	}
	data, ok := w.tagData(kind, line)
	if !ok {
		return api.DocumentNode{}, false
	}
	return w.withMeta(api.DocumentNode{Object: "block", Type: kind, IsVoid: new(true), Data: data}), true
}

// withMeta sets the link target id of a block if its kind has one.
func (w *writer) withMeta(n api.DocumentNode) api.DocumentNode {
	title := ""
	switch n.Type {
	case "tabs-item":
		title, _ = n.Data["title"].(string)
	case "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook":
		method, _ := n.Data["method"].(string)
		path, _ := n.Data["path"].(string)
		title = method + " " + strings.ReplaceAll(path, "/", " ")
	case "expandable":
		title = PlainText(n.Fragments[0].Nodes)
	default:
		return n
	}
	slug := content.Fragment(strings.TrimSpace(title))
	if slug == "" {
		slug = n.Type
	}
	n.Meta = &api.DocumentMeta{ID: slug}
	return n
}

// container writes the content of a known container.
func (w *writer) container(s *sequence, c container, t taggedText) {
	data, ok := w.tagData(c.kind, t.line)
	n := api.DocumentNode{Object: "block", Type: c.kind, Key: t.key, Data: data}
	if c.void && ok {
		n.IsVoid = new(true)
		s.add(w.withMeta(n))
		if !c.hasCaption {
			return
		}
	}
	place := c.kind
	if c.void { // the reference refers to nothing: only the content is visible
		place = s.parentKind
	}
	inside := w.sequence(t.key, place, s.direct)
	if !c.hasCaption {
		inside.recordContentSpan(t.key, t.open, t.end)
	}
	w.blocks(inside, t.source, t.open, t.end, t.depth+1)
	if c.void {
		s.nodes = append(s.nodes, inside.nodes...)
		return
	}
	if n.Nodes = nonNil(inside.nodes); c.kind == "columns" {
		n.IsVoid = new(false)
	}
	s.add(w.withMeta(n))
}
