package api

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestEveryRowCompiles(t *testing.T) {
	t.Parallel()
	c := NewCompiler()
	for _, r := range Rows() {
		c.Input(r)
		whole(t, r.Name, c.Compile(r.Out), map[*Schema]bool{})
	}
}

// whole fails for a schema that is not complete: a type that contains itself is compiled while it is being compiled.
func whole(t *testing.T, path string, s *Schema, seen map[*Schema]bool) {
	t.Helper()
	if seen[s] {
		return
	}
	seen[s] = true
	if s.Kind == "" {
		t.Errorf("%s has no kind", path)
	}
	for _, f := range s.Fields {
		whole(t, path+"."+f.Name, f.Schema, seen)
	}
	if s.Items != nil {
		whole(t, path+"[]", s.Items, seen)
	}
}

func TestSchemaOfATypeThatContainsItself(t *testing.T) {
	t.Parallel()
	pages, ok := NewCompiler().Compile(reflect.TypeFor[Revision]()).Field("pages")
	if !ok {
		t.Fatal("a revision has no pages")
	}
	nested, ok := pages.Schema.Items.Field("pages")
	if !ok || nested.Schema.Kind != KindArray || nested.Schema.Items != pages.Schema.Items {
		t.Errorf("the nested pages are %+v", nested.Schema)
	}
}

// Generators make a method of each operationId: it is one word, and no two operations share it.
func TestOperationsAreNamedOnce(t *testing.T) {
	t.Parallel()
	word, taken := regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`), map[string]string{}
	for _, row := range Rows() {
		if other := taken[row.Operation]; other != "" || !word.MatchString(row.Operation) {
			t.Errorf("%s is the operation %q, which is no name or that of %q", row.Name, row.Operation, other)
		}
		taken[row.Operation] = row.Name
	}
}

// A row on the content of a space and one on what a change request proposes are twins if their paths differ in that
// alone: then they do the same and answer alike. What is done with the change request itself has no twin.
func TestTwinsDoTheSame(t *testing.T) {
	t.Parallel()
	twins := map[string]string{}
	for _, row := range Rows() {
		if twin, ok := row.Twin(); ok {
			twins[row.Name] = twin.Name
			if twin.TwinOf != row.Name || twin.Out != row.Out || twin.Verb() != row.Verb() || twin.Method != row.Method {
				t.Errorf("%s is no twin of %s", twin.Name, row.Name)
			}
		}
	}
	for _, row := range Rows() {
		for _, other := range Rows() {
			inside := strings.Replace(row.Path, "{spaceId}", "{spaceId}/change-requests/{changeRequestId}", 1)
			alike := row.Method == other.Method && row.Path != inside && other.Path == inside && other.Resource() != GetChangeRequest.Resource()
			if alike != (twins[row.Name] == other.Name) {
				t.Errorf("%s and %s: twins by their paths is %t", row.Name, other.Name, alike)
			}
		}
	}
}
