package client_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// Every method of every service is called with a full input; a server that reads requests by the contract must
// see the same input, on the right row, and the method must read the answer that the contract promises.
func TestEveryMethodRoundTrip(t *testing.T) {
	t.Parallel()
	for _, row := range api.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			fake := newContractServer(t)
			c := client.New(fake.URL, client.WithRetries(0))
			service := reflect.ValueOf(c).Elem().FieldByName(camel(row.Resource()))
			if !service.IsValid() {
				t.Fatalf("the client has no field %s", camel(row.Resource()))
			}
			method := service.MethodByName(camel(row.Verb()))
			if !method.IsValid() {
				t.Fatalf("%s has no method %s", service.Type(), camel(row.Verb()))
			}
			in := sampleInput(t, row)
			results := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(in)})
			got := <-fake.seen
			if err, _ := reflect.TypeAssert[error](results[len(results)-1]); err != nil {
				t.Fatal(err)
			}
			if got.row.Name != row.Name {
				t.Fatalf("the server saw %s", got.row.Name)
			}
			if diff := cmp.Diff(in, got.in, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("the input changed on the way (-sent +seen):\n%s", diff)
			}
			if len(results) == 2 {
				sameJSON(t, sampleJSON(api.NewCompiler().Compile(row.Out), 0), results[0].Interface())
			}
		})
	}
}

func sameJSON(t *testing.T, want string, value any) {
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

// The variable of a row is its name: change-requests.list-reviewers is ListChangeRequestReviewers. A list takes
// the plural.
func TestRowVariablesAreNamedLikeTheirRows(t *testing.T) {
	t.Parallel()
	variables := rowVariables(t)
	for _, row := range api.Rows() {
		if got, want := variables[row.Name], variableName(row); got != want {
			t.Errorf("%s is api.%s, want api.%s", row.Name, got, want)
		}
	}
}

func variableName(row api.Row) string {
	first, rest, _ := strings.Cut(row.Verb(), "-")
	resource := camel(row.Resource())
	if row.Verb() != "list" {
		resource = singular(resource)
	}
	return camel(first) + resource + camel(rest)
}

func singular(word string) string {
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		return stem + "y"
	}
	return strings.TrimSuffix(word, "s")
}

func camel(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		switch word {
		case "":
		case "saml", "sso":
			b.WriteString(strings.ToUpper(word))
		case "openapi":
			b.WriteString("OpenAPI")
		default:
			b.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return b.String()
}

// rowVariables reads the sources of the contract: which variable holds which row.
func rowVariables(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("api/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources of the contract: %v", err)
	}
	variables := map[string]string{}
	for _, path := range files {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			if name, ok := rowName(spec.Values[0]); ok {
				variables[name] = spec.Names[0].Name
			}
			return true
		})
	}
	return variables
}

func rowName(e ast.Expr) (string, bool) {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return "", false
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	name, err := strconv.Unquote(literal.Value)
	return name, err == nil && strings.Contains(name, ".")
}

// contractServer reads requests by the rows of the contract and answers samples of what they promise.
type contractServer struct {
	*httptest.Server
	seen chan seenRequest
}

type seenRequest struct {
	row api.Row
	in  any
}

func newContractServer(t *testing.T) *contractServer {
	t.Helper()
	s := &contractServer{seen: make(chan seenRequest, 1)}
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
	s.seen <- seenRequest{row, in}
	w.WriteHeader(row.Status)
	if row.Out != reflect.TypeFor[api.None]() {
		_, _ = io.WriteString(w, sampleJSON(api.NewCompiler().Compile(row.Out), 0))
	}
}

// decodeInput is the server's half of the codec, written for the test from the contract alone.
func decodeInput(r *http.Request, row api.Row) (any, error) {
	compiler := api.NewCompiler()
	shape := compiler.Input(row)
	v := reflect.New(row.In).Elem()
	query := r.URL.Query()
	for _, p := range shape.Params {
		texts := []string{r.PathValue(p.Name)}
		if p.Place == api.InQuery {
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
	if err != nil || shape.Body == nil {
		return v.Interface(), err
	}
	if err := api.Check(body, shape.Body, api.DefaultLimits(), nil); err != nil {
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

// sampleInput fills every field of a row's input with something that is hard to carry.
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

// sampleJSON is a value that the schema allows.
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
			// Things hold things of their kind; somewhere it must end.
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
	case s.Format == "date-time":
		return `"2026-01-31T12:00:00.123Z"`
	case s.Format == "uri":
		return `"https://example.com/a?b=c&d=<e>"`
	case s.Format == "base64":
		return `"aGk="`
	case s.Format == "markdown":
		return `"# Ünicode\r\n\r\n<b>&amp;</b>\u2028 no newline"`
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
