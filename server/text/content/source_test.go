package content

import "testing"

// TestSourceIsNotWritten checks that no function writes over the byte after a text, which may be part of a longer one.
func TestSourceIsNotWritten(t *testing.T) {
	t.Parallel()
	functions := map[string]func([]byte){
		"Blocks":          func(text []byte) { Blocks(text) },
		"Definitions":     func(text []byte) { Definitions(text) },
		"Expressions":     func(text []byte) { Expressions(text) },
		"Links":           func(text []byte) { Links(text) },
		"LiteralSpans":    func(text []byte) { LiteralSpans(text) },
		"Marks":           func(text []byte) { Marks(text) },
		"MaskExpressions": func(text []byte) { MaskExpressions(text) },
		"Parse":           func(text []byte) { _, _ = Parse("p", text, Text{}) },
		"ParseOutline":    func(text []byte) { ParseOutline(text) },
		"Pieces":          func(text []byte) { Pieces(text) },
		"Sections":        func(text []byte) { Sections(text) },
		"TagLinks":        func(text []byte) { TagLinks(text) },
		"Title":           func(text []byte) { Title(text) },
		"UndefinedLabels": func(text []byte) { UndefinedLabels(text) },
	}
	for name, call := range functions {
		for _, source := range []string{"# A\n\n~~~\n- ", "```go\nx", "a\n\n    code", "> ~~~\n> a", "- ```\n  b", "\ta", "---\na: b"} {
			whole := []byte(source + "item")
			call(whole[:len(source)])
			if string(whole) != source+"item" {
				t.Errorf("%s: %q became %q", name, source+"item", whole)
			}
		}
	}
}
