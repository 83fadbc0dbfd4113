package api

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestDeclaredViewsMatchOutputTypes checks that every declared view belongs to the output type of a row, and that its columns
// and items exist.
func TestDeclaredViewsMatchOutputTypes(t *testing.T) {
	t.Parallel()
	c, seen := NewCompiler(), map[reflect.Type]bool{}
	for _, row := range Rows() {
		thing := row.Out
		seen[thing] = true
		if items := row.Items(); items != "" {
			member, ok := jsonMembers(row.Out)[items]
			if !ok || member.Kind() != reflect.Slice {
				t.Errorf("%s: %q is no list of %s", row.Name, items, row.Out)
				continue
			}
			thing = member.Elem()
			seen[thing] = true
		}
		if row.Columns() == "" {
			continue
		}
		for column := range strings.SplitSeq(row.Columns(), ",") {
			path, _, _ := strings.Cut(column, "=")
			if !hasPath(c.Compile(thing), path) {
				t.Errorf("%s: %s has no %s", row.Name, thing, path)
			}
		}
	}
	for thing := range presentations {
		if !seen[thing] {
			t.Errorf("no row answers %s", thing)
		}
	}
}

// hasPath reports whether s has the member at a dotted path, in which a number is an index.
func hasPath(s *Schema, path string) bool {
	for name := range strings.SplitSeq(path, ".") {
		if _, err := strconv.Atoi(name); err == nil && s.Kind == KindArray {
			s = s.Items
			continue
		}
		f, ok := s.Field(name)
		if !ok {
			return false
		}
		s = f.Schema
	}
	return true
}
