package main

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// TestJSONIsSafeOnTerminal checks that the JSON of objects and of lists is plain and escapes characters that act on a terminal.
func TestJSONIsSafeOnTerminal(t *testing.T) {
	t.Parallel()
	one := api.FieldError{Path: "R&D <x>", Message: "a\u009b\u202e"}
	const want = `{"path":"R&D <x>","message":"a\u009b\u202e"}`
	var b strings.Builder
	if err := writeJSON(&b, one); err != nil || b.String() != want+"\n" {
		t.Errorf("object %s (%v)", b.String(), err)
	}
	b.Reset()
	list := listWriter[api.FieldError]{out: &b, format: formatJSON}
	if err := list.write([]api.FieldError{one, one}); err != nil || b.String() != "["+want+",\n"+want {
		t.Errorf("list %s (%v)", b.String(), err)
	}
	if err := writeJSON(&b, func() {}); err == nil {
		t.Error("a function is written")
	}
}
