package api

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// objectWithKeys returns an object with n distinct keys.
func objectWithKeys(n int) string {
	var b strings.Builder
	b.WriteString("{")
	for i := range n {
		fmt.Fprintf(&b, `"%x":1,`, i)
	}
	return strings.TrimSuffix(b.String(), ",") + "}"
}

// TestRejectedBodyAllocatesLittle checks that rejecting a body allocates little more than the size of the body, and that the
// size of the error is limited.
func TestRejectedBodyAllocatesLittle(t *testing.T) { //nolint:paralleltest // it counts the bytes of the process
	const size = 1 << 20
	for name, body := range map[string]string{
		"items of the wrong type": `{"title":"a","tags":[` + strings.Repeat("0,", size/2) + `0]}`,
		"array of objects":        `{"kids":[` + strings.Repeat("{},", size/3) + `{}]}`,
		"unknown keys":            objectWithKeys(size / 9),
		"entries of a map":        `{"title":"a","names":` + objectWithKeys(size/9) + `}`,
		"arrays in arrays":        `{"title":[` + strings.Repeat("[],", size/3) + `[]]}`,
		"a long text":             `{"title":"` + strings.Repeat("x", size) + `"}`,
		"a text of escapes":       `{"title":"` + strings.Repeat(`\u0041`, size/6) + `"}`,
		"a long key":              `{"` + strings.Repeat("k", size) + `":1}`,
		"keys of escapes":         `{"title":"a","names":` + strings.ReplaceAll(objectWithKeys(size/16), `"`, `"\u0041`) + `}`,
		"a long number":           `{"count":1` + strings.Repeat("0", size) + `}`,
		"a repeated key":          strings.TrimSuffix(objectWithKeys(size/9), "}") + `,"1":1}`,
		"small objects":           `{"opaque":[` + strings.Repeat(`{"a":1},`, size/8) + `1]}`,
	} {
		schema, data := schemaFor[checkedType](), []byte(body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Check(data, schema, DefaultLimits(), nil, nil)
		runtime.ReadMemStats(&after)
		e, refused := AsError(err)
		if !refused {
			t.Errorf("%s: it is accepted", name)
			continue
		}
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(6*len(body)); got > most {
			t.Errorf("%s: %d bytes are allocated for a body of %d", name, got, len(body))
		}
		if len(e.Fields) > DefaultLimits().Violations || len(e.Message) > 2*summaryLength {
			t.Errorf("%s: %d fields, a message of %d bytes", name, len(e.Fields), len(e.Message))
		}
		for _, f := range e.Fields {
			if len(f.Path) > 200 || len(f.Message) > 400 {
				t.Errorf("%s: the field %.60s has a path of %d and a message of %d bytes", name, f.Path, len(f.Path), len(f.Message))
			}
		}
	}
}

// TestCheckLimitsListedViolations checks that an error lists at most the maximum number of violations, and ends in "and more"
// only if there are more.
func TestCheckLimitsListedViolations(t *testing.T) {
	t.Parallel()
	limits := Limits{Violations: 3, Echo: 5, Nesting: 10}
	for n, more := range map[int]bool{2: false, 3: false, 4: true, 100: true} {
		body := strings.Replace(objectWithKeys(n), "{", `{"title":"a",`, 1)
		_, err := Check([]byte(body), schemaFor[checkedType](), limits, nil, nil)
		e, _ := AsError(err)
		if e == nil || len(e.Fields) != min(n, 3) || strings.HasSuffix(e.Message, "; and more") != more {
			t.Errorf("%d violations: %+v", n, e)
		}
	}
}

// TestCheckLimitsEchoedInput checks that rejected values and keys are shortened to the echo limit in messages.
func TestCheckLimitsEchoedInput(t *testing.T) {
	t.Parallel()
	limits := Limits{Violations: 50, Echo: 5, Nesting: 10}
	long := strings.Repeat("ü", 40)
	for _, body := range []string{
		`{"title":"a","` + long + `":1}`,
		`{"title":"a","level":"` + long + `"}`,
		`{"title":"a","at":"` + long + `"}`,
		`{"title":"a","child":{"id":"` + long + `"}}`,
		`{"title":"a","link":"` + long + `"}`,
		`{"title":"a","link":"` + long + `://a.example"}`,
		`{"title":"a","names":{"` + long + `":1}}`,
	} {
		_, err := Check([]byte(body), schemaFor[checkedType](), limits, nil, nil)
		e, _ := AsError(err)
		if e == nil || strings.Contains(e.Message+e.Fields[0].Path, strings.Repeat("ü", 6)) {
			t.Errorf("%s: %v", body, e)
		}
	}
	_, err := Check([]byte(`{"`+long+`":1,"`+long+`":1}`), schemaFor[checkedType](), limits, nil, nil)
	if e, _ := AsError(err); e == nil || strings.Contains(e.Message, strings.Repeat("ü", 6)) {
		t.Errorf("a repeated key: %v", e)
	}
}

// TestErrorBounded checks that Bounded limits the number of fields and the size in bytes of an error.
func TestErrorBounded(t *testing.T) {
	t.Parallel()
	var fields []FieldError
	for range 200 {
		fields = append(fields, FieldError{Path: strings.Repeat("\x01", 500), Message: "is wrong"})
	}
	e := Invalid(fields...).Bounded(DefaultLimits(), 64<<10)
	if len(e.Fields) == 0 || len(e.Fields) > 50 || !strings.HasSuffix(e.Message, "; and more") {
		t.Errorf("%d fields, %.80s", len(e.Fields), e.Message)
	}
	few := Invalid(FieldError{Path: "a", Message: "is wrong"}, FieldError{Path: "b", Message: "is wrong"}).Bounded(DefaultLimits(), 64<<10)
	if len(few.Fields) != 2 || strings.HasSuffix(few.Message, "; and more") {
		t.Errorf("of two fields: %d, %q", len(few.Fields), few.Message)
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "abc": "abc", "äöü": "äöü", "abcd": "abc…", "äöüß": "äöü…", "\xff\xff\xff\xff": "\xff\xff\xff…",
	} {
		if got := Shorten(text, 3); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
