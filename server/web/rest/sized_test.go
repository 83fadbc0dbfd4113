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

// sizedThing is a thing of a request that has a size: a text, a list, a number, a nesting. Requests of any size are made
// of it.
type sizedThing struct {
	row   api.Row
	place string // body, query, path or header
	path  string // of the field, as a refusal names it
	unit  string
	limit int
	// at is the value of that size as it is sent: JSON in a body, text elsewhere. "" where there is none.
	at func(n int) string
	// body is where the value stands in the JSON of a body.
	body [2]string
}

// request is what is sent.
type request struct {
	path    string
	body    []byte
	headers []string
}

// request puts a value where it belongs in the row's sample request.
func (z sizedThing) request(w *servertest.World, s *servertest.Sample, value string) request {
	r := request{path: w.PathOf(z.row, s)}
	if servertest.TakesBody(z.row) && z.place != "body" {
		r.body, _ = json.Marshal(w.BodyOf(z.row, s))
	}
	switch z.place {
	case "body":
		r.body = []byte(z.body[0] + value + z.body[1])
	case "path":
		at := slices.IndexFunc(z.row.PathParams(), func(p api.PathParam) bool { return p.Name == z.path })
		r.path = w.PathWith(z.row, s, map[string]string{servertest.Subjects(z.row)[at]: value})
	case "query":
		r.path = servertest.WithQuery(strings.Split(r.path, "?")[0], value)
	case "header":
		r.headers = []string{z.path, value}
	}
	return r
}

// sizedThings are all of a row.
func sizedThings(row api.Row) []sizedThing {
	var things []sizedThing
	input := api.NewCompiler().Input(row)
	for _, p := range input.Params {
		things = append(things, sizedParams(row, p)...)
	}
	for _, h := range api.Headers() {
		if h.Name != "Content-Type" && (row.Writes() || !h.Writes) {
			things = append(things, sizedThing{row: row, place: "header", path: h.Name, unit: "bytes", limit: h.Max, at: letters})
		}
	}
	limits := api.DefaultLimits()
	things = append(things, sizedThing{row: row, place: "query", unit: "keys", limit: limits.QueryKeys, at: func(n int) string {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = fmt.Sprintf("k%d=1", i)
		}
		return strings.Join(keys, "&")
	}})
	if input.Body == nil {
		return things
	}
	things = append(things, sizedThing{row: row, place: "body", unit: "levels", limit: limits.Nesting, body: [2]string{`{"x":`, `}`}, at: func(n int) string {
		return strings.Repeat("[", n-1) + strings.Repeat("]", n-1)
	}})
	walkSchema("", input.Body, func(v any) any { return v }, nil, func(path string, s *api.Schema, wrap func(any) any) {
		for _, z := range sizedSchema(s) {
			z.row, z.place, z.path = row, "body", path
			template, err := json.Marshal(wrap(json.RawMessage(`"@@"`)))
			if err != nil {
				panic(err)
			}
			before, after, _ := strings.Cut(string(template), `"@@"`)
			z.body = [2]string{before, after}
			things = append(things, z)
		}
	})
	return things
}

// walkSchema visits every schema of a body; wrap puts a value there into a body that is otherwise minimal.
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
				object, _ := servertest.Minimal(s).(map[string]any)
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

func quoted(n int) string { return `"` + letters(n) + `"` }

// sizedSchema are the things of a schema itself, not of what is in it. One without a limit has the limit -1.
func sizedSchema(s *api.Schema) []sizedThing {
	limit := -1
	if s.Max != nil {
		limit = *s.Max
	}
	switch s.Kind {
	case api.KindString:
		if s.Enum != nil {
			return []sizedThing{{unit: "characters", limit: len(slices.MaxFunc(s.Enum, func(a, b string) int { return len(a) - len(b) })), at: quoted}}
		}
		return []sizedThing{{unit: "characters", limit: limit, at: func(n int) string { return `"` + sized(s, n) + `"` }}}
	case api.KindArray:
		item, _ := json.Marshal(servertest.Minimal(s.Items))
		return []sizedThing{{unit: "items", limit: limit, at: func(n int) string {
			return "[" + strings.TrimSuffix(strings.Repeat(string(item)+",", n), ",") + "]"
		}}}
	case api.KindMap:
		return []sizedThing{sizedEntries(s, limit), sizedKeys(s)}
	case api.KindAny:
		return []sizedThing{{unit: "bytes of JSON", limit: limit, at: func(n int) string { return quoted(n - 2) }}}
	case api.KindInteger, api.KindNumber:
		if s.Min == nil {
			limit = -1
		}
		return []sizedThing{{unit: "value", limit: limit, at: strconv.Itoa}, {unit: "digits", limit: 64, at: func(n int) string { return "1" + strings.Repeat("0", n-1) }}}
	case api.KindObject, api.KindBoolean:
	}
	return nil
}

func sizedEntries(s *api.Schema, limit int) sizedThing {
	item, _ := json.Marshal(servertest.Minimal(s.Items))
	return sizedThing{unit: "entries", limit: limit, at: func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"k%d":%s,`, i, item)
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}}
}

func sizedKeys(s *api.Schema) sizedThing {
	limit := -1
	if s.Keys != nil && s.Keys.Max != nil {
		limit = *s.Keys.Max
	}
	item, _ := json.Marshal(servertest.Minimal(s.Items))
	return sizedThing{unit: "characters of a key", limit: limit, at: func(n int) string { return "{" + quoted(n) + ":" + string(item) + "}" }}
}

// sizedParams are the things of a parameter of path or query.
func sizedParams(row api.Row, p api.Param) []sizedThing {
	inQuery := func(z sizedThing) sizedThing {
		z.row, z.place, z.path = row, string(p.In), p.Name
		at := z.at
		if p.In == api.InQuery && z.unit != "items" {
			z.at = func(n int) string { return p.Name + "=" + url.QueryEscape(strings.Trim(at(n), `"`)) }
		}
		if p.In == api.InPath {
			z.at = func(n int) string { return url.PathEscape(strings.Trim(at(n), `"`)) }
		}
		return z
	}
	var things []sizedThing
	schema := p.Schema
	if p.List {
		limit := -1
		if schema.Max != nil {
			limit = *schema.Max
		}
		item := fmt.Sprint(servertest.Minimal(schema.Items))
		things = append(things, inQuery(sizedThing{unit: "items", limit: limit, at: func(n int) string {
			return strings.TrimSuffix(strings.Repeat(p.Name+"="+item+"&", n), "&")
		}}))
		schema = schema.Items
	}
	for _, z := range sizedSchema(schema) {
		if z.unit == "characters" { // one byte each
			z.at = quoted
		}
		things = append(things, inQuery(z))
	}
	return things
}

// Every text, list, map, number and any other JSON of every row has a limit, and every limit is one that a body can
// reach.
func TestEverythingHasALimit(t *testing.T) {
	t.Parallel()
	for _, row := range api.Rows() {
		input := api.NewCompiler().Input(row)
		for _, z := range sizedThings(row) {
			if z.limit < 0 {
				t.Errorf("%s: %s %s has no limit of its %s", row.Name, z.place, z.path, z.unit)
				continue
			}
			if size := len(z.body[0]) + len(z.at(z.limit)) + len(z.body[1]); z.place == "body" && int64(size) > input.BodyLimit {
				t.Errorf("%s: %s with %d %s takes %d bytes, and the body has %d", row.Name, z.path, z.limit, z.unit, size, input.BodyLimit)
			}
		}
	}
}
