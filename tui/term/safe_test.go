package term

import "testing"

func TestSanitize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext": "plain\n\ttext", "\x1b[31mred\x1b[0m": "red", "\x1b]0;title\x07x": "x", "a\x00b\x7fc\u0085d": "abcd",
		"\u202eabc\u2066": "abc", "\xff": "\uFFFD", "\x1b]52;c;aGk=\x1b\\x": "x", "🛠️ é 电": "🛠️ é 电", "a\rb": "ab",
	} {
		if got := Sanitize(in); got != want {
			t.Errorf("Sanitize(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Line("a\r\nb\nc\td\u2028e"); got != "ab c    d e" && got != "a b c    d e" {
		t.Errorf("Line: %q", got)
	}
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"a", "\x1b[31m", "\x1b]0;x", "\x9b31m", "\u202e", "\xff\x1b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range Line(Sanitize(s)) {
			if IsUnsafe(r) || r == '\n' || r == '\t' {
				t.Errorf("%q is left of %q", r, s)
			}
		}
	})
}
