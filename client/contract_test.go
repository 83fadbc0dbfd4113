package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// TestEveryMethodRoundTrip calls every method with all input fields set. The test server decodes the request from the contract
// alone and must get the same input for the right row; the method must decode the response that the contract defines.
func TestEveryMethodRoundTrip(t *testing.T) {
	t.Parallel()
	for _, row := range api.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			fake := newContractServer(t)
			c := client.New(fake.URL, client.WithRetries(0))
			method := methodOf(t, c, row)
			in := sampleInput(t, row)
			results := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(in)})
			if row.Stream {
				results = firstMessage(results[0])
			}
			got := <-fake.requests
			if err, _ := reflect.TypeAssert[error](results[len(results)-1]); err != nil {
				t.Fatal(err)
			}
			if got.row.Name != row.Name {
				t.Fatalf("the server saw %s", got.row.Name)
			}
			if diff := cmp.Diff(in, got.in, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("the input changed on the way (-sent +seen):\n%s", diff)
			}
			switch {
			case row.Stream:
				wantJSON(t, mustJSON(t, sampleMessage(t)), results[0].Interface())
			case len(results) == 2:
				wantJSON(t, sampleJSON(api.NewCompiler().Compile(row.Out), 0), results[0].Interface())
			}
		})
	}
}

// firstMessage returns the first message and the error of a stream.
func firstMessage(stream reflect.Value) (results []reflect.Value) {
	for message, err := range stream.Seq2() {
		return []reflect.Value{message, err}
	}
	return nil
}

// sampleMessage returns a message of the stream of events.
func sampleMessage(t *testing.T) (m api.EventMessage) {
	t.Helper()
	m = api.EventMessage{Type: api.EventMessageEvent, ID: "1764442800000-0", Event: &api.Event{}}
	event := api.NewCompiler().Compile(reflect.TypeFor[api.Event]())
	if err := json.Unmarshal([]byte(sampleJSON(event, 0)), m.Event); err != nil {
		t.Fatal(err)
	}
	return m
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// methodOf returns the method of a row by its name: spaces.get is c.Spaces.Get.
func methodOf(t *testing.T, c *client.Client, row api.Row) reflect.Value {
	t.Helper()
	same := func(part string) func(string) bool {
		return func(name string) bool { return strings.EqualFold(name, strings.ReplaceAll(part, "-", "")) }
	}
	service := reflect.ValueOf(c).Elem().FieldByNameFunc(same(row.Resource()))
	if !service.IsValid() {
		t.Fatalf("the client has no service for %s", row.Resource())
	}
	for i := range service.NumMethod() {
		if same(row.Verb())(service.Type().Method(i).Name) {
			return service.Method(i)
		}
	}
	t.Fatalf("%s has no method for %s", service.Type(), row.Verb())
	return reflect.Value{}
}

func wantJSON(t *testing.T, want string, value any) {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the answer changed on the way (-sent +read):\n%s", diff)
	}
}

// contractServer decodes requests by the rows of the contract and responds with sample values.
type contractServer struct {
	*httptest.Server
	requests chan contractRequest
}

type contractRequest struct {
	row api.Row
	in  any
}

func newContractServer(t *testing.T) *contractServer {
	t.Helper()
	s := &contractServer{requests: make(chan contractRequest, 1)}
	mux := http.NewServeMux()
	for _, row := range api.Rows() {
		mux.HandleFunc(row.Method+" "+row.Path, func(w http.ResponseWriter, r *http.Request) { s.serve(t, w, r, row) })
	}
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *contractServer) serve(t *testing.T, w http.ResponseWriter, r *http.Request, row api.Row) {
	in, err := decodeInput(r, row)
	if err != nil {
		t.Errorf("%s: %v", row.Name, err)
	}
	if row.Writes() != (r.Header.Get("Idempotency-Key") != "") {
		t.Errorf("%s: the idempotency key is %q", row.Name, r.Header.Get("Idempotency-Key"))
	}
	s.requests <- contractRequest{row, in}
	if row.Stream {
		_, id, data, err := sampleMessage(t).Fields()
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": a comment\nretry: 10\nid: %s\ndata: %s\n\n", id, data)
		return
	}
	w.WriteHeader(row.Status)
	if row.Out != reflect.TypeFor[api.None]() {
		_, _ = io.WriteString(w, sampleJSON(api.NewCompiler().Compile(row.Out), 0))
	}
}

// decodeInput decodes the input of row from r. It is written independently of the client's encoder.
func decodeInput(r *http.Request, row api.Row) (any, error) {
	compiler := api.NewCompiler()
	shape := compiler.Input(row)
	v := reflect.New(row.In).Elem()
	query := r.URL.Query()
	for _, p := range shape.Params {
		texts := []string{r.PathValue(p.Name)}
		if p.In == api.InQuery {
			texts = query[p.Name]
			delete(query, p.Name)
		}
		if err := setParam(v.FieldByIndex(p.Index), texts, p); err != nil {
			return nil, err
		}
	}
	if len(query) > 0 {
		return nil, fmt.Errorf("unknown query %v", query)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || shape.Body == nil || row.OptionalBody && len(body) == 0 {
		return v.Interface(), err
	}
	if _, err := api.Check(body, shape.Body, api.DefaultLimits(), nil, nil); err != nil {
		return nil, err
	}
	err = json.Unmarshal(body, v.FieldByIndex(shape.BodyIndex).Addr().Interface())
	return v.Interface(), err
}

func setParam(field reflect.Value, texts []string, p api.Param) error {
	if len(texts) == 0 {
		return nil
	}
	var data []byte
	switch {
	case p.List:
		data, _ = json.Marshal(texts)
	case p.Schema.Kind == api.KindString:
		data, _ = json.Marshal(texts[0])
	default:
		data = []byte(texts[0])
	}
	return json.Unmarshal(data, field.Addr().Interface())
}

// sampleInput returns an input of row with every field set to a value that needs escaping.
func sampleInput(t *testing.T, row api.Row) any {
	t.Helper()
	shape := api.NewCompiler().Input(row)
	v := reflect.New(row.In).Elem()
	for _, p := range shape.Params {
		texts := []string{sampleText(p)}
		if p.List {
			texts = []string{"usr_1", "usr_2"}
		}
		if err := setParam(v.FieldByIndex(p.Index), texts, p); err != nil {
			t.Fatal(err)
		}
	}
	if shape.Body != nil {
		body := sampleJSON(shape.Body, 0)
		if err := json.Unmarshal([]byte(body), v.FieldByIndex(shape.BodyIndex).Addr().Interface()); err != nil {
			t.Fatal(err)
		}
	}
	return v.Interface()
}

func sampleText(p api.Param) string {
	if p.Name == "pagePath" {
		return "guides/größe & co/100% ?#+/x"
	}
	var text string
	if data := sampleJSON(p.Schema, 0); json.Unmarshal([]byte(data), &text) != nil {
		return data
	}
	return text
}

// sampleJSON returns a JSON value that is valid for s.
func sampleJSON(s *api.Schema, depth int) string {
	switch s.Kind {
	case api.KindString:
		return sampleString(s)
	case api.KindInteger, api.KindNumber:
		return "3"
	case api.KindBoolean:
		return "true"
	case api.KindArray:
		return "[" + sampleJSON(s.Items, depth+1) + "]"
	case api.KindMap:
		key := "any key"
		if s.Keys != nil && s.Keys.Pattern != "" {
			key = "any_key"
		}
		return `{"` + key + `":` + sampleJSON(s.Items, depth+1) + "}"
	case api.KindObject:
		var members []string
		for _, f := range s.Fields {
			// Values of recursive types must be finite.
			if !f.Required && depth > 8 {
				continue
			}
			members = append(members, strconv.Quote(f.Name)+":"+sampleJSON(f.Schema, depth+1))
		}
		return "{" + strings.Join(members, ",") + "}"
	default:
		return `{"x":[1,null]}`
	}
}

func sampleString(s *api.Schema) string {
	switch {
	case s.Enum != nil:
		return strconv.Quote(s.Enum[0])
	case s.Format == "emoji":
		return `"👍🏽"`
	case s.Format == "date-time":
		return `"2026-01-31T12:00:00.123Z"`
	case s.Format == "uri":
		return `"https://example.com/a?b=c&d=<e>"`
	case s.Format == "base64":
		return `"aGk="`
	case s.Format == "markdown":
		return `"# Ünicode\r\n\r\n<b>&amp;</b>\u2028 no newline"`
	case s.Pattern == "color":
		return `"#1a2B3c"`
	case s.Pattern == "https", s.Pattern == "link":
		return `"https://example.com/a?b=c&d=<e>"`
	case s.Pattern == "commit":
		return `"0f1e2d3c4b5a69788796a5b4c3d2e1f001234567"`
	case s.Pattern == "specSlug":
		return `"pets-2"`
	case s.Pattern == "id", s.Pattern == "optionalID":
		return `"spc_1-A"`
	case s.Pattern == "subdomain":
		return `"acme-docs"`
	case s.Pattern == "hostname" || s.Pattern == "domain":
		return `"docs.example.com"`
	case s.Pattern == "proxy":
		return `"example.com/docs"`
	case s.Pattern == "integration":
		return `"acme.linter-2"`
	case s.Pattern == "slug":
		return `"größe"`
	default:
		return `"a <b> & 'ü' 📘"`
	}
}
