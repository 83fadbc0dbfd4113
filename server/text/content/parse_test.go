package content

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parse parses or fails the test.
func parse(t testing.TB, markdown string, previous Text) Text {
	t.Helper()
	text, err := Parse("page", []byte(markdown), previous)
	if err != nil {
		t.Fatalf("Parse(%.40q): %v", markdown, err)
	}
	return text
}

// outline formats a text's blocks as "kind: first line".
func outline(text Text) []string {
	var lines []string
	for _, block := range text.Blocks {
		line, _, _ := strings.Cut(strings.TrimLeft(string(text.Bytes(block)), "\r\n"), "\n")
		lines = append(lines, block.Kind+": "+strings.TrimRight(line, "\r"))
	}
	return lines
}

func TestParseSplitsTopLevelBlocks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		markdown string
		want     []string
	}{
		"empty":                 {"", nil},
		"blank":                 {" \n\n", []string{"blank:  "}},
		"paragraphs":            {"\n\none\nstill one\n\n\ntwo", []string{"paragraph: one", "paragraph: two"}},
		"front matter":          {"---\ntitle: x\n---\n\n# H\n", []string{"frontmatter: ---", "heading: # H"}},
		"unclosed front matter": {"---\ntitle: x\n", []string{"rule: ---", "paragraph: title: x"}},
		"byte order mark":       {"\ufeff# H\n", []string{"heading: \ufeff# H"}},
		"items": {
			"- a\n  - nested\n- b\n\n  more\n1. c\n", []string{"item: - a", "item: - b", "item: 1. c"},
		},
		"empty item":     {"-\n- b\n", []string{"item: -", "item: - b"}},
		"fence":          {"```go\n# no\n\n- no\n```\nafter", []string{"code: ```go", "paragraph: after"}},
		"unclosed fence": {"~~~\nx\n\ny", []string{"code: ~~~"}},
		"table":          {"| a |\n|---|\n| b |\n\nx", []string{"table: | a |", "paragraph: x"}},
		"quote":          {"> a\nlazy\n\n> b", []string{"quote: > a", "quote: > b"}},
		"setext":         {"A\n===\nB\n---\n", []string{"heading: A", "heading: B"}},
		"definitions":    {"[a]: /a\n[b]: /b\n\nx", []string{"definition: [a]: /a", "definition: [b]: /b", "paragraph: x"}},
		"html":           {"<div>\nx\n</div>\n\ny", []string{"html: <div>", "paragraph: y"}},
		"indented code":  {"a\n\n    b\n\n\tc\n\nd", []string{"paragraph: a", "code:     b", "paragraph: d"}},
		"CRLF":           {"# H\r\n\r\na\r\nb\r\n\r\nc", []string{"heading: # H", "paragraph: a", "paragraph: c"}},
		"hint": {
			"a\n{% hint style=\"info\" %}\n\nb\n\n- c\n{% endhint %}\nd", []string{
				"paragraph: a", `hint: {% hint style="info" %}`, "paragraph: d",
			},
		},
		"nested tags": {
			"{% tabs %}\n{% tab title=\"x\" %}\n{% hint %}\n{% endhint %}\n{% endtab %}\n{% endtabs %}\n", []string{"tabs: {% tabs %}"},
		},
		"tag of unknown kind": {
			"{% content-ref url=\"x\" %}\n[x](x)\n{% endcontent-ref %}\n", []string{`container: {% content-ref url="x" %}`},
		},
		"unclosed tag": {
			"{% include \"x\" %}\n\n{% hint %}\na\n{% endhint %}\n", []string{`paragraph: {% include "x" %}`, "hint: {% hint %}"},
		},
		"tag after an unclosed one": {
			"{% embed %}\n\na\n\n{% embed %}\nb\n{% endembed %}\n", []string{
				"paragraph: {% embed %}", "paragraph: a", "container: {% embed %}",
			},
		},
		"missing end tag":   {"{% hint %}\n\na\n", []string{"paragraph: {% hint %}", "paragraph: a"}},
		"missing start tag": {"a\n\n{% endhint %}\n\nb", []string{"paragraph: a", "paragraph: {% endhint %}", "paragraph: b"}},
		"tags in a fence":   {"```\n{% hint %}\n```\n\n{% endhint %}\n", []string{"code: ```", "paragraph: {% endhint %}"}},
		"tags in an item":   {"- a\n  {% hint %}\n  b\n  {% endhint %}\n- c\n", []string{"item: - a", "item: - c"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := parse(t, test.markdown, Text{})
			if diff := cmp.Diff(test.want, outline(text)); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
			checkTable(t, text)
		})
	}
}

// checkTable checks the invariants of a table: no gaps, unique ids, kinds, hashes.
func checkTable(t testing.TB, text Text) {
	t.Helper()
	end, ids := 0, map[string]bool{}
	for i, block := range text.Blocks {
		if block.Start != end || block.End <= block.Start {
			t.Fatalf("block %d spans [%d,%d), want it to start at %d", i, block.Start, block.End, end)
		}
		if block.ID == "" || ids[block.ID] || block.Kind == "" || block.Hash == "" {
			t.Fatalf("block %d is incomplete or has a used id: %+v", i, block)
		}
		if found, ok := text.Blocks.Find(block.ID); !ok || !reflect.DeepEqual(found, block) {
			t.Fatalf("Find(%q) = %+v, %v", block.ID, found, ok)
		}
		end, ids[block.ID] = block.End, true
	}
	if end != len(text.Markdown) {
		t.Fatalf("blocks end at %d, text at %d", end, len(text.Markdown))
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		markdown string
		want     *TextError
	}{
		"valid text":       {"a\r\n\tü", nil},
		"at the limit":     {strings.Repeat("x", MaxTextBytes), nil},
		"beyond the limit": {strings.Repeat("x", MaxTextBytes+1), &TextError{ReasonTooLarge, MaxTextBytes, MaxTextBytes}},
		"NUL":              {"ab\x00c", &TextError{Reason: ReasonNUL, Offset: 2}},
		"not UTF-8":        {"a\ufffdb\xffc", &TextError{Reason: ReasonNotUTF8, Offset: 5}},
		"truncated UTF-8":  {"a\xe2\x82", &TextError{Reason: ReasonNotUTF8, Offset: 1}},
		"surrogate half":   {"\xed\xa0\x80", &TextError{Reason: ReasonNotUTF8, Offset: 0}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Check([]byte(test.markdown))
			var got *TextError
			if err != nil && (!errors.As(err, &got) || err.Error() == "") {
				t.Fatalf("Check: %v, want a *TextError", err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if _, parseErr := Parse("page", []byte(test.markdown), Text{}); (parseErr == nil) != (err == nil) {
				t.Errorf("Parse: %v, Check: %v", parseErr, err)
			}
		})
	}
}

func TestParseLimitsBlocks(t *testing.T) {
	t.Parallel()
	item := "- x\n"
	if got := len(parse(t, strings.Repeat(item, MaxBlocks), Text{}).Blocks); got != MaxBlocks {
		t.Errorf("%d blocks, want %d", got, MaxBlocks)
	}
	_, err := Parse("page", []byte(strings.Repeat(item, MaxBlocks+1)), Text{})
	want := &TextError{Reason: ReasonTooManyBlocks, Offset: MaxBlocks * len(item), Limit: MaxBlocks}
	var got *TextError
	if !errors.As(err, &got) || *got != *want {
		t.Errorf("error %v, want %v", err, want)
	}
}

// TestParseLimitsMarks checks that a text has at most MaxMarks marks, with line breaks counted twice.
func TestParseLimitsMarks(t *testing.T) {
	t.Parallel()
	for unit, marks := range map[string]int{"  a\n": 2, "|b": 1, "*c ": 1, "[d": 1} {
		most := []byte(strings.Repeat(unit, MaxMarks/marks))
		if _, err := Parse("page", most, Text{}); err != nil {
			t.Errorf("%q: %v", unit, err)
		}
		if got := Marks(most); got != MaxMarks {
			t.Errorf("%q: %d marks", unit, got)
		}
		_, err := Parse("page", append(most, "ab*"...), Text{})
		want := &TextError{Reason: ReasonTooManyMarks, Offset: len(most) + 2, Limit: MaxMarks}
		if got, ok := errors.AsType[*TextError](err); !ok || *got != *want {
			t.Errorf("%q: error %v, want %v", unit, err, want)
		}
	}
}

// TestParseIsNotQuadratic checks that a text designed to be expensive takes well below a second; quadratic work would
// take many.
func TestParseIsNotQuadratic(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{
		">", "> ", "- ", "[", "![", "[a](", "[a]: ", "*", "**a ", "_a", "`", "``` ", "<", "<a ", "<!--", "</", "|", "|-", "| a |\n|-|\n",
		"\t", " ", "\r", "\n",
		"{% a %}\n", "{% a %}\n{% endb %}\n", "1. ", "#", "~~~\n", "~", "&", "\\", "<div>\n", "a\n", "](", "[x]\n", "]", "![[", "[]()",
		"[a](<", "http://a ", "a@b.c ", ":", "(", "- a\n\n", "  - a\n", "---\n",
		"> > > - - - a\n", "[^1]: ", "<x a='", "<a href=x", "\u00a0", "。", "a. ",
	} {
		t.Run(fmt.Sprintf("%q", unit), func(t *testing.T) {
			t.Parallel()
			markdown := []byte(strings.Repeat(unit, MaxTextBytes/8/len(unit)))
			if text, err := Parse("page", markdown, Text{}); err == nil {
				checkTable(t, text)
			}
			Title(markdown)
			Links(markdown)
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "a", "a\r\n\r\nb", "a\rb", "\ufeff---\ntitle: x\n---\n# H", "- a\n- b\n\n1. c", "{% hint %}\nx\n{% endhint %}",
		"| a |\n|---|\n| b |", "```\nx", "> a\n> b", "[a]: /b\n\nc", "\t- a\n\t\tb", "<div>\n\n</div>", "A\n=\n", "[a]:\n/b\n'",
		" {% a %}\n{% enda %}\n",
	} {
		f.Add(seed, seed+"\n\nmore", "x\n\n"+seed)
	}
	f.Fuzz(func(t *testing.T, first, second, third string) {
		var text Text
		for _, markdown := range []string{first, second, third, first} {
			next, err := Parse("page", []byte(markdown), text)
			if err != nil {
				if Check([]byte(markdown)) == nil && !errors.As(err, new(*TextError)) {
					t.Fatal(err)
				}
				continue
			}
			checkTable(t, next)
			if string(next.Markdown) != markdown {
				t.Fatalf("text changed: %q, want %q", next.Markdown, markdown)
			}
			again, _ := Parse("page", []byte(markdown), next)
			if diff := cmp.Diff(next, again); diff != "" {
				t.Fatalf("parsing the same text again changed the table:\n%s", diff)
			}
			Title(next.Markdown)
			Description(next.Markdown)
			text = next
		}
	})
}

// page1MiB returns prose of nearly the maximum size with the given number of paragraphs.
func page1MiB(paragraphs int) []byte {
	var out bytes.Buffer
	words := MaxTextBytes/paragraphs/10 - 1
	for i := range paragraphs {
		for w := range words {
			fmt.Fprintf(&out, "word%05d ", (i*31+w*w)%99991)
		}
		out.WriteString("\n\n")
	}
	return out.Bytes()
}

func BenchmarkParse(b *testing.B) {
	for _, paragraphs := range []int{100, 10_000} {
		b.Run(fmt.Sprintf("1MiB/%d", paragraphs), func(b *testing.B) {
			markdown := page1MiB(paragraphs)
			previous, err := Parse("page", markdown, Text{})
			if err != nil {
				b.Fatal(err)
			}
			edited := bytes.ReplaceAll(markdown, []byte("word000"), []byte("edit000"))
			b.SetBytes(int64(len(markdown)))
			for b.Loop() {
				if _, err := Parse("page", edited, previous); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
