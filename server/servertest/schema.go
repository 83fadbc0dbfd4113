package servertest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/web/cors"
)

// Document is the OpenAPI document of a server as plain JSON, so that responses are validated independently of Go
// types.
type Document map[string]any

// documents caches parsed documents by their text, since almost all servers have the same large one.
var documents sync.Map

// cachedDocument is like EmittedDocument, cached for servers with default options.
func cachedDocument(t *testing.T, handler http.Handler, o server.Options, hasOwnBudgets bool) Document {
	t.Helper()
	if hasOwnBudgets || o.PublicURL != PublicURL || o.Version != "test" {
		return EmittedDocument(t, handler)
	}
	d, read := documents.Load("")
	if !read {
		d = EmittedDocument(t, handler)
		documents.Store("", d)
	}
	return d.(Document)
}

// EmittedDocument returns the OpenAPI document served by a server.
func EmittedDocument(t *testing.T, handler http.Handler) Document {
	t.Helper()
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/openapi.json", nil))
	text := w.Body.String()
	if d, read := documents.Load(text); read {
		return d.(Document)
	}
	var d Document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	documents.Store(text, d)
	return d
}

// ValueAt returns the value at a path of member names.
func ValueAt(v any, path ...string) any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// Operation returns the operation object of the document for the path and method of a row, or nil if there is none.
func (d Document) Operation(row api.Row) map[string]any {
	o, _ := ValueAt(d["paths"], strings.ReplaceAll(row.Path, "...}", "}"), strings.ToLower(row.Method)).(map[string]any)
	return o
}

// rowOf returns the row of a request.
func rowOf(method, path string) (api.Row, bool) {
	have := strings.Split(path, "/")
	for _, row := range allRows() {
		if row.Method == method && pathMatches(row.segments, have) {
			return row.Row, true
		}
	}
	return api.Row{}, false
}

// rowSegments is a row with its path split into segments, for matching the path of a request.
type rowSegments struct {
	api.Row

	segments []string
}

var allRows = sync.OnceValue(func() (all []rowSegments) {
	for _, row := range api.Rows() {
		all = append(all, rowSegments{row, strings.Split(row.Path, "/")})
	}
	return all
})

func pathMatches(want, have []string) bool {
	for i, segment := range want {
		if strings.HasSuffix(segment, "...}") {
			return len(have) > i
		}
		if i >= len(have) || !strings.HasPrefix(segment, "{") && segment != have[i] {
			return false
		}
	}
	return len(want) == len(have)
}

// check fails the test unless the status of a response is declared and its body matches the schema.
func (d Document) check(t *testing.T, r *http.Request, a Response) {
	t.Helper()
	where := fmt.Sprintf("%s %s answered %d", r.Method, r.URL.Path, a.Status)
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		checkHeaders(t, where, a)
	}
	a.Body = decompressed(t, where, a)
	row, known := rowOf(r.Method, r.URL.Path)
	if a.Status >= http.StatusBadRequest {
		checkError(t, where, a)
		if a.Error().Reason == api.ReasonGaveUp {
			return // no client reads it, so that it is not described
		}
		if known {
			d.checkFailure(t, where, row, a)
		}
		d.checkBody(t, where, a, map[string]any{"$ref": "#/components/schemas/ErrorBody"})
		return
	}
	if !known {
		return
	}
	response, declared := ValueAt(d.Operation(row), "responses", strconv.Itoa(a.Status)).(map[string]any)
	if !declared {
		t.Errorf("%s, which the document does not declare\n%s", where, a.Body)
		return
	}
	if media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";"); ValueAt(response, "content", media, "schema", "type") == "string" {
		return // declared as text
	}
	schema, _ := ValueAt(response, "content", "application/json", "schema").(map[string]any)
	if schema == nil {
		if len(a.Body) > 0 {
			t.Errorf("%s with a body where the document has none: %s", where, a.Body)
		}
		return
	}
	d.checkBody(t, where, a, schema)
}

// checkFailure fails the test unless the document declares the status and the reason of an error of the operation.
func (d Document) checkFailure(t *testing.T, where string, row api.Row, a Response) {
	t.Helper()
	if a.Status == http.StatusMethodNotAllowed {
		return // of another operation
	}
	declared, ok := d.Operation(row)["x-wsd-errors"].(map[string]any)
	if !ok {
		return // of an earlier build, which does not know the operation or declares no errors
	}
	reasons := AsList(declared[strconv.Itoa(a.Status)])
	if !slices.Contains(reasons, any(string(a.Error().Reason))) {
		t.Errorf("%s with the reason %s, which the document does not declare for %s", where, a.Error().Reason, row.Name)
	}
}

// decompressed returns the body of a response, which may be compressed with gzip.
func decompressed(t *testing.T, where string, a Response) []byte {
	t.Helper()
	if a.Header.Get("Content-Encoding") != "gzip" {
		return a.Body
	}
	r, err := gzip.NewReader(bytes.NewReader(a.Body))
	if err == nil {
		a.Body, err = io.ReadAll(r)
	}
	if err != nil {
		t.Errorf("%s with a body that is not gzip: %v", where, err)
	}
	return a.Body
}

// transferHeaders are the headers of answers that pages of other origins need not read: they are about the transfer, or browsers show
// them always.
var transferHeaders = []string{
	"Access-Control-Allow-Headers", "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
	"Access-Control-Max-Age", "Cache-Control", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Date", "Vary",
	"X-Accel-Buffering", "X-Content-Type-Options",
}

// checkHeaders fails the test if an answer has a header that pages of other origins cannot read.
func checkHeaders(t *testing.T, where string, a Response) {
	t.Helper()
	for name := range a.Header {
		isNamed := func(other string) bool { return strings.EqualFold(name, other) }
		if !slices.ContainsFunc(cors.Exposed(), isNamed) && !slices.Contains(transferHeaders, name) {
			t.Errorf("%s with the header %s, which package cors does not expose", where, name)
		}
	}
}

// checkError fails the test unless an error response is complete, has the request id of its header, is not a 500, and has
// WWW-Authenticate only with the status 401.
func checkError(t *testing.T, where string, a Response) {
	t.Helper()
	e := a.Error()
	if e.Code != a.Status || e.Message == "" || e.Reason == "" || e.RequestID == "" || e.RequestID != a.Header.Get("X-Request-Id") {
		t.Errorf("%s with an incomplete error: %s", where, a.Body)
	}
	if a.Status == http.StatusInternalServerError {
		t.Errorf("%s: %s", where, a.Body)
	}
	if (a.Header.Get("WWW-Authenticate") != "") != (a.Status == http.StatusUnauthorized) {
		t.Errorf("%s with WWW-Authenticate %q", where, a.Header.Get("WWW-Authenticate"))
	}
}

func (d Document) checkBody(t *testing.T, where string, a Response, schema map[string]any) {
	t.Helper()
	if got := a.Header.Get("Content-Type"); got != "application/json; charset=utf-8" {
		t.Errorf("%s as %q", where, got)
	}
	if got := a.Header.Get("X-Content-Type-Options"); got != "nosniff" {
		t.Errorf("%s with X-Content-Type-Options %q", where, got)
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Errorf("%s with a body that is not JSON: %v\n%s", where, err, a.Body)
		return
	}
	for _, wrong := range append(d.Violations("", v, schema), unexpectedNulls("", v)...) {
		t.Errorf("%s: body%s\n%s", where, wrong, a.Body)
	}
}

// Violations returns the violations of a schema by a value. Keywords that the document does not use are reported.
func (d Document) Violations(path string, v any, schema map[string]any) []string {
	if pointer, ok := schema["$ref"].(string); ok {
		target, _ := ValueAt(map[string]any(d), strings.Split(strings.TrimPrefix(pointer, "#/"), "/")...).(map[string]any)
		if target == nil {
			return []string{path + ": " + pointer + " leads nowhere"}
		}
		return d.Violations(path, v, target)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if options, ok := schema[keyword].([]any); ok {
			return d.choiceViolations(path, v, keyword, options)
		}
	}
	var wrong []string
	add := func(format string, args ...any) { wrong = append(wrong, path+": "+fmt.Sprintf(format, args...)) }
	if types := AsList(schema["type"]); len(types) > 0 && !slices.Contains(types, any(jsonType(v))) &&
		(jsonType(v) != "integer" || !slices.Contains(types, any("number"))) {
		add("is of type %s, not %v", jsonType(v), types)
		return wrong
	}
	for _, keyword := range []string{"enum", "x-extensible-enum"} {
		if enum, ok := schema[keyword].([]any); ok && !slices.Contains(enum, v) {
			add("%v is not in the enumeration", v)
		}
	}
	switch v := v.(type) {
	case string:
		wrong = append(wrong, stringViolations(path, v, schema)...)
	case []any:
		wrong = append(wrong, countViolations(path, len(v), schema, "minItems", "maxItems")...)
		for i, item := range v {
			items, _ := schema["items"].(map[string]any)
			wrong = append(wrong, d.Violations(fmt.Sprintf("%s[%d]", path, i), item, items)...)
		}
	case map[string]any:
		wrong = append(wrong, d.objectViolations(path, v, schema)...)
	}
	return wrong
}

// choiceViolations returns the violations of a choice between schemas: of oneOf exactly one must match. If none matches, the
// violations of the schema with the fewest follow.
func (d Document) choiceViolations(path string, v any, keyword string, options []any) []string {
	matches := 0
	var nearest []string
	for _, option := range options {
		wrong := d.Violations(path, v, option.(map[string]any))
		if len(wrong) == 0 {
			matches++
		} else if nearest == nil || len(wrong) < len(nearest) {
			nearest = wrong
		}
	}
	switch {
	case matches == 0:
		return append([]string{fmt.Sprintf("%s: matches no schema of %s", path, keyword)}, nearest...)
	case keyword == "oneOf" && matches > 1:
		return []string{fmt.Sprintf("%s: matches %d schemas of %s", path, matches, keyword)}
	}
	return nil
}

// objectViolations returns the violations of an object. Members that the schema does not name are violations, even where
// the schema allows them for later versions.
func (d Document) objectViolations(path string, v, schema map[string]any) (wrong []string) {
	for _, name := range AsList(schema["required"]) {
		if _, ok := v[name.(string)]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: lacks %s", path, name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if property, ok := ValueAt(schema["properties"], name).(map[string]any); ok {
			wrong = append(wrong, d.Violations(path+"."+name, v[name], property)...)
			continue
		}
		if more, ok := schema["additionalProperties"].(map[string]any); ok {
			wrong = append(wrong, d.Violations(path+"."+name, v[name], more)...)
			continue
		}
		if schema["properties"] != nil { // otherwise any value is allowed
			wrong = append(wrong, fmt.Sprintf("%s: has %s, which is not declared", path, name))
		}
	}
	return wrong
}

func stringViolations(path, v string, schema map[string]any) []string {
	wrong := countViolations(path, utf8.RuneCountInString(v), schema, "minLength", "maxLength")
	if pattern, ok := schema["pattern"].(string); ok && !regexp.MustCompile(pattern).MatchString(v) {
		wrong = append(wrong, fmt.Sprintf("%s: %q does not match %s", path, v, pattern))
	}
	switch schema["format"] {
	case "date-time":
		if at, err := time.Parse("2006-01-02T15:04:05.000Z", v); err != nil || at.Year() < 2000 {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not a time", path, v))
		}
	case "uri":
		if u, err := url.Parse(v); err != nil || !u.IsAbs() {
			wrong = append(wrong, fmt.Sprintf("%s: %q is not an absolute URL", path, v))
		}
	}
	return wrong
}

func countViolations(path string, n int, schema map[string]any, low, high string) (wrong []string) {
	if least, ok := schema[low].(float64); ok && float64(n) < least {
		wrong = append(wrong, fmt.Sprintf("%s: has %d, less than %s %v", path, n, low, least))
	}
	if most, ok := schema[high].(float64); ok && float64(n) > most {
		wrong = append(wrong, fmt.Sprintf("%s: has %d, more than %s %v", path, n, high, most))
	}
	return wrong
}

// jsonType returns the JSON type of a value that was decoded with UseNumber.
func jsonType(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// AsList returns the items of a list, or a single value as a list.
func AsList(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}
