package content

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ markdown, title, description string }{
		"empty":               {"", "", ""},
		"no heading":          {"text\n", "", ""},
		"heading":             {"text\n\n## A *b* [c](d) `e` ![f](g) &amp; \\# h ##\n", "A b c e f & # h", ""},
		"setext":              {"A\nb\n===\n", "A b", ""},
		"first of several":    {"# A\n\n# B\n", "A", ""},
		"empty heading":       {"#\n\n# B\n", "B", ""},
		"HTML":                {"# <a id=\"x\"></a>A <b>b</b>\n", "A b", ""},
		"heading in code":     {"```\n# no\n```\n\n# yes\n", "yes", ""},
		"entity in code span": {"# `a&amp;b`\n", "a&amp;b", ""},
		"front matter": {
			"---\ntitle: \"A: b\"\ndescription: >-\n  folded\n  text\n---\n# B\n", "A: b", "folded text",
		},
		"byte order mark":              {"\ufeff---\ntitle: A\n---\n", "A", ""},
		"BOM and heading":              {"\ufeff# A\n", "A", ""},
		"CRLF":                         {"---\r\ntitle: A\r\ndescription: B\r\n---\r\n", "A", "B"},
		"number":                       {"---\ntitle: 2024\n---\n", "2024", ""},
		"null":                         {"---\ntitle:\n---\n# B\n", "B", ""},
		"nested key":                   {"---\nmeta:\n  title: no\n---\n# B\n", "B", ""},
		"longer key":                   {"---\ntitles: no\n---\n# B\n", "B", ""},
		"quoted key":                   {"---\n\"title\": A\n---\n", "A", ""},
		"invalid value of another key": {"---\nx: [\ntitle: A\n---\n", "A", ""},
		"invalid value":                {"---\ntitle: [a\n---\n# B\n", "B", ""},
		"a map":                        {"---\ntitle: {a: b}\n---\n# B\n", "B", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Title([]byte(test.markdown)); got != test.title {
				t.Errorf("Title %q, want %q", got, test.title)
			}
			if got := Description([]byte(test.markdown)); got != test.description {
				t.Errorf("Description %q, want %q", got, test.description)
			}
		})
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"Getting Started":         "getting-started",
		"  Größe & Übermaß ":      "grosse-and-ubermass",
		"Привет":                  "privet",
		"日本":                      "ri-ben",
		"":                        "page",
		"!!!":                     "page",
		"📘":                       "page",
		"snake_case__name":        "snake-case-name",
		"a/b\\c":                  "a-b-c",
		strings.Repeat("ab ", 50): strings.TrimSuffix(strings.Repeat("ab-", 33), "-"),
		strings.Repeat("x", 150):  strings.Repeat("x", 100),
	}
	for title, want := range tests {
		if got := Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

// TestPlainTextOfProse checks that text without markup is the same with and without parsing.
func TestPlainTextOfProse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		markdown := []byte(rapid.StringMatching(`[ \n]{0,3}([A-Za-z0-9äß."'(),;/+$%^-]{1,8}[ \n]{1,2}){0,9}`).Draw(r, "text"))
		if got, want := plainText(markdown), parsedText(markdown); got != want {
			r.Fatalf("%q is %q, parsed %q", markdown, got, want)
		}
	})
}
