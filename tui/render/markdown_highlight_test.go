package render

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestHighlighterLine(t *testing.T) {
	t.Parallel()
	tones := map[Tone]string{Code: "", CodeKeyword: "k", CodeLiteral: "l", CodeComment: "r", CodeName: "n"}
	for _, c := range []struct{ language, source, want string }{
		{"sh", `curl -I "$URL" # now`, `curl n<-I> l<"$URL"> r<# now>`},
		{"sh", `if true; then echo $HOME; fi`, `k<if> true; k<then> echo n<$HOME>; k<fi>`},
		{"json", `{"a": "b", "n": 12, "t": true}`, `{n<"a">: l<"b">, n<"n">: l<12>, n<"t">: k<true>}`},
		{"yaml", "a-b: 'c' # d", "a-n<b>: l<'c'> r<# d>"},
		{"go", "func f() { /* a\nb */ return \"x\\\"y\" }", "k<func> f() { r</* a>\nr<b */> k<return> l<\"x\\\"y\"> }"},
		{"SQL title=x", "SELECT a FROM b -- c", "k<SELECT> a k<FROM> b r<-- c>"},
		{"python", "def f(): return None", "k<def> f(): k<return> k<None>"},
		{"go", `"not closed`, `l<"not closed>`},
		{"nobody knows", `if "x" # y`, `if "x" # y`},
	} {
		h := NewHighlighter(c.language)
		var got []string
		for line := range strings.SplitSeq(c.source, "\n") {
			var b strings.Builder
			for _, token := range h.Line(line) {
				if sign := tones[token.Tone]; sign != "" {
					b.WriteString(sign + "<" + token.Text + ">")
				} else {
					b.WriteString(token.Text)
				}
			}
			got = append(got, b.String())
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %s, want %s", c.language, strings.Join(got, "\n"), c.want)
		}
	}
}

func TestHighlighterKeepsText(t *testing.T) {
	t.Parallel()
	parts := []string{"a", "if", " ", "\"", "'", "\\", "/*", "*/", "//", "#", "$", "${", "}", "-x", "12", "é", "\xff", ":", "宽"}
	rapid.Check(t, func(t *rapid.T) {
		h := NewHighlighter(rapid.SampledFrom([]string{"go", "sh", "json", "yaml", "sql", "py", ""}).Draw(t, "language"))
		for range 3 {
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 20).Draw(t, "line"), "")
			var got strings.Builder
			for _, token := range h.Line(line) {
				got.WriteString(token.Text)
			}
			if got.String() != line {
				t.Fatalf("%q became %q", line, got.String())
			}
		}
	})
}
