package rest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// bodySchema returns the compiled body of a row, or nil.
func bodySchema(row api.Row) *api.Schema { return api.NewCompiler().Input(row).Body }

// TestMalformedBodyIsRejected checks on every row with a body that anything but a single JSON value is malformed.
//
//wsd:serial
func TestMalformedBodyIsRejected(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	before := w.Dump()
	malformed := map[string]string{
		"null":                          "null",
		"not JSON":                      "title=A",
		"half an object":                `{"title":`,
		"trailing data":                 `{} {}`,
		"trailing text":                 `{}x`,
		"not UTF-8":                     "{\"title\":\"\xff\"}",
		"half a surrogate":              `{"title":"\ud800"}`,
		"surrogates in the wrong order": `{"title":"\udc00\ud800"}`,
		"a duplicate key":               `{"title":"A","title":"B"}`,
		"an escaped duplicate key":      `{"title":"A","\u0074itle":"B"}`,
		"a nested duplicate key":        `{"body":{"markdown":"A","markdown":"B"}}`,
		"a byte order mark":             "\ufeff{}",
		"too deep":                      strings.Repeat(`{"a":`, 120) + "1" + strings.Repeat("}", 120),
		"very deep":                     strings.Repeat("[", 10_000),
		"a single quote":                `{'title':'A'}`,
		"a comment":                     `{} // nothing`,
		"only white space":              "  \n",
		"a control character":           "{\"title\":\"a\nb\"}",
	}
	servertest.EachRow(t, servertest.TakesBody, func(t *testing.T, row api.Row) {
		for name, body := range malformed {
			a := w.Send("admin", row.Method, w.SamplePath(row, s), []byte(body))
			if a.Status != http.StatusBadRequest || a.Error().Reason != api.ReasonMalformed {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
		}
		for _, kind := range []string{
			"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx", "json",
			"text/json; ;",
		} {
			a := w.Send("admin", row.Method, w.SamplePath(row, s), []byte("{}"), "Content-Type", kind)
			if a.Status != http.StatusUnsupportedMediaType || a.Error().Reason != api.ReasonMediaType {
				t.Errorf("as %q: %d %s", kind, a.Status, a.Body)
			}
		}
		if !row.OptionalBody {
			w.Call("admin", row.Method, w.SamplePath(row, s), nil, http.StatusBadRequest)
		}
		limit := api.NewCompiler().Input(row).BodyLimit
		large := append([]byte(`{}`), bytes.Repeat([]byte(" "), int(limit)-1)...)
		a := w.Send("admin", row.Method, w.SamplePath(row, s), large)
		if a.Status != http.StatusRequestEntityTooLarge || !strings.Contains(a.Error().Message, fmt.Sprint(limit)) {
			t.Errorf("too large: %d %s", a.Status, a.Body)
		}
	})
	servertest.WantUnchanged(w, before, "after malformed bodies")
}

// TestWellFormedBodyIsAccepted checks that bodies exactly at the size limit and all spellings of the JSON media type are
// accepted.
func TestWellFormedBodyIsAccepted(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	path := "/v1/orgs/" + w.Org + "/spaces"
	full := append([]byte(`{"title":"A"}`),
		bytes.Repeat([]byte(" "), int(api.NewCompiler().Input(api.CreateSpace.Row).BodyLimit)-len(`{"title":"A"}`))...)
	w.Call("admin", http.MethodPost, path, full, http.StatusCreated)
	for _, kind := range []string{"application/json; charset=utf-8", "Application/JSON", "application/json;x=y"} {
		w.Call("admin", http.MethodPost, path, []byte(" \n{\"title\":\"\\ud83d\\udcd8\"}\n"), http.StatusCreated, "Content-Type", kind)
	}
	w.Call("admin", http.MethodPost, path, nil, http.StatusCreated)
	w.Call("admin", http.MethodPost, path, []byte("{}"), http.StatusCreated)
}

// TestUnexpectedBodyIsRejected checks that operations without a body refuse one: it was meant for another operation.
//
//wsd:serial
func TestUnexpectedBodyIsRejected(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	before := w.Dump()
	servertest.EachRow(t, func(r api.Row) bool { return !servertest.TakesBody(r) }, func(t *testing.T, row api.Row) {
		for _, body := range []string{`{}`, `null`, `x`, ` `} {
			a := w.Send("admin", row.Method, w.SamplePath(row, s), []byte(body))
			if a.Status != http.StatusBadRequest || a.Error().Reason != api.ReasonMalformed {
				t.Errorf("with the body %q: %d %s", body, a.Status, a.Body)
			}
		}
	})
	servertest.WantUnchanged(w, before, "after bodies where none is taken")
}

// TestInvalidBodyIsRejected checks that values that the schema forbids are refused with the path of the field and
// change nothing.
//
//wsd:serial
func TestInvalidBodyIsRejected(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	before := w.Dump()
	tried := 0
	servertest.EachRow(t, servertest.TakesBody, func(t *testing.T, row api.Row) {
		path := w.SamplePath(row, s)
		for _, m := range forbiddenValues("", bodySchema(row)) {
			if m.value == nil {
				continue // malformed: see TestMalformedBodyIsRejected
			}
			if m.path == "" {
				m.path = "body"
			}
			tried++
			a := w.Send("admin", row.Method, path, m.value)
			if a.Status != http.StatusUnprocessableEntity || a.Error().Reason != api.ReasonInvalid {
				t.Errorf("%s %s: %d %s", m.path, m.reason, a.Status, a.Body)
				continue
			}
			if !slices.ContainsFunc(a.Error().Fields, func(f api.FieldError) bool { return f.Path == m.path && f.Message != "" }) {
				t.Errorf("%s %s: the answer does not name it: %s", m.path, m.reason, a.Body)
			}
		}
	})
	t.Logf("%d bodies", tried)
	servertest.WantUnchanged(w, before, "after forbidden bodies")
}

// TestValuesAtLimitAreAccepted checks that values exactly at a limit pass the schema, although they may fail other
// checks.
//
//wsd:serial
func TestValuesAtLimitAreAccepted(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	w.UpdateIndex() // so that no search writes it
	before := w.Dump()
	servertest.EachRow(t, servertest.TakesBody, func(t *testing.T, row api.Row) {
		path := w.SamplePath(row, s)
		if row.Writes() {
			path = servertest.WithQuery(path, "dryRun=true")
		}
		for _, m := range allowedValues("", bodySchema(row)) {
			a := w.Send("admin", row.Method, path, m.value)
			if a.Status == http.StatusBadRequest {
				t.Errorf("%s %s: %d %s", m.path, m.reason, a.Status, a.Body)
			}
			for _, f := range a.Error().Fields {
				if f.Path == m.path && (strings.HasPrefix(f.Message, "must have") || strings.HasPrefix(f.Message, "must be one of") ||
					strings.HasPrefix(f.Message, "must not be null")) {
					t.Errorf("%s %s: %s", m.path, m.reason, f.Message)
				}
			}
		}
	})
	servertest.WantUnchanged(w, before, "after dry runs")
}

// TestAllViolationsAreReported checks that all violations of a body are in one error.
func TestAllViolationsAreReported(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	a := w.Call("admin", http.MethodPatch, "/v1/spaces/"+s.Handbook, map[string]any{
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
	a = w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/collections?limit=x&nested=y&z=1", nil, http.StatusBadRequest)
	if len(a.Error().Fields) != 3 {
		t.Errorf("violations %s", a.Body)
	}
}

// TestInvalidQueryIsRejected checks that queries are validated like bodies, with 400.
func TestInvalidQueryIsRejected(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	w.UpdateIndex()
	before := w.Dump()
	servertest.EachRow(t, func(api.Row) bool { return true }, func(t *testing.T, row api.Row) {
		queries := []string{"surprise=1", "Limit=1", "=", "body=x", "limit[]=1"}
		for _, p := range api.NewCompiler().Input(row).Params {
			if p.In == api.InQuery {
				queries = append(queries, forbiddenTexts(p)...)
			}
		}
		for _, query := range queries {
			a := w.Send("admin", row.Method, servertest.WithQuery(w.SamplePath(row, s), query), w.SampleBody(row, s))
			if a.Status != http.StatusBadRequest || len(a.Error().Fields) == 0 && a.Error().Reason != api.ReasonInvalidCursor {
				t.Errorf("%s: %d %s", query, a.Status, a.Body)
			}
		}
	})
	servertest.WantUnchanged(w, before, "after forbidden queries")
}

func forbiddenTexts(p api.Param) []string {
	var list []string
	add := func(texts ...string) {
		for _, text := range texts {
			list = append(list, p.Name+"="+text)
		}
	}
	if !p.List {
		list = append(list, fmt.Sprintf("%[1]s=%[2]v&%[1]s=%[2]v", p.Name, servertest.MinimalValue(p.Schema)))
	}
	switch schema := p.Schema; {
	case p.Name == "page" && p.Schema.Pattern == "": // a cursor
		add("x", "eyJhIjoiYiJ9", "%00", strings.Repeat("A", 5000), "-")
	case schema.Kind == api.KindInteger:
		add("abc", "1.5", "", "1e-1", "1e99", "+1", "0x1", "99999999999999999999", fmt.Sprint(*schema.Min-1), fmt.Sprint(*schema.Max+1))
	case schema.Kind == api.KindBoolean:
		add("yes", "1", "", "TRUE", "%22true%22")
	case schema.Enum != nil:
		add("nothing", strings.ToUpper(schema.Enum[0]), "%00")
	case schema.Pattern == "id":
		add("a%20b", "a/b", "%7Bx%7D", "")
	}
	return list
}

// TestInvalidPathParameterIsNotFound checks that a path parameter that is not an id gives a 404.
//
//wsd:serial
func TestInvalidPathParameterIsNotFound(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	before := w.Dump()
	for _, row := range api.Rows() {
		for _, name := range servertest.Subjects(row) {
			if name == "pagePath" {
				continue
			}
			for _, id := range []string{"a%20b", "%7Bx%7D", "a%2Fb", "%00", "a:b", "%F0%9F%93%98", "%FF", "..%2Fx", "*"} {
				path := w.SamplePathWith(row, s, map[string]string{name: id})
				if a := w.Send("admin", row.Method, path, w.SampleBody(row, s)); a.Status != http.StatusBadRequest ||
					a.Error().Reason != api.ReasonInvalidParam {
					t.Errorf("%s %s: %d %s", row.Name, path, a.Status, a.Body)
				}
			}
		}
	}
	servertest.WantUnchanged(w, before, "after paths without ids")
}

// TestAbsentPagePathIsNotFound checks that any text is accepted as a page path.
func TestAbsentPagePathIsNotFound(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	base := "/v1/spaces/" + s.Handbook + "/content/path/"
	for path, status := range map[string]int{
		"start": 200, "start/": 200, "start/install/linux": 200, "%73tart/install": 200,
		"": 404, "nothing": 404, "start/nothing": 404, "linux": 404, "start//install": 404, "..": 404, "start/../usage": 404,
		"%00": 400, "%FF": 404, "a%2Fb": 404, "START": 404,
	} {
		w.Call("reader", http.MethodGet, base+path, nil, status)
	}
}

// TestNullQueryParameterIsAbsent checks that "null" counts as absent, as the public client sends it.
func TestNullQueryParameterIsAbsent(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	plain := w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/collections", nil, http.StatusOK)
	null := w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/collections?limit=null&page=null&nested=null", nil, http.StatusOK)
	if string(plain.Body) != string(null.Body) {
		t.Errorf("%s, want %s", null.Body, plain.Body)
	}
}

// TestLimitZeroReturnsCountOnly checks that limit=0 returns the count without items.
func TestLimitZeroReturnsCountOnly(t *testing.T) {
	t.Parallel()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	servertest.EachRow(t, api.Row.IsList, func(t *testing.T, row api.Row) {
		if !row.IsCounted() {
			var none api.LogPage[any]
			path := servertest.WithQuery(w.SamplePath(row, s), "limit=0")
			servertest.Decode(w, w.Call("admin", row.Method, path, nil, http.StatusOK), &none)
			servertest.Equal(t, "entries of a log with limit=0", 0, len(none.Items))
			return
		}
		var all, none struct {
			Count int
			Items []any
			Next  any
		}
		servertest.Decode(w, w.Call("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s), http.StatusOK), &all)
		servertest.Decode(w, w.Call("admin", row.Method, servertest.WithQuery(w.SamplePath(row, s), "limit=0"), w.SampleBody(row, s),
			http.StatusOK), &none)
		if len(none.Items) != 0 || none.Next != nil || none.Count != all.Count || all.Count != len(all.Items) {
			t.Errorf("with limit=0 %+v, without %+v", none, all)
		}
		w.Call("admin", row.Method, servertest.WithQuery(w.SamplePath(row, s), "limit=1000"), w.SampleBody(row, s), http.StatusOK)
	})
}
