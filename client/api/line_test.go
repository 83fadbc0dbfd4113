package api

import (
	"strings"
	"testing"
)

// TestCheckAndCleanLine checks that CheckLine and CleanLine agree on invalid characters and accept the formatting characters
// that some scripts need.
func TestCheckAndCleanLine(t *testing.T) {
	t.Parallel()
	for text, clean := range map[string]string{
		"":      "",
		"Title": "Title",
		"a\u200db \u200c \u200e \u200f \u061c 👨\u200d👩\u200d👧": "", // "" means unchanged
		"\u2067\u05d0\u2069 b":              "",
		"\u202bא\u202c":                     "",
		"\u2066\u202aa\u202c\u2069":         "",
		"\u2066\u202aa\u2069":               "", // the end of the isolate ends the embedding inside
		"a\u0080b\u009fc":                   "abc",
		"a\u202eb":                          "ab",
		"a\u202db\u202c":                    "ab",
		"a\u2067b":                          "ab",
		"\u2066\u2066a\u2069":               "\u2066a\u2069",
		"a\u202a":                           "a",
		"\u202c":                            "-",
		"a\u2069b":                          "ab",
		"\u202aa\u2069":                     "a",
		"a\u202a\u2066b\u202c\u2069c\u202c": "a\u202a\u2066b\u2069c\u202c",
	} {
		switch clean {
		case "":
			clean = text
		case "-":
			clean = ""
		}
		wrong := CheckLine("title", text)
		if clean == text && len(wrong) > 0 || clean != text && (len(wrong) != 1 || wrong[0].Path != "title") {
			t.Errorf("%q: %v", text, wrong)
		}
		if got := CleanLine(text); got != clean {
			t.Errorf("%q is cleaned to %q, want %q", text, got, clean)
		}
		if again := CheckLine("title", CleanLine(text)); len(again) > 0 {
			t.Errorf("%q is not clean after cleaning: %v", text, again)
		}
	}
	if got := CleanLine("a\nb\tc\x7f"); got != "a b c " {
		t.Errorf("control characters: %q", got)
	}
}

// TestCheckAcceptsStoredLines checks that the single-line texts of a body are checked unless they are already stored, and that
// multi-line texts are not checked.
func TestCheckAcceptsStoredLines(t *testing.T) {
	t.Parallel()
	schema := schemaFor[checkedType]()
	isStored := func(text string) bool { return text == "a\u202eb" }
	for body, refused := range map[string]bool{
		`{"title":"a\u202eb"}`: false, `{"title":"\u202e"}`: true, `{"title":"a\u0085"}`: true,
		`{"title":"a","text":"a\u202e\u0085"}`: false, `{"title":"a","tags":["\u2066"]}`: true,
		`{"title":"a","names":{"x":"\u202d"}}`: true,
	} {
		if _, err := Check([]byte(body), schema, DefaultLimits(), isStored, nil); (err != nil) != refused {
			t.Errorf("%s: %v", body, err)
		}
	}
	if _, err := Check([]byte(`{"title":"a\u202eb"}`), schema, DefaultLimits(), nil, nil); err == nil ||
		!strings.Contains(err.Error(), "U+202E at byte 1") {
		t.Errorf("where nothing is stored: %v", err)
	}
}
