package api

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestEveryOperationCompiles(t *testing.T) {
	t.Parallel()
	c := NewCompiler()
	for _, r := range Rows() {
		c.Input(r)
		checkComplete(t, r.Name, c.Compile(r.Out), map[*Schema]bool{})
	}
}

// checkComplete fails the test if a schema is incomplete, which may happen to a recursive type during its compilation.
func checkComplete(t *testing.T, path string, s *Schema, seen map[*Schema]bool) {
	t.Helper()
	if seen[s] {
		return
	}
	seen[s] = true
	if s.Kind == "" {
		t.Errorf("%s has no kind", path)
	}
	for _, f := range s.Fields {
		checkComplete(t, path+"."+f.Name, f.Schema, seen)
	}
	if s.Items != nil {
		checkComplete(t, path+"[]", s.Items, seen)
	}
}

func TestCompileRecursiveType(t *testing.T) {
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

// TestOperationNamesAreUnique checks that every operationId is a unique identifier, because generators derive a method from
// each.
func TestOperationNamesAreUnique(t *testing.T) {
	t.Parallel()
	word, taken := regexp.MustCompile(`^[a-z][A-Za-z0-9]*$`), map[string]string{}
	for _, row := range Rows() {
		if other := taken[row.Operation]; other != "" || !word.MatchString(row.Operation) {
			t.Errorf("%s is the operation %q, which is no name or that of %q", row.Name, row.Operation, other)
		}
		taken[row.Operation] = row.Name
	}
}

// TestSpaceAndChangeRequestOperationsHaveSameTypes checks that two rows are twins exactly if their paths differ only in whether
// they address the content of a space or of a change request, and that twins have the same input and output. Operations on the
// change request itself have no twin.
func TestSpaceAndChangeRequestOperationsHaveSameTypes(t *testing.T) {
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
			alike := row.Method == other.Method && row.Path != inside && other.Path == inside &&
				other.Resource() != GetChangeRequest.Resource()
			if alike != (twins[row.Name] == other.Name) {
				t.Errorf("%s and %s: twins by their paths is %t", row.Name, other.Name, alike)
			}
		}
	}
}

// TestSecretParamsAreMarked checks that parameters that may hold a secret have the tag `secret`, by which they are left out of logs.
// Path parameters are ids; a secret in the place of the id of an invite is known by its prefix.
func TestSecretParamsAreMarked(t *testing.T) {
	t.Parallel()
	suspect := regexp.MustCompile(`(?i)key|secret|token|password|jwt|auth$|credential|signature|url`)
	harmless := map[string]bool{"tokenId": true}
	for _, r := range append(Rows(), Refusals()...) {
		for _, f := range reflect.VisibleFields(r.In) {
			for _, in := range []string{"query", "path"} {
				name, ok := f.Tag.Lookup(in)
				marked := f.Tag.Get("secret") == "true"
				if ok && suspect.MatchString(name) && !marked && !harmless[name] {
					t.Errorf("%s: %s %s may be secret and has no tag", r.Name, in, name)
				}
				if ok && in == "path" && marked {
					t.Errorf("%s: a tag does not mask the path parameter %s", r.Name, name)
				}
			}
		}
	}
}
