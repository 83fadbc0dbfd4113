package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// schemaOf is the compiled body of a row, nil without one.
func schemaOf(row api.Row) *api.Schema { return api.NewCompiler().Input(row).Body }

func takesBody(row api.Row) bool { return schemaOf(row) != nil }

// Whatever is no JSON value of its own is refused as malformed, on every row that takes a body.
func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	before := w.dump()
	malformed := map[string]string{
		"null":                "null",
		"not JSON":            "title=A",
		"half an object":      `{"title":`,
		"trailing data":       `{} {}`,
		"trailing text":       `{}x`,
		"not UTF-8":           "{\"title\":\"\xff\"}",
		"half a surrogate":    `{"title":"\ud800"}`,
		"the wrong half":      `{"title":"\udc00\ud800"}`,
		"a duplicate key":     `{"title":"A","title":"B"}`,
		"an escaped twin":     `{"title":"A","\u0074itle":"B"}`,
		"a nested duplicate":  `{"body":{"markdown":"A","markdown":"B"}}`,
		"a byte order mark":   "\ufeff{}",
		"too deep":            strings.Repeat(`{"a":`, 120) + "1" + strings.Repeat("}", 120),
		"very deep":           strings.Repeat("[", 100_000),
		"a single quote":      `{'title':'A'}`,
		"a comment":           `{} // nothing`,
		"only white space":    "  \n",
		"a control character": "{\"title\":\"a\nb\"}",
	}
	eachRow(t, takesBody, func(t *testing.T, row api.Row) {
		for name, body := range malformed {
			a := w.raw("admin", row.Method, w.pathOf(row, s), []byte(body))
			if a.Status != http.StatusBadRequest || a.Error().Reason != api.ReasonMalformed {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
		}
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", "json", "text/json; ;"} {
			a := w.raw("admin", row.Method, w.pathOf(row, s), []byte("{}"), "Content-Type", kind)
			if a.Status != http.StatusUnsupportedMediaType || a.Error().Reason != api.ReasonMediaType {
				t.Errorf("as %q: %d %s", kind, a.Status, a.Body)
			}
		}
		if !row.OptionalBody {
			w.call("admin", row.Method, w.pathOf(row, s), nil, http.StatusBadRequest)
		}
		large := append([]byte(`{}`), bytes.Repeat([]byte(" "), int(row.BodyLimit)-1)...)
		a := w.raw("admin", row.Method, w.pathOf(row, s), large)
		if a.Status != http.StatusRequestEntityTooLarge || !strings.Contains(a.Error().Message, fmt.Sprint(row.BodyLimit)) {
			t.Errorf("too large: %d %s", a.Status, a.Body)
		}
	})
	w.unchanged(before, "after malformed bodies")
}

// A body at exactly the limit of its size is read, and JSON may be called JSON in any way that means it.
func TestWellFormedBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	path := "/v1/orgs/" + w.org + "/spaces"
	full := append([]byte(`{"title":"A"}`), bytes.Repeat([]byte(" "), api.DefaultBodyLimit-len(`{"title":"A"}`))...)
	w.call("admin", http.MethodPost, path, full, http.StatusCreated)
	for _, kind := range []string{"application/json; charset=utf-8", "Application/JSON", "application/json;x=y"} {
		w.call("admin", http.MethodPost, path, []byte(" \n{\"title\":\"\\ud83d\\udcd8\"}\n"), http.StatusCreated, "Content-Type", kind)
	}
	w.call("admin", http.MethodPost, path, nil, http.StatusCreated)
	w.call("admin", http.MethodPost, path, []byte("{}"), http.StatusCreated)
}

// A body where none is taken is refused: it was meant for something else.
func TestBodyWhereNoneIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	before := w.dump()
	eachRow(t, func(r api.Row) bool { return !takesBody(r) }, func(t *testing.T, row api.Row) {
		for _, body := range []string{`{}`, `null`, `x`, ` `} {
			a := w.raw("admin", row.Method, w.pathOf(row, s), []byte(body))
			if a.Status != http.StatusBadRequest || a.Error().Reason != api.ReasonMalformed {
				t.Errorf("with the body %q: %d %s", body, a.Status, a.Body)
			}
		}
	})
	w.unchanged(before, "after bodies where none is taken")
}

// mutant is a value that a schema forbids, or that it just allows, with the path at which it is so.
type mutant struct {
	path  string
	value any
	why   string
}

// minimal is a value with nothing but what a schema demands.
func minimal(s *api.Schema) any {
	switch s.Kind {
	case api.KindString:
		return minimalString(s)
	case api.KindInteger, api.KindNumber:
		if s.Min != nil {
			return *s.Min
		}
		return 0
	case api.KindBoolean:
		return true
	case api.KindArray:
		list := []any{}
		for s.Min != nil && len(list) < *s.Min {
			list = append(list, minimal(s.Items))
		}
		return list
	case api.KindObject:
		object := map[string]any{}
		for _, f := range s.Fields {
			if f.Required {
				object[f.Name] = minimal(f.Schema)
			}
		}
		return object
	}
	return map[string]any{}
}

func minimalString(s *api.Schema) string {
	switch {
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Format == "uri":
		return "https://a.example"
	case s.Format == "date-time":
		return "2030-01-31T12:00:00.000Z"
	case s.Format == "base64":
		return "AAAA"
	case s.Min != nil:
		return strings.Repeat("x", *s.Min)
	}
	return "x"
}

// sized is a string of n characters that satisfies everything else that a schema says.
func sized(s *api.Schema, n int) string {
	switch {
	case s.Format == "uri":
		return "https://a.example/" + strings.Repeat("x", max(0, n-len("https://a.example/")))
	case s.Pattern == "":
		return strings.Repeat("é", n)
	}
	return strings.Repeat("x", n)
}

// forbidden lists values that a schema forbids.
func forbidden(path string, s *api.Schema) []mutant {
	var list []mutant
	add := func(value any, why string) { list = append(list, mutant{path, value, why}) }
	if !s.Nullable && s.Kind != api.KindAny {
		add(nil, "null")
	}
	for _, wrong := range []any{"x", 1.5, true, []any{}, map[string]any{}} {
		if !hasKind(wrong, s.Kind) {
			add(wrong, fmt.Sprintf("of type %T", wrong))
		}
	}
	switch s.Kind {
	case api.KindString:
		forbiddenStrings(s, add)
	case api.KindInteger, api.KindNumber:
		if s.Min != nil {
			add(*s.Min-1, "too small")
		}
		if s.Max != nil {
			add(*s.Max+1, "too large")
		}
		add(json.RawMessage("1e999"), "beyond numbers")
	case api.KindArray:
		if s.Min != nil && *s.Min > 0 {
			add([]any{}, "too few")
		}
		if s.Max != nil {
			add(slices.Repeat([]any{minimal(s.Items)}, *s.Max+1), "too many")
		}
		for _, m := range forbidden(path+"[0]", s.Items) {
			list = append(list, mutant{m.path, []any{m.value}, m.why})
		}
	case api.KindObject:
		list = append(list, forbiddenObjects(path, s)...)
	}
	return list
}

func hasKind(v any, kind api.Kind) bool {
	switch v.(type) {
	case string:
		return kind == api.KindString
	case float64:
		return kind == api.KindNumber
	case bool:
		return kind == api.KindBoolean
	case []any:
		return kind == api.KindArray
	}
	return kind == api.KindObject || kind == api.KindMap || kind == api.KindAny
}

func forbiddenStrings(s *api.Schema, add func(any, string)) {
	if s.Enum != nil {
		add("no such value", "not in the enumeration")
		add(strings.ToUpper(s.Enum[0]), "in capitals")
		return
	}
	if s.Max != nil {
		add(sized(s, *s.Max+1), "too long")
	}
	if s.Min != nil && *s.Min > 0 {
		add(strings.Repeat("x", *s.Min-1), "too short")
	}
	switch s.Pattern {
	case "id":
		for _, text := range []string{"a b", "a/b", "{x}", "ä", "a\n", "../x", "a:b", ""} {
			add(text, "not an id")
		}
	case "slug":
		for _, text := range []string{"a b", "a/b", "a?b", "a#b", `a\b`} {
			add(text, "not a slug")
		}
	}
	switch s.Format {
	case "uri":
		for _, text := range []string{"no URL", "/relative", "https://", "//host/x", "https://a.example/\n"} {
			add(text, "not a URL")
		}
	case "date-time":
		for _, text := range []string{"tomorrow", "2030-01-31", "2030-13-01T00:00:00Z", ""} {
			add(text, "not a time")
		}
	case "base64":
		add("not base64!", "not base64")
	case "":
		add("a\u0000b", "with a control character")
		add("a\nb", "with a line break")
	}
}

func forbiddenObjects(path string, s *api.Schema) []mutant {
	var list []mutant
	with := func(name string, v any) map[string]any {
		object, _ := minimal(s).(map[string]any)
		object[name] = v
		return object
	}
	inner := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	list = append(list, mutant{inner("surprise"), with("surprise", 1), "unknown"})
	for _, f := range s.Fields {
		if f.Required {
			object, _ := minimal(s).(map[string]any)
			delete(object, f.Name)
			list = append(list, mutant{inner(f.Name), object, "missing"})
		}
		capital := strings.ToUpper(f.Name[:1]) + f.Name[1:]
		list = append(list, mutant{inner(capital), with(capital, minimal(f.Schema)), "in another case"})
		for _, m := range forbidden(inner(f.Name), f.Schema) {
			list = append(list, mutant{m.path, with(f.Name, m.value), m.why})
		}
	}
	return list
}

// What the schema of a body forbids is refused with the path of the field, and changes nothing.
func TestForbiddenBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	before := w.dump()
	tried := 0
	eachRow(t, takesBody, func(t *testing.T, row api.Row) {
		path := w.pathOf(row, s)
		for _, m := range forbidden("", schemaOf(row)) {
			if m.value == nil {
				continue // malformed: see TestMalformedBodies
			}
			if m.path == "" {
				m.path = "body"
			}
			tried++
			a := w.raw("admin", row.Method, path, m.value)
			if a.Status != http.StatusUnprocessableEntity || a.Error().Reason != api.ReasonInvalid {
				t.Errorf("%s %s: %d %s", m.path, m.why, a.Status, a.Body)
				continue
			}
			if !slices.ContainsFunc(a.Error().Fields, func(f api.FieldError) bool { return f.Path == m.path && f.Message != "" }) {
				t.Errorf("%s %s: the answer does not name it: %s", m.path, m.why, a.Body)
			}
		}
	})
	t.Logf("%d bodies", tried)
	w.unchanged(before, "after forbidden bodies")
}

// allowed lists values at exactly the limits of a schema.
func allowed(path string, s *api.Schema) []mutant {
	var list []mutant
	add := func(value any, why string) { list = append(list, mutant{path, value, why}) }
	if s.Nullable {
		add(nil, "null")
	}
	switch s.Kind {
	case api.KindString:
		for _, value := range s.Enum {
			add(value, "of the enumeration")
		}
		if s.Max != nil && s.Enum == nil {
			add(sized(s, *s.Max), "as long as may be")
		}
		if s.Min != nil && s.Enum == nil && s.Pattern == "" && s.Format == "" {
			add(strings.Repeat("é", *s.Min), "as short as may be")
		}
	case api.KindInteger, api.KindNumber:
		if s.Min != nil {
			add(*s.Min, "as small as may be")
		}
		if s.Max != nil {
			add(*s.Max, "as large as may be")
		}
	case api.KindArray:
		if s.Max != nil {
			add(slices.Repeat([]any{minimal(s.Items)}, *s.Max), "as many as may be")
		}
		for _, m := range allowed(path+"[0]", s.Items) {
			list = append(list, mutant{m.path, []any{m.value}, m.why})
		}
	case api.KindObject:
		for _, f := range s.Fields {
			for _, m := range allowed(strings.TrimPrefix(path+"."+f.Name, "."), f.Schema) {
				object, _ := minimal(s).(map[string]any)
				object[f.Name] = m.value
				list = append(list, mutant{m.path, object, m.why})
			}
		}
	}
	return list
}

// What is exactly at a limit is not refused for it. It may be refused for what it says.
func TestAllowedBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	before := w.dump()
	eachRow(t, takesBody, func(t *testing.T, row api.Row) {
		path := withQuery(w.pathOf(row, s), "dryRun=true")
		for _, m := range allowed("", schemaOf(row)) {
			a := w.raw("admin", row.Method, path, m.value)
			if a.Status == http.StatusBadRequest {
				t.Errorf("%s %s: %d %s", m.path, m.why, a.Status, a.Body)
			}
			for _, f := range a.Error().Fields {
				if f.Path == m.path && (strings.HasPrefix(f.Message, "must have") || strings.HasPrefix(f.Message, "must be one of") || strings.HasPrefix(f.Message, "must not be null")) {
					t.Errorf("%s %s: %s", m.path, m.why, f.Message)
				}
			}
		}
	})
	w.unchanged(before, "after dry runs")
}

// All violations are told at once.
func TestEveryViolationIsListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	a := w.call("admin", http.MethodPatch, "/v1/spaces/"+s.Handbook, map[string]any{
		"title": strings.Repeat("x", 51), "emoji": 5, "editMode": "open", "defaultLevel": "owner", "colour": "red",
	}, http.StatusUnprocessableEntity)
	var paths []string
	for _, f := range a.Error().Fields {
		paths = append(paths, f.Path)
	}
	slices.Sort(paths)
	if want := []string{"colour", "defaultLevel", "editMode", "emoji", "title"}; !slices.Equal(paths, want) {
		t.Errorf("violations at %v, want %v", paths, want)
	}
	a = w.call("admin", http.MethodGet, "/v1/orgs/"+w.org+"/collections?limit=x&nested=y&z=1", nil, http.StatusBadRequest)
	if len(a.Error().Fields) != 3 {
		t.Errorf("violations %s", a.Body)
	}
}

// Queries are held against the contract as bodies are, with 400.
func TestForbiddenQueries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	before := w.dump()
	eachRow(t, func(api.Row) bool { return true }, func(t *testing.T, row api.Row) {
		queries := []string{"surprise=1", "Limit=1", "=", "body=x", "limit[]=1"}
		for _, p := range api.NewCompiler().Input(row).Params {
			if p.Place == api.InQuery {
				queries = append(queries, forbiddenTexts(p)...)
			}
		}
		for _, query := range queries {
			a := w.raw("admin", row.Method, withQuery(w.pathOf(row, s), query), w.bodyOf(row, s))
			if a.Status != http.StatusBadRequest || len(a.Error().Fields) == 0 && a.Error().Reason != api.ReasonInvalidCursor {
				t.Errorf("%s: %d %s", query, a.Status, a.Body)
			}
		}
	})
	w.unchanged(before, "after forbidden queries")
}

func forbiddenTexts(p api.Param) []string {
	var list []string
	add := func(texts ...string) {
		for _, text := range texts {
			list = append(list, p.Name+"="+text)
		}
	}
	if !p.List {
		list = append(list, fmt.Sprintf("%[1]s=%[2]v&%[1]s=%[2]v", p.Name, minimal(p.Schema)))
	}
	switch schema := p.Schema; {
	case p.Name == "page":
		add("x", "eyJhIjoiYiJ9", "%00", strings.Repeat("A", 5000), "-")
	case schema.Kind == api.KindInteger:
		add("abc", "1.5", "", "1e1", "+1", "0x1", "99999999999999999999", fmt.Sprint(*schema.Min-1), fmt.Sprint(*schema.Max+1))
	case schema.Kind == api.KindBoolean:
		add("yes", "1", "", "TRUE", "%22true%22")
	case schema.Enum != nil:
		add("nothing", strings.ToUpper(schema.Enum[0]), "%00")
	case schema.Pattern == "id":
		add("a%20b", "a/b", "%7Bx%7D", "")
	}
	return list
}

// A path parameter that is no id cannot name anything.
func TestForbiddenPathParameters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	before := w.dump()
	for _, row := range api.Rows() {
		for _, name := range api.PathParams(row.Path) {
			if name == "pagePath" {
				continue
			}
			for _, id := range []string{"a%20b", "%7Bx%7D", "a%2Fb", "%00", "a:b", "%F0%9F%93%98", "%FF", "..%2Fx", "*"} {
				path := w.pathWith(row, s, map[string]string{name: id})
				if a := w.raw("admin", row.Method, path, w.bodyOf(row, s)); a.Status != http.StatusBadRequest || a.Error().Reason != api.ReasonInvalidParam {
					t.Errorf("%s %s: %d %s", row.Name, path, a.Status, a.Body)
				}
			}
		}
	}
	w.unchanged(before, "after paths without ids")
}

// A page path may hold anything: what is not there is not found.
func TestPagePaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	base := "/v1/spaces/" + s.Handbook + "/content/path/"
	for path, status := range map[string]int{
		"start": 200, "start/": 200, "start/install/linux": 200, "%73tart/install": 200,
		"": 404, "nothing": 404, "start/nothing": 404, "linux": 404, "start//install": 404, "..": 404, "start/../usage": 404,
		"%00": 400, "%FF": 404, "a%2Fb": 404, "START": 404,
	} {
		w.call("reader", http.MethodGet, base+path, nil, status)
	}
}

// The text null in a query counts as absent, for the sake of the public client.
func TestNullInQueryIsAbsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	plain := w.call("admin", http.MethodGet, "/v1/orgs/"+w.org+"/collections", nil, http.StatusOK)
	null := w.call("admin", http.MethodGet, "/v1/orgs/"+w.org+"/collections?limit=null&page=null&nested=null", nil, http.StatusOK)
	if string(plain.Body) != string(null.Body) {
		t.Errorf("%s, want %s", null.Body, plain.Body)
	}
}

// limit=0 asks for the count alone.
func TestLimitZero(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	s := w.populate()
	eachRow(t, api.Row.IsList, func(t *testing.T, row api.Row) {
		var all, none struct {
			Count int
			Items []any
			Next  any
		}
		w.decode(w.call("admin", row.Method, w.pathOf(row, s), nil, http.StatusOK), &all)
		w.decode(w.call("admin", row.Method, withQuery(w.pathOf(row, s), "limit=0"), nil, http.StatusOK), &none)
		if len(none.Items) != 0 || none.Next != nil || none.Count != all.Count || all.Count != len(all.Items) {
			t.Errorf("with limit=0 %+v, without %+v", none, all)
		}
		w.call("admin", row.Method, withQuery(w.pathOf(row, s), "limit=1000"), nil, http.StatusOK)
	})
}

func (w *world) decode(a answer, v any) {
	w.t.Helper()
	if err := json.Unmarshal(a.Body, v); err != nil {
		w.t.Errorf("%v: %s", err, a.Body)
	}
}
