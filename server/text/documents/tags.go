package documents

import (
	"bytes"
	"html"
	"regexp"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// container is how a pair of tags is a block.
type container struct {
	kind     string
	void     bool // what stands between the tags is for readers of the Markdown
	captions bool // it stands behind the block, which has no place for it
}

// containers are the blocks of containers by their tags.
var containers = map[string]container{
	"hint":              {kind: "hint"},
	"tabs":              {kind: "tabs"},
	"tab":               {kind: "tabs-item"},
	"stepper":           {kind: "stepper"},
	"step":              {kind: "stepper-step"},
	"columns":           {kind: "columns"},
	"column":            {kind: "column"},
	"if":                {kind: "if"},
	"embed":             {kind: "embed", void: true, captions: true},
	"file":              {kind: "file", void: true, captions: true},
	"content-ref":       {kind: "content-ref", void: true},
	"swagger":           {kind: "swagger", void: true},
	"openapi":           {kind: "swagger", void: true},
	"openapi-operation": {kind: "openapi-operation", void: true},
	"openapi-schemas":   {kind: "openapi-schemas", void: true},
	"openapi-webhook":   {kind: "openapi-webhook", void: true},
}

// voidTags are the blocks of tags that stand alone. Those of pairs stand alone, too, where they hold nothing.
var voidTags = map[string]string{
	"embed": "embed", "file": "file", "drawing": "drawing", "swagger": "swagger", "openapi": "swagger", "include": "reusable-content",
	"math": "math", "integration": "integration", "content-ref": "content-ref",
	"openapi-operation": "openapi-operation", "openapi-schemas": "openapi-schemas", "openapi-webhook": "openapi-webhook",
}

// TagMembers are the members of data that tags say, and of what type they are: s a string, b a flag, l a list of strings,
// r a reference, f a reference to a file, j any JSON.
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

// attributesOf are the attributes of a tag.
func attributesOf(line []byte) map[string]string {
	found := map[string]string{}
	for _, m := range tagAttribute.FindAllSubmatch(line, -1) {
		found[string(m[1])] = html.UnescapeString(string(m[2]))
	}
	return found
}

// tagData are the members of data that a tag says; ok is false where it lacks what it leads to.
func (w *writer) tagData(kind string, line []byte) (data map[string]any, ok bool) {
	data, ok = map[string]any{}, true
	said := attributesOf(line)
	for name, form := range TagMembers[kind] {
		value, given := said[name]
		switch {
		case form == "r" || form == "f":
			ref, leads := w.ref(value, form == "f")
			fits := leads && (form == "r" && (kind != "swagger" || ref["kind"] == "url" || ref["kind"] == "file") || ref["kind"] == "file")
			if fits {
				data["ref"] = ref
			}
			ok = ok && (fits || kind == "drawing" && !given)
		case form == "p":
			if ok = ok && given && value != ""; ok {
				data["ref"] = map[string]any{"kind": "openapi", "spec": value}
			}
		case given:
			data[name] = typed(form, value)
		}
	}
	return data, require(kind, line, data) && ok
}

// typed is an attribute as a member of data.
func typed(form, value string) any {
	switch form {
	case "b":
		return value == "true"
	case "n":
		return length(value)
	case "l":
		return anyList(strings.Split(value, ","))
	case "j":
		return decoded(value)
	}
	return value
}

// length is a number where it reads as one, else the text.
func length(value string) any {
	if f, err := strconv.ParseFloat(value, 64); err == nil && strconv.FormatFloat(f, 'f', -1, 64) == value {
		return f
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

// require gives data what has to be there, where it can be known; ok is false where it cannot.
func require(kind string, line []byte, data map[string]any) (ok bool) {
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
		id, included := content.Included(content.TrimEnd(line))
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

// tag is the block of a line that is one tag, such as an include.
func (w *writer) tag(line []byte) (api.DocumentNode, bool) {
	name, _, ok := content.Tag(line)
	kind, known := voidTags[name]
	if !ok || !known || bytes.ContainsAny(content.TrimEnd(line), "\n") {
		return api.DocumentNode{}, false
	}
	data, ok := w.tagData(kind, line)
	if !ok {
		return api.DocumentNode{}, false
	}
	return w.identified(api.DocumentNode{Object: "block", Type: kind, IsVoid: new(true), Data: data}), true
}

// identified gives a block the id by which pages lead to it, where its kind has one.
func (w *writer) identified(n api.DocumentNode) api.DocumentNode {
	title := ""
	switch n.Type {
	case "tabs-item":
		title, _ = n.Data["title"].(string)
	case "swagger", "openapi-operation", "openapi-schemas", "openapi-webhook":
		method, _ := n.Data["method"].(string)
		path, _ := n.Data["path"].(string)
		title = method + " " + strings.ReplaceAll(path, "/", " ")
	case "expandable":
		title = PlainOf(n.Fragments[0].Nodes)
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

// container writes what stands between two tags that are known.
func (w *writer) container(s *sequence, key string, c container, source, line []byte, open, end, depth int) {
	data, ok := w.tagData(c.kind, line)
	n := api.DocumentNode{Object: "block", Type: c.kind, Key: key, Data: data}
	if c.void && ok {
		n.IsVoid = new(true)
		s.add(w.identified(n))
		if !c.captions {
			return
		}
	}
	place := c.kind
	if c.void { // it leads nowhere: what stands in it is what there is to read
		place = s.place
	}
	inside := w.sequence(key, place, s.own)
	if !c.captions {
		inside.inside(key, open, end)
	}
	w.blocks(inside, source, open, end, depth+1)
	if c.void {
		s.nodes = append(s.nodes, inside.nodes...)
		return
	}
	if n.Nodes = orNone(inside.nodes); c.kind == "columns" {
		n.IsVoid = new(false)
	}
	s.add(w.identified(n))
}
