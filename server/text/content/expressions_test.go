package content

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestEvaluate(t *testing.T) {
	t.Parallel()
	scope := Scope{
		Space: map[string]string{"product": "Lamp *2*", "other": "{{ space.vars.product }}"},
		Page:  map[string]string{"version-1": "1.2"},
		Reusable: map[string][]byte{
			"note":  []byte("---\ntitle: Note\n---\nA note for {{ space.vars.product }}.\n\nAnd more.\n"),
			"outer": []byte("Outer.\n\n{% include \"reusable:note\" %}\n"),
			"loop":  []byte("Round.\n{% include \"reusable:loop\" %}\n"),
			"empty": nil,
		},
	}
	for name, test := range map[string]struct{ text, want string }{
		"no expression": {"Plain *text*.\n", "Plain *text*.\n"},
		"variables":     {"# {{space.vars.product}}\n\nIs {{ page.vars.version-1 }}.", "# Lamp *2*\n\nIs 1.2."},
		"unknown variable": {
			"{{ space.vars.nope }} {{ page.vars.product }} {{ 1 + 1 }}", "{{ space.vars.nope }} {{ page.vars.product }} {{ 1 + 1 }}",
		},
		"value that contains an expression": {"{{ space.vars.other }}", "{{ space.vars.product }}"},
		"variable in a table":               {"| a |\n|---|\n| {{ page.vars.version-1 }} |\n", "| a |\n|---|\n| 1.2 |\n"},
		"variable in HTML":                  {"<b title=\"{{ page.vars.version-1 }}\">\n", "<b title=\"1.2\">\n"},
		"variable in code": {
			"`{{ page.vars.version-1 }}`\n\n    {{ page.vars.version-1 }}\n\n```\n{{ page.vars.version-1 }}\n```\n",
			"`{{ page.vars.version-1 }}`\n\n    {{ page.vars.version-1 }}\n\n```\n{{ page.vars.version-1 }}\n```\n",
		},
		"variable in front matter": {
			"---\na: {{ page.vars.version-1 }}\n---\n{{ page.vars.version-1 }}", "---\na: {{ page.vars.version-1 }}\n---\n1.2",
		},
		"include": {
			"Before.\n\n{% include \"reusable:note\" %}\n\nAfter.\n", "Before.\n\nA note for Lamp *2*.\n\nAnd more.\n\nAfter.\n",
		},
		"include before CRLF": {"{% include \"reusable:note\" %}\r\nAfter.\r\n", "A note for Lamp *2*.\n\nAnd more.\r\nAfter.\r\n"},
		"nested include":      {"{%include \"reusable:outer\"%}", "Outer.\n\nA note for Lamp *2*.\n\nAnd more."},
		"include in a list":   {"- a\n\n  {% include \"reusable:note\" %}\n", "- a\n\n  A note for Lamp *2*.\n\n  And more.\n"},
		"include twice": {
			"{% include \"reusable:note\" %}\n\n{% include \"reusable:note\" %}\n", "A note for Lamp *2*.\n\nAnd more.\n\n" +
				"A note for Lamp *2*.\n\nAnd more.\n",
		},
		"empty include":     {"a\n\n{% include \"reusable:empty\" %}\n", "a\n\n\n"},
		"recursive include": {"{% include \"reusable:loop\" %}\n", "Round.\n{% include \"reusable:loop\" %}\n"},
		"unknown include": {
			"{% include \"reusable:nope\" %}\n{% include \"note.md\" %}\n", "{% include \"reusable:nope\" %}\n{% include \"note.md\" %}\n",
		},
		"include within a line": {"See {% include \"reusable:note\" %}\n", "See {% include \"reusable:note\" %}\n"},
		"include in code": {
			"```\n{% include \"reusable:note\" %}\n```\n\n    {% include \"reusable:note\" %}\n", "```\n{% include \"reusable:note\" %}\n" +
				"```\n\n    {% include \"reusable:note\" %}\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := []byte(test.text)
			evaluated, _ := Evaluate(given, scope)
			if got := string(evaluated); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if string(given) != test.text {
				t.Errorf("the text itself was changed: %q", given)
			}
		})
	}
}

// TestEvaluateIsBounded checks that mutual includes do not grow a text without limit.
func TestEvaluateIsBounded(t *testing.T) {
	t.Parallel()
	twice := func(id string) []byte {
		return bytes.Repeat([]byte("{% include \"reusable:"+id+"\" %}\n\n"), 10)
	}
	scope := Scope{Reusable: map[string][]byte{}}
	for i := range 25 {
		scope.Reusable[string(rune('a'+i))] = twice(string(rune('a' + i + 1)))
	}
	scope.Reusable["z"] = []byte(strings.Repeat("word ", 1000))
	if got, _ := Evaluate(twice("a"), scope); len(got) > MaxTextBytes {
		t.Errorf("%d bytes", len(got))
	}
	deep := []byte(strings.Repeat(" ", 1<<19) + "{% include \"reusable:z\" %}")
	scope.Reusable["z"] = bytes.Repeat([]byte("- a\n"), 1000)
	if got, _ := Evaluate(slices.Concat([]byte("- a\n\n"), deep), scope); len(got) > MaxTextBytes {
		t.Errorf("%d bytes", len(got))
	}
}

func TestIncludes(t *testing.T) {
	t.Parallel()
	text := []byte("{% include \"reusable:a\" %}\n\n```\n{% include \"reusable:b\" %}\n```\n\n{% include \"reusable:c\" %}\n\n" +
		"{% include \"reusable:a\" %}\n")
	if got := Includes(text); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("includes %v", got)
	}
	got := RewriteIncludes(text, func(id string) (string, bool) { return "rc_1", id == "a" })
	want := strings.ReplaceAll(string(text), "reusable:a", "reusable:rc_1")
	if string(got) != want {
		t.Errorf("got %q", got)
	}
}

func TestExpressions(t *testing.T) {
	t.Parallel()
	text := "---\na: {{ space.vars.front }}\n---\n{{space.vars.a}} {{ page.vars.b }} `{{ page.vars.code }}`\n\n" +
		"  {%include \"reusable:rc_1\"%}\n\n{{ space.vars.a }} {{ other.vars.a }}\n"
	var got []string
	for _, e := range Expressions([]byte(text)) {
		if text[e.Start] != '{' {
			t.Errorf("%s does not begin at %d", e.Text, e.Start)
		}
		got = append(got, e.Scope+" "+e.Name+" "+e.Text)
	}
	want := []string{
		"space a {{ space.vars.a }}", "page b {{ page.vars.b }}", `reusable rc_1 {% include "reusable:rc_1" %}`,
		"space a {{ space.vars.a }}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
