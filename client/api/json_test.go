package api

import (
	"encoding/json"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// TestPlainJSON checks which escapes become characters: not those whose backslash is escaped itself.
func TestPlainJSON(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		`{"a":1}`:                             `{"a":1}`,
		`"\u003cb\u003e \u0026 \u003C\u003E"`: `"<b> & <>"`,
		`"\\u003c"`:                           `"\\u003c"`,
		`"\\\u003c\n\u003c"`:                  `"\\<\n<"`,
		`"\u0022\u000a\u2028"`:                `"\u0022\u000a\u2028"`,
		`"\u003`:                              `"\u003`,
		`"\u003c\`:                            `"<\`,
	} {
		before := given
		if got := string(PlainJSON([]byte(given))); got != want || before != given {
			t.Errorf("%s became %s, want %s", given, got, want)
		}
	}
}

// TestShownJSONKeepsValue checks that plain JSON with escaped controls has the same value and no character that acts on a terminal.
func TestShownJSONKeepsValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		special := rapid.SampledFrom([]rune("<>&\\\"u003c\u009b\u202e\u2066\u061c\u007f"))
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), special)).Draw(t, "text")
		data, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		shown := EscapeControls(PlainJSON(data))
		var again string
		if err := json.Unmarshal(shown, &again); err != nil || again != text {
			t.Fatalf("%q became %s (%v)", text, shown, err)
		}
		for _, r := range string(shown) {
			if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
				t.Fatalf("%q is in %q", r, shown)
			}
		}
	})
}
