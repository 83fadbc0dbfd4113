package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// readPairs reads testdata/fields.txt.
func readPairs(t *testing.T, names map[string]string) map[string]pair {
	t.Helper()
	data, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`[$]([A-Za-z]+)`).ReplaceAllStringFunc(string(data), func(name string) string {
		id, ok := names[name[1:]]
		if !ok {
			t.Fatalf("there is nothing called %s", name)
		}
		return id
	})
	pairs := map[string]pair{}
	var fields []string
	var p pair
	n := 0
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			fields, p = readFields(line)
			n = 0
		default:
			n++
			in := readInput(p.with.Params, strings.TrimSpace(line))
			if n == 1 {
				p.with = in
				continue
			}
			p.without = in
			for _, field := range fields {
				pairs[field] = p
			}
		}
	}
	return pairs
}

// readFields parses the first line of a pair.
func readFields(line string) (fields []string, p pair) {
	head, list, _ := strings.Cut(line, ": ")
	words := strings.Fields(head)
	for i, word := range words[1:] {
		switch name, value, isParam := strings.Cut(word, "="); {
		case isParam && p.with.Params == nil:
			p.with.Params = map[string]string{name: value}
		case isParam:
			p.with.Params[name] = value
		case word == "as":
			p.as = words[i+2]
		}
	}
	for field := range strings.SplitSeq(list, ", ") {
		fields = append(fields, words[0]+" "+field)
	}
	return fields, p
}

func readInput(params map[string]string, text string) servertest.Input {
	if query, body, both := strings.Cut(text, " "); both && strings.HasPrefix(text, "?") {
		return servertest.Input{Params: params, Query: query, Body: json.RawMessage(body)}
	}
	if strings.HasPrefix(text, "?") {
		return servertest.Input{Params: params, Query: strings.TrimSuffix(text, "?")}
	}
	return servertest.Input{Params: params, Body: json.RawMessage(text)}
}

// generatedPair returns the sample request of a row with and without a value for a field, or with another value if
// the field is required.
func generatedPair(w *servertest.World, s *servertest.Sample, row api.Row, name string) pair {
	in := w.SampleInput(row, s)
	compiled := api.NewCompiler().Input(row)
	if query, ok := strings.CutPrefix(name, "?"); ok {
		i := slices.IndexFunc(compiled.Params, func(p api.Param) bool { return p.In == api.InQuery && p.Name == query })
		with := in
		with.Query = servertest.WithQuery(in.Query, query+"="+fmt.Sprint(exampleValue(compiled.Params[i].Schema)))
		return pair{with: with, without: in}
	}
	var object map[string]any
	_ = json.Unmarshal([]byte(toJSON(in.Body)), &object)
	if object == nil {
		object = map[string]any{}
	}
	with, without := clone(object), clone(object)
	setMember(with, compiled.Body, strings.Split(name, "."), true)
	setMember(without, compiled.Body, strings.Split(name, "."), false)
	return pair{with: servertest.Input{Body: with}, without: servertest.Input{Body: without}}
}

// setMember sets the field at a path to a value, or removes it.
func setMember(object map[string]any, s *api.Schema, path []string, set bool) {
	name, list := strings.CutSuffix(path[0], "[]")
	f, _ := s.Field(name)
	if len(path) > 1 {
		schema := f.Schema
		if list {
			items, _ := object[name].([]any)
			if len(items) == 0 {
				items = []any{servertest.MinimalValue(schema.Items)}
				object[name] = items
			}
			inner, _ := items[0].(map[string]any)
			setMember(inner, schema.Items, path[1:], set)
			return
		}
		inner, ok := object[name].(map[string]any)
		if !ok {
			inner, _ = servertest.MinimalValue(schema).(map[string]any)
			object[name] = inner
		}
		setMember(inner, schema, path[1:], set)
		return
	}
	old, had := object[name]
	switch {
	case set && !had:
		object[name] = exampleValue(f.Schema)
	case !set && f.Required:
		object[name] = otherValue(f.Schema, old)
	case !set:
		delete(object, name)
	}
}

// exampleValue returns a value that the schema accepts, other than the default where possible.
func exampleValue(s *api.Schema) any {
	switch s.Kind {
	case api.KindString:
		if len(s.Enum) > 0 {
			for _, v := range s.Enum {
				if v != s.Default {
					return v
				}
			}
		}
		if s.Format == "" && s.Pattern == "" && len(s.Enum) == 0 {
			return "something"
		}
	case api.KindInteger, api.KindNumber:
		if s.Max != nil {
			return *s.Max
		}
	case api.KindArray:
		return []any{exampleValue(s.Items)}
	case api.KindBoolean:
		return s.Default != "true"
	case api.KindObject, api.KindMap, api.KindAny:
	}
	return servertest.MinimalValue(s)
}

// otherValue returns a value other than old.
func otherValue(s *api.Schema, old any) any {
	for _, v := range s.Enum {
		if v != old {
			return v
		}
	}
	switch old := old.(type) {
	case string:
		return old + "x"
	case bool:
		return !old
	}
	return exampleValue(s)
}
