package folder

import "testing"

func TestAddParagraphs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, here, known, want string }{
		"pulled":         {"a\n\nb\n", "a\n\nx\n\nb\n", "x\n", "a\n\nx\n\nb\n"},
		"own":            {"a\n\nb\n", "a\n\nx\n\nb\n", "a\n", "a\n\nb\n"},
		"before all":     {"a\n", "x\n\na\n", "x\n", "x\n\na\n"},
		"deleted since":  {"a\n\nb\n", "a\n", "b\n", "a\n\nb\n"},
		"several":        {"a\n\nb", "a\n\nx\n\ny\n\nb\n\nz\n", "z\n\nx\n\ny\n", "a\n\nx\n\ny\n\nb\n\nz"},
		"moved stays":    {"a\n\nb\n", "b\n\na\n", "a\n\nb\n", "a\n\nb\n"},
		"nothing before": {"", "x\n", "x\n", "x"},
	} {
		if got := string(addParagraphs([]byte(c.text), []byte(c.here), []byte(c.known))); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
