package rest_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// sizedPart is a part of a request that has a size: a text, a list, a number or a nesting. It builds requests of any
// size.
type sizedPart struct {
	row      api.Row
	location string // body, query, path or header
	path     string // path of the field in an error
	unit     string
	limit    int
	// encode returns the value of size n as it is sent: JSON in a body, text elsewhere; "" if there is none.
	encode func(n int) string
	// wrapper is the JSON before and after the value in a body.
	wrapper [2]string
}

// request is a request to send.
type request struct {
	path    string
	body    []byte
	headers []string
}

// request returns the sample request of the row with a value.
func (p sizedPart) request(w *servertest.World, s *servertest.Sample, value string) request {
	r := request{path: w.SamplePath(p.row, s)}
	if servertest.TakesBody(p.row) && p.location != "body" {
		r.body, _ = json.Marshal(w.SampleBody(p.row, s))
	}
	switch p.location {
	case "body":
		r.body = []byte(p.wrapper[0] + value + p.wrapper[1])
	case "path":
		at := slices.IndexFunc(p.row.PathParams(), func(param api.PathParam) bool { return param.Name == p.path })
		r.path = w.SamplePathWith(p.row, s, map[string]string{servertest.Subjects(p.row)[at]: value})
	case "query":
		r.path = servertest.WithQuery(strings.Split(r.path, "?")[0], value)
	case "header":
		r.headers = []string{p.path, value}
	}
	return r
}

// sizedParts returns the sized parts of a row.
func sizedParts(row api.Row) []sizedPart {
	var things []sizedPart
	input := api.NewCompiler().Input(row)
	for _, p := range input.Params {
		things = append(things, sizedParams(row, p)...)
	}
	for _, h := range api.Headers() {
		if h.Name != "Content-Type" && (row.Writes() || !h.Writes) {
			things = append(things, sizedPart{row: row, location: "header", path: h.Name, unit: "bytes", limit: h.Max, encode: letters})
		}
	}
	limits := api.DefaultLimits()
	things = append(things, sizedPart{row: row, location: "query", unit: "keys", limit: limits.QueryKeys, encode: func(n int) string {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("k%d=1", i)
		}
		return strings.Join(keys, "&")
	}})
	if input.Body == nil {
		return things
	}
	things = append(things,
		sizedPart{row: row, location: "body", unit: "levels", limit: limits.Nesting, wrapper: [2]string{`{"x":`, `}`}, encode: func(
			n int,
		) string {
			return strings.Repeat("[", n-1) + strings.Repeat("]", n-1)
		}})
	walkSchema("", input.Body, func(v any) any { return v }, nil, func(path string, s *api.Schema, wrap func(any) any) {
		for _, z := range sizedSchema(s) {
			z.row, z.location, z.path = row, "body", path
			template, err := json.Marshal(wrap(json.RawMessage(`"@@"`)))
			if err != nil {
				panic(err)
			}
			before, after, _ := strings.Cut(string(template), `"@@"`)
			z.wrapper = [2]string{before, after}
			things = append(things, z)
		}
	})
	return things
}

// walkSchema visits every schema of a body. wrap returns an otherwise minimal body with the given value.
func walkSchema(path string, s *api.Schema, wrap func(any) any, within []*api.Schema, visit func(string, *api.Schema, func(any) any)) {
	if slices.Contains(within, s) {
		return
	}
	within = append(within, s)
	visit(path, s, wrap)
	switch s.Kind {
	case api.KindObject:
		for _, f := range s.Fields {
			walkSchema(strings.TrimPrefix(path+"."+f.Name, "."), f.Schema, func(v any) any {
				object, _ := servertest.MinimalValue(s).(map[string]any)
				object[f.Name] = v
				return wrap(object)
			}, within, visit)
		}
	case api.KindArray:
		walkSchema(path+"[0]", s.Items, func(v any) any { return wrap([]any{v}) }, within, visit)
	case api.KindMap:
		walkSchema(path+".key", s.Items, func(v any) any { return wrap(map[string]any{"key": v}) }, within, visit)
	case api.KindString, api.KindInteger, api.KindNumber, api.KindBoolean, api.KindAny:
	}
}

func letters(n int) string { return strings.Repeat("x", n) }

func quotedLetters(n int) string { return `"` + letters(n) + `"` }

// sizedSchema returns the sized parts of a schema without those nested in it. The limit is -1 if there is none.
func sizedSchema(s *api.Schema) []sizedPart {
	limit := -1
	if s.Max != nil {
		limit = *s.Max
	}
	switch s.Kind {
	case api.KindString:
		if s.Enum != nil {
			return []sizedPart{
				{
					unit: "characters", limit: len(slices.MaxFunc(s.Enum, func(a, b string) int { return len(a) - len(b) })),
					encode: quotedLetters,
				},
			}
		}
		return []sizedPart{{unit: "characters", limit: limit, encode: func(n int) string { return `"` + stringOfLength(s, n) + `"` }}}
	case api.KindArray:
		item, _ := json.Marshal(servertest.MinimalValue(s.Items))
		return []sizedPart{{unit: "items", limit: limit, encode: func(n int) string {
			return "[" + strings.TrimSuffix(strings.Repeat(string(item)+",", n), ",") + "]"
		}}}
	case api.KindMap:
		return []sizedPart{sizedEntries(s, limit), sizedKeys(s)}
	case api.KindAny:
		return []sizedPart{{unit: "bytes of JSON", limit: limit, encode: func(n int) string { return quotedLetters(n - 2) }}}
	case api.KindInteger, api.KindNumber:
		if s.Min == nil {
			limit = -1
		}
		return []sizedPart{
			{
				unit: "value", limit: limit, encode: strconv.Itoa,
			}, {unit: "digits", limit: 64, encode: func(n int) string { return "1" + strings.Repeat("0", n-1) }},
		}
	case api.KindObject, api.KindBoolean:
	}
	return nil
}

func sizedEntries(s *api.Schema, limit int) sizedPart {
	item, _ := json.Marshal(servertest.MinimalValue(s.Items))
	return sizedPart{unit: "entries", limit: limit, encode: func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%s,`, i, item)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}}
}

func sizedKeys(s *api.Schema) sizedPart {
	limit := -1
	if s.Keys != nil && s.Keys.Max != nil {
		limit = *s.Keys.Max
	}
	item, _ := json.Marshal(servertest.MinimalValue(s.Items))
	return sizedPart{
		unit: "characters of a key", limit: limit, encode: func(n int) string { return "{" + quotedLetters(n) + ":" + string(item) + "}" },
	}
}

// sizedParams returns the sized parts of a path or query parameter.
func sizedParams(row api.Row, p api.Param) []sizedPart {
	inQuery := func(z sizedPart) sizedPart {
		z.row, z.location, z.path = row, string(p.In), p.Name
		at := z.encode
		if p.In == api.InQuery && z.unit != "items" {
			z.encode = func(n int) string { return p.Name + "=" + url.QueryEscape(strings.Trim(at(n), `"`)) }
		}
		if p.In == api.InPath {
			z.encode = func(n int) string { return url.PathEscape(strings.Trim(at(n), `"`)) }
		}
		return z
	}
	var things []sizedPart
	schema := p.Schema
	if p.List {
		limit := -1
		if schema.Max != nil {
			limit = *schema.Max
		}
		item := fmt.Sprint(servertest.MinimalValue(schema.Items))
		things = append(things, inQuery(sizedPart{unit: "items", limit: limit, encode: func(n int) string {
			return strings.TrimSuffix(strings.Repeat(p.Name+"="+item+"&", n), "&")
		}}))
		schema = schema.Items
	}
	for _, z := range sizedSchema(schema) {
		if z.unit == "characters" { // one byte each
			z.encode = quotedLetters
		}
		things = append(things, inQuery(z))
	}
	return things
}

// TestEveryFieldHasLimit checks that every text, list, map, number and other JSON value of every row has a limit that
// a body can reach.
func TestEveryFieldHasLimit(t *testing.T) {
	t.Parallel()
	for _, row := range api.Rows() {
		input := api.NewCompiler().Input(row)
		for _, z := range sizedParts(row) {
			if z.limit < 0 {
				t.Errorf("%s: %s %s has no limit of its %s", row.Name, z.location, z.path, z.unit)
				continue
			}
			if size := len(z.wrapper[0]) + len(z.encode(z.limit)) + len(z.wrapper[1]); z.location == "body" &&
				int64(size) > input.BodyLimit {
				t.Errorf("%s: %s with %d %s takes %d bytes, and the body has %d", row.Name, z.path, z.limit, z.unit, size, input.BodyLimit)
			}
		}
	}
}
