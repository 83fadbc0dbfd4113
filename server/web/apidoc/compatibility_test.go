package apidoc_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/server/servertest"
)

// comparison finds the changes of a document that break clients of an earlier one. Requests that were valid must stay valid; answers
// must stay as they were described, except that they may have further members, and further values of enumerations that may grow.
type comparison struct {
	before, after map[string]any
	operation     string
	breaks        map[string]bool
	compared      map[[3]string]bool // pairs of references, with their direction
}

// breakingChanges returns the changes from one document to another that break clients, sorted: the operation id, the place and the
// change.
func breakingChanges(before, after map[string]any) []string {
	c := &comparison{before: before, after: after, breaks: map[string]bool{}, compared: map[[3]string]bool{}}
	for path, methods := range object(before, "paths") {
		for method := range methods.(map[string]any) {
			was, is := object(before, "paths", path, method), object(after, "paths", path, method)
			c.operation = text(was["operationId"])
			if is == nil {
				c.add(method+" "+path, "was removed")
				continue
			}
			if was["operationId"] != is["operationId"] {
				c.add("operationId", "is "+text(is["operationId"]))
			}
			if was["security"] != nil && is["security"] == nil {
				c.add("security", "needs a token")
			}
			clear(c.compared) // places are those of each operation
			c.compareParameters(was, is)
			c.compareRequest(was, is)
			c.compareAnswers(was, is)
		}
	}
	return slices.Sorted(maps.Keys(c.breaks))
}

func (c *comparison) add(place, change string) {
	c.breaks[fmt.Sprintf("%s %s %s", c.operation, place, change)] = true
}

// parameters returns the parameters of an operation by place and name.
func parameters(document, operation map[string]any) map[string]map[string]any {
	all := map[string]map[string]any{}
	list, _ := operation["parameters"].([]any)
	for _, p := range list {
		parameter := resolve(document, p.(map[string]any))
		all[text(parameter["in"])+" "+text(parameter["name"])] = parameter
	}
	return all
}

func (c *comparison) compareParameters(was, is map[string]any) {
	before, after := parameters(c.before, was), parameters(c.after, is)
	for name, p := range before {
		if after[name] == nil {
			if p["in"] != "header" { // unknown headers are ignored
				c.add(name, "was removed")
			}
			continue
		}
		if p["required"] != true && after[name]["required"] == true {
			c.add(name, "is required")
		}
		c.compareSchemas(name, inRequest, object(p, "schema"), object(after[name], "schema"))
	}
	for name, p := range after {
		if before[name] == nil && p["required"] == true {
			c.add(name, "is required")
		}
	}
}

func (c *comparison) compareRequest(was, is map[string]any) {
	before, after := object(was, "requestBody"), object(is, "requestBody")
	if after["required"] == true && before["required"] != true {
		c.add("body", "is required")
	}
	c.compareContent("body", inRequest, object(before, "content"), object(after, "content"))
}

func (c *comparison) compareAnswers(was, is map[string]any) {
	for status, response := range object(was, "responses") {
		if !strings.HasPrefix(status, "2") {
			continue // errors have one schema, which the default response has, too
		}
		after := object(is, "responses", status)
		if after == nil {
			c.add(status, "was removed")
			continue
		}
		c.compareContent(status, inAnswer, object(resolve(c.before, response.(map[string]any)), "content"),
			object(resolve(c.after, after), "content"))
	}
}

func (c *comparison) compareContent(place, direction string, before, after map[string]any) {
	for media := range before {
		if after[media] == nil {
			c.add(place, "is no longer "+media)
			continue
		}
		c.compareSchemas(place, direction, object(before, media, "schema"), object(after, media, "schema"))
	}
}

// Directions of a schema.
const (
	inRequest = "request"
	inAnswer  = "answer"
)

// alternatives returns the schemas that a schema is a choice of, resolved, without null, and whether it accepts null.
func alternatives(document, schema map[string]any) (list []map[string]any, null bool) {
	schema = resolve(document, schema)
	for _, keyword := range []string{"anyOf", "oneOf"} {
		options, ok := schema[keyword].([]any)
		if !ok {
			continue
		}
		for _, option := range options {
			some, acceptsNull := alternatives(document, option.(map[string]any))
			list, null = append(list, some...), null || acceptsNull
		}
		return list, null
	}
	switch types := schema["type"].(type) {
	case string:
		if types == "null" {
			return nil, true
		}
		return []map[string]any{schema}, false
	case []any:
		for _, kind := range types {
			if kind == "null" {
				null = true
				continue
			}
			one := maps.Clone(schema)
			one["type"] = kind
			list = append(list, one)
		}
		return list, null
	}
	return []map[string]any{schema}, len(schema) == 0 || schema["type"] == nil
}

// compareSchemas compares the schemas of a value.
func (c *comparison) compareSchemas(place, direction string, before, after map[string]any) {
	if a, b := text(before["$ref"]), text(after["$ref"]); a != "" && b != "" {
		key := [3]string{direction, a, b}
		if c.compared[key] {
			return
		}
		c.compared[key] = true
	}
	was, wasNull := alternatives(c.before, before)
	is, isNull := alternatives(c.after, after)
	switch {
	case direction == inRequest && wasNull && !isNull:
		c.add(place, "does not accept null")
	case direction == inAnswer && isNull && !wasNull:
		c.add(place, "may be null")
	}
	from, to := was, is
	if direction == inAnswer {
		from, to = is, was // what is answered must fit into what was described
	}
	for _, one := range from {
		i := matching(one, from, to)
		if i < 0 {
			c.add(place, fmt.Sprintf("is not %s as it was", kindOf(one)))
			continue
		}
		if direction == inRequest {
			c.compareValues(place, direction, one, to[i])
		} else {
			c.compareValues(place, direction, to[i], one)
		}
	}
}

// matching returns the index of the alternative of to that one of from is compared with, or -1: one of the same kind, or else one
// that does not tell its kind and that no other alternative of from is compared with.
func matching(one map[string]any, from, to []map[string]any) int {
	hasKind := func(list []map[string]any, kind string) bool {
		return slices.ContainsFunc(list, func(s map[string]any) bool { return kindOf(s) == kind })
	}
	i := slices.IndexFunc(to, func(other map[string]any) bool { return kindOf(one) == kindOf(other) })
	if i < 0 {
		i = slices.IndexFunc(to, func(other map[string]any) bool { return isAnyKind(one, other) && !hasKind(from, kindOf(other)) })
	}
	return i
}

// isAnyKind reports whether one of two alternatives does not tell which object, or which value, it is.
func isAnyKind(a, b map[string]any) bool {
	return a["type"] == nil || b["type"] == nil || a["type"] == b["type"] && (kindOf(a) == "object" || kindOf(b) == "object")
}

// kindOf returns the type of an alternative. Objects are told apart by the member object, operation or type.
func kindOf(schema map[string]any) string {
	kind := text(schema["type"])
	if kind == "integer" {
		kind = "number"
	}
	if kind != "object" {
		return kind
	}
	for _, name := range []string{"object", "operation", "type"} {
		if values := enumOf(object(schema, "properties", name)); len(values) == 1 {
			return kind + " " + values[0]
		}
	}
	return kind
}

// enumOf returns the values of an enumeration, sorted.
func enumOf(schema map[string]any) (values []string) {
	for _, keyword := range []string{"enum", "x-extensible-enum"} {
		list, _ := schema[keyword].([]any)
		for _, v := range list {
			values = append(values, fmt.Sprint(v))
		}
	}
	slices.Sort(values)
	return values
}

// compareValues compares two alternatives of the same kind.
func (c *comparison) compareValues(place, direction string, before, after map[string]any) {
	c.compareEnums(place, direction, enumOf(before), enumOf(after), after["x-extensible-enum"] != nil)
	if direction == inRequest {
		c.compareLimits(place, before, after)
	} else if before["type"] == "integer" && after["type"] == "number" {
		c.add(place, "may be a fraction")
	}
	if items := object(before, "items"); items != nil && after["items"] != nil {
		c.compareSchemas(place+"[]", direction, items, object(after, "items"))
	}
	if values := object(before, "additionalProperties"); values != nil && object(after, "additionalProperties") != nil {
		c.compareSchemas(place+".*", direction, values, object(after, "additionalProperties"))
	}
	required, _ := before["required"].([]any)
	stillRequired, _ := after["required"].([]any)
	properties := object(after, "properties")
	for name, schema := range object(before, "properties") {
		at := place + "." + name
		if properties[name] == nil {
			if after["properties"] != nil {
				c.add(at, "was removed")
			}
			continue
		}
		if direction == inAnswer && slices.Contains(required, any(name)) && !slices.Contains(stillRequired, any(name)) {
			c.add(at, "may be absent")
		}
		c.compareSchemas(at, direction, schema.(map[string]any), properties[name].(map[string]any))
	}
	for _, name := range stillRequired {
		if direction == inRequest && before["properties"] != nil && !slices.Contains(required, name) {
			c.add(place+"."+text(name), "is required")
		}
	}
}

func (c *comparison) compareEnums(place, direction string, before, after []string, mayGrow bool) {
	if len(after) > 0 && direction == inRequest {
		if len(before) == 0 {
			c.add(place, "accepts certain values only")
		}
		for _, v := range before {
			if !slices.Contains(after, v) && v != "<nil>" {
				c.add(place, "does not accept "+v)
			}
		}
	}
	if len(before) > 0 && direction == inAnswer && !mayGrow {
		if len(after) == 0 {
			c.add(place, "is any value")
		}
		for _, v := range after {
			if !slices.Contains(before, v) {
				c.add(place, "may be "+v)
			}
		}
	}
}

// compareLimits compares the limits of a value in a request.
func (c *comparison) compareLimits(place string, before, after map[string]any) {
	for _, keyword := range []string{"maxLength", "maxItems", "maximum", "maxProperties"} {
		was, hadLimit := before[keyword].(float64)
		if is, ok := after[keyword].(float64); ok && (!hadLimit || is < was) {
			c.add(place, fmt.Sprintf("has %s %v", keyword, is))
		}
	}
	for _, keyword := range []string{"minLength", "minItems", "minimum"} {
		was, hadLimit := before[keyword].(float64)
		if is, ok := after[keyword].(float64); ok && (!hadLimit || is > was) && (is > 0 || keyword == "minimum") {
			c.add(place, fmt.Sprintf("has %s %v", keyword, is))
		}
	}
	if before["type"] == "number" && after["type"] == "integer" {
		c.add(place, "does not accept fractions")
	}
	if after["uniqueItems"] == true && before["uniqueItems"] != true {
		c.add(place, "does not accept equal items")
	}
	if after["additionalProperties"] == false && before["additionalProperties"] != false && before["properties"] != nil {
		c.add(place, "does not accept further members")
	}
	for _, keyword := range []string{"pattern", "format"} {
		if after[keyword] != nil && text(before[keyword]) != text(after[keyword]) {
			c.add(place, fmt.Sprintf("has the %s %v", keyword, after[keyword]))
		}
	}
}

// object returns the object at a path of member names, or nil.
func object(v any, path ...string) map[string]any {
	members, _ := servertest.ValueAt(v, path...).(map[string]any)
	return members
}

// resolve returns the object that a reference names, or the object itself.
func resolve(document, v map[string]any) map[string]any {
	for {
		pointer, ok := v["$ref"].(string)
		if !ok {
			return v
		}
		v = object(document, strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...)
	}
}
