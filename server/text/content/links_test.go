package content

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// formatLinks formats a text's links as "source -> destination".
func formatLinks(markdown string) []string {
	var list []string
	for _, link := range Links([]byte(markdown)) {
		s := markdown[link.Start:link.End]
		if link.Destination != s {
			s += " -> " + link.Destination
		}
		if link.Image {
			s = "!" + s
		}
		list = append(list, s)
	}
	return list
}

func TestLinks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		markdown string
		want     []string
	}{
		"inline":        {`a [b](c "t") d [e](<f g> 't') [h](i(j)k)`, []string{"c", "f g", "i(j)k"}},
		"escaped":       {`[a](b\)c&amp;d) \[x](y)`, []string{`b\)c&amp;d -> b)c&d`}},
		"image in link": {`[![alt](pic.png)](page.md)`, []string{"!pic.png", "page.md"}},
		"empty":         {"[a]() [b](<>)", nil},
		"reference":     {"[a][b] [b]\n\n[b]: /dest (title)\n", []string{"/dest"}},
		"autolink": {
			"<https://a.b/c> https://d.e/f. www.g.h (https://i.j)", []string{"https://a.b/c", "https://d.e/f", "www.g.h", "https://i.j"},
		},
		"e-mail addresses": {"<a@b.cd> a@b.cd", nil},
		"code":             {"`[a](b)`\n\n```\n[c](d)\n```\n\n    [e](f)\n", nil},
		"front matter":     {"---\ncover: '[a](b)'\n---\n[c](d)\n", []string{"d"}},
		"html": {
			"x <a class=y HREF='p?a=1&amp;b=2' data-href=no>t</a> <img src=i.png/>", []string{"p?a=1&amp;b=2 -> p?a=1&b=2", "!i.png/"},
		},
		"html block":                 {"<div>\n<a href=\"x\">\n<!-- <a href=\"no\"> -->\n</div>\n", []string{"x"}},
		"script":                     {"<script>\nlet s = '<a href=\"no\">'\n</script>\n", nil},
		"table":                      {"| [a](b) | `[c](d)` |\n|---|---|\n| [e](f) | ![g](h) |\n", []string{"b", "f", "!h"}},
		"quote":                      {"> [a](\n> b) [c](d)\n", []string{"b", "d"}},
		"list with tabs":             {"-\t[a](b)\n\n\t[c](d)\n", []string{"b", "d"}},
		"container":                  {"{% hint %}\n[a](b)\n{% endhint %}\n", []string{"b"}},
		"CRLF":                       {"[a](b)\r\n[c](d)\r\n\r\n[e]: f\r\n", []string{"b", "d", "f"}},
		"unclosed":                   {"[a](b [c](d", nil},
		"byte order mark":            {"\ufeff[a](b)", []string{"b"}},
		"heading":                    {"# [a](b)\n\n[c](d)\n===\n", []string{"b", "d"}},
		"unicode":                    {"[ü](ö/ü.md)", []string{"ö/ü.md"}},
		"emphasis and strikethrough": {"**[a](b)** ~~[c](d)~~", []string{"b", "d"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, formatLinks(test.markdown)); diff != "" {
				t.Errorf("links (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRewriteLinks(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ markdown, to, want string }{
		"inline":              {"[a](b.md \"t\") `[a](b.md)` x", "/pages/1", "[a](/pages/1 \"t\") `[a](b.md)` x"},
		"angle brackets":      {"[a](<b c.md>)", "/pages/1", "[a](</pages/1>)"},
		"encoded destination": {"[a](b)", "c d(e)\"<>", "[a](c%20d%28e%29%22%3C%3E)"},
		"attribute":           {"<a href='b'>x</a>", "c'd", "<a href='c%27d'>x</a>"},
		"definition":          {"[a]\r\n\r\n[a]: b 't'", "c", "[a]\r\n\r\n[a]: c 't'"},
		"autolink unchanged":  {"<https://a.b> https://a.b", "/pages/1", "<https://a.b> https://a.b"},
		"autolink absolute":   {"<https://a.b> https://a.b", "https://c.d", "<https://c.d> https://c.d"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := RewriteLinks([]byte(test.markdown), func(Link) (string, bool) { return test.to, true })
			if string(got) != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func FuzzLinks(f *testing.F) {
	for _, seed := range []string{
		"[a](b)", "![a](<b c> 't')", "[a]: b", "<https://a.b>", "<a href=x>", "> [a](\n> b)", "-\t[a](b)", "| [a](b\\|c) |\n|-|\n",
		"[a](b\\)\n)",
		"[a]:\r\n <b>\r\n", "`[a](b)`", "www.a.b", "<img src='a\nb'>", "- [ ] [a](b)", "\ufeff[a](b", "<div\nhref=x>\n\n", "[[a](b)](c)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, markdown string) {
		if Check([]byte(markdown)) != nil {
			return
		}
		end := 0
		links := Links([]byte(markdown))
		for _, link := range links {
			if link.Start < end || link.End <= link.Start || link.End > len(markdown) {
				t.Fatalf("link spans [%d,%d) after %d of %d", link.Start, link.End, end, len(markdown))
			}
			end = link.End
		}
		same := RewriteLinks([]byte(markdown), func(Link) (string, bool) { return "", false })
		if string(same) != markdown {
			t.Fatalf("rewriting nothing gives %q, want %q", same, markdown)
		}
		// Check that everything but the destinations is unchanged.
		number := 0
		rewritten := RewriteLinks([]byte(markdown), func(link Link) (string, bool) {
			number++
			return fmt.Sprintf("/pages/%d", number), link.syntax != syntaxAutolink
		})
		if rest := removeSpans(markdown, links); removeNumbers(rewritten, links) != rest {
			t.Fatalf("rewriting %q gives %q", markdown, rewritten)
		}
	})
}

func removeSpans(markdown string, links []Link) string {
	var out strings.Builder
	from := 0
	for _, link := range links {
		if link.syntax != syntaxAutolink {
			out.WriteString(markdown[from:link.Start] + "|")
			from = link.End
		}
	}
	return out.String() + markdown[from:]
}

func removeNumbers(rewritten []byte, links []Link) string {
	var out strings.Builder
	for i, link := range links {
		if link.syntax == syntaxAutolink {
			continue
		}
		before, after, _ := bytes.Cut(rewritten, fmt.Appendf(nil, "/pages/%d", i+1))
		out.Write(before)
		out.WriteString("|")
		rewritten = after
	}
	return out.String() + string(rewritten)
}
