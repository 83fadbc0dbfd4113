package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type checkedChild struct {
	ID   string  `json:"id" pattern:"id"`
	Rank float64 `json:"rank,omitzero" range:"0..10"`
}

type checkedType struct {
	Title  string            `json:"title" len:"1..5"`
	Emoji  Optional[string]  `json:"emoji,omitzero" len:"0..5" null:"true"`
	Count  int               `json:"count,omitzero" range:"-2..2"`
	Open   bool              `json:"open,omitzero"`
	Level  *Level            `json:"level,omitzero" null:"true"`
	At     Optional[Time]    `json:"at,omitzero"`
	Link   string            `json:"link,omitzero" format:"uri" len:"1..40"`
	Data   string            `json:"data,omitzero" format:"base64"`
	Text   string            `json:"text,omitzero" format:"markdown"`
	Tags   []string          `json:"tags,omitzero" len:"0..2"`
	Names  map[string]string `json:"names,omitzero"`
	Child  *checkedChild     `json:"child,omitzero"`
	Kids   []checkedChild    `json:"kids,omitzero" len:"0..3"`
	Opaque json.RawMessage   `json:"opaque,omitzero"`
}

func schemaFor[T any]() *Schema { return NewCompiler().Compile(reflect.TypeFor[T]()) }

// TestCheck checks that every violation of a body is reported with its path, and that valid members are not reported.
func TestCheck(t *testing.T) {
	t.Parallel()
	schema := schemaFor[checkedType]()
	for body, want := range map[string][]string{
		`{"title":"a"}`:     nil,
		`{"title":"ééééé"}`: nil,
		`{"title":"a","emoji":null,"level":null,"opaque":null}`:                        nil,
		`{"title":"a","level":"inherit","at":"2026-01-31T12:00:00+01:00"}`:             nil,
		`{"title":"a","text":"a\nb\tc\u0001","names":{"x y":"z"},"opaque":{"a":[1]}}`:  nil,
		`{"title":"a","link":"https://a.example","data":"AAAA","kids":[],"tags":null}`: {"tags"},
		`{}`:                               {"title"},
		`[]`:                               {"body"},
		`"a"`:                              {"body"},
		`5`:                                {"body"},
		`{"title":""}`:                     {"title"},
		`{"title":"éééééé"}`:               {"title"},
		`{"title":5}`:                      {"title"},
		`{"title":null}`:                   {"title"},
		`{"Title":"a"}`:                    {"Title", "title"},
		`{"title":"a\nb"}`:                 {"title"},
		`{"title":"a\u007f"}`:              {"title"},
		`{"title":"a","count":3}`:          {"count"},
		`{"title":"a","count":-3}`:         {"count"},
		`{"title":"a","count":1.5}`:        {"count"},
		`{"title":"a","count":1e999}`:      {"count"},
		`{"title":"a","open":"true"}`:      {"open"},
		`{"title":"a","level":"owner"}`:    {"level"},
		`{"title":"a","at":"2026-01-31"}`:  {"at"},
		`{"title":"a","at":null}`:          {"at"},
		`{"title":"a","link":"//x"}`:       {"link"},
		`{"title":"a","data":"!"}`:         {"data"},
		`{"title":"a","tags":["a",5]}`:     {"tags[1]"},
		`{"title":"a","tags":["a","b",5]}`: {"tags"}, // items are not checked if there are too many
		`{"title":"a","names":{"x":5}}`:    {"names.x"},
		`{"title":"a","child":null}`:       {"child"},
		`{"title":"a","child":{"id":"a b","rank":11,"x":1}}`:         {"child.id", "child.rank", "child.x"},
		`{"title":"a","kids":[{"id":"a"},{},{"id":"b","rank":0}]}`:   {"kids[1].id"},
		`{"extra":1,"title":"too long","count":9,"kids":[{"id":1}]}`: {"count", "extra", "kids[0].id", "title"},
	} {
		_, err := Check([]byte(body), schema, DefaultLimits(), nil, nil)
		var got []string
		if e, ok := AsError(err); ok {
			if e.Code != http.StatusUnprocessableEntity || e.Reason != ReasonInvalid {
				t.Errorf("%s: %d %s", body, e.Code, e.Reason)
			}
			for _, f := range e.Fields {
				got = append(got, f.Path)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// TestCheckMalformed checks that input that is not exactly one JSON value is rejected as malformed with a message that gives
// the position.
func TestCheckMalformed(t *testing.T) {
	t.Parallel()
	schema := schemaFor[checkedType]()
	for body, want := range map[string]string{
		``:                             "too early",
		`null`:                         "null",
		`{`:                            "too early",
		`{"title":"a"}}`:               "after the value",
		`{"title":"a"} {}`:             "after the value",
		`{"title":"a","title":"b"}`:    `"title" is repeated at byte 20`,
		`{"child":{"id":"a","id":""}}`: `"id" is repeated`,
		"{\"title\":\"\xff\"}":         "not UTF-8 at byte 10",
		`{"title":"\ud800"}`:           "surrogate pair at byte 10",
		`{"title":"\udc00"}`:           "surrogate pair at byte 10",
		`{"title":"\ud800\ud800"}`:     "surrogate pair at byte 10",
		`{"title":"\ud800x"}`:          "surrogate pair at byte 10",
		`{"title":"\ud83d\ude0`:        "surrogate pair",
		`{"\ud800":"a"}`:               "surrogate pair at byte 2",
		`{title:"a"}`:                  "at byte",
		`[1,]`:                         "at byte",
		strings.Repeat("[", 200):       "deeper than 100",
		`{"opaque":` + strings.Repeat("[", 101) + strings.Repeat("]", 101) + `}`: "deeper than 100",
	} {
		_, err := Check([]byte(body), schema, DefaultLimits(), nil, nil)
		e, ok := AsError(err)
		if !ok || e.Code != http.StatusBadRequest || e.Reason != ReasonMalformed || !strings.Contains(e.Message, want) {
			t.Errorf("%.60s: %v, want %q", body, e, want)
		}
	}
	for _, body := range []string{
		`{"title":"\ud83d\ude00"}`, `{"title":"\\ud8"}`, `{"opaque":` + strings.Repeat("[", 90) + strings.Repeat("]", 90) + `,"title":"a"}`,
	} {
		if _, err := Check([]byte(body), schema, DefaultLimits(), nil, nil); err != nil {
			t.Errorf("%.60s: %v", body, err)
		}
	}
}

func TestCheckSuggestsSimilarField(t *testing.T) {
	t.Parallel()
	_, err := Check([]byte(`{"TITLE":"a","title":"a"}`), schemaFor[checkedType](), DefaultLimits(), nil, nil)
	e, _ := AsError(err)
	if e == nil || !strings.Contains(e.Message, `did you mean "title"?`) {
		t.Errorf("%v", e)
	}
}

// TestCompilePanics checks that compiling an invalid schema panics.
func TestCompilePanics(t *testing.T) {
	t.Parallel()
	for name, compile := range map[string]func(){
		"no tag": func() { schemaFor[struct{ Title string }]() },
		"unknown pattern": func() {
			schemaFor[struct {
				Title string `json:"title" pattern:"x"`
			}]()
		},
		"missing upper bound": func() {
			schemaFor[struct {
				Title string `json:"title" len:"5"`
			}]()
		},
		"non-numeric bounds": func() {
			schemaFor[struct {
				Title string `json:"title" len:"a..b"`
			}]()
		},
		"a channel": func() {
			schemaFor[struct {
				C chan int `json:"c"`
			}]()
		},
		"a function": func() { schemaFor[func()]() },
		"path parameter without field": func() {
			NewCompiler().Input(Row{Name: "x", Path: "/{space}", In: reflect.TypeFor[struct{}]()})
		},
		"input without tag": func() {
			NewCompiler().Input(Row{Name: "x", Path: "/", In: reflect.TypeFor[struct{ Space string }]()})
		},
		"input not in the path": func() {
			NewCompiler().Input(Row{Name: "x", Path: "/", In: reflect.TypeFor[struct {
				Space string `path:"spaceId"`
			}]()})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("it compiles")
				}
			}()
			compile()
		})
	}
}

// FuzzCheck checks that Check never panics and is deterministic, and that encoding/json decodes every body that Check accepts.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"title":"a"}`, `null`, `{"title":"\ud800"}`, `{"title":"a","kids":[{"id":"x","rank":1e1}]}`,
		`{"title":"a","at":"2026-01-31T12:00:00Z"}`,
		`{"title":"a","count":1e0}`, `{"title":"a","count":10e-1,"opaque":1.0}`, `{"title":"a","count":-0}`,
		`{"title":"a","names":{"":""},"tags":["x"]}`, "{\"title\":\"\xff\"}", `[[[[`,
		`{"title":"a","level":"admin","emoji":null}`,
	} {
		f.Add([]byte(seed))
	}
	schema := schemaFor[checkedType]()
	f.Fuzz(func(t *testing.T, body []byte) {
		normal, err := Check(body, schema, DefaultLimits(), nil, nil)
		if _, again := Check(body, schema, DefaultLimits(), nil, nil); (again == nil) != (err == nil) {
			t.Errorf("once %v, once %v", err, again)
		}
		if err == nil {
			if err := json.Unmarshal(normal, &checkedType{}); err != nil {
				t.Errorf("%q passes and cannot be read: %v", normal, err)
			}
			return
		}
		if e, ok := AsError(err); !ok || e.Code != http.StatusBadRequest && len(e.Fields) == 0 {
			t.Errorf("%q: %v", body, err)
		}
	})
}
