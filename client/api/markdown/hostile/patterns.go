package hostile

import (
	"bytes"
	"fmt"
	"strings"
)

// Pattern is a kind of adversarial text of any size.
type Pattern struct {
	Name string
	Text func(size int) []byte // returns about size bytes, never more
}

// Patterns returns all patterns. They are deterministic.
func Patterns() []Pattern {
	list := []Pattern{
		{"table of many columns", wideTable},
		{"table of many columns and empty rows", emptyRows},
		{"list of blank lines", func(n int) []byte { return repeatAfter("- - - - - - - - - - - - - - - - a\n", "\n", n) }},
		{"deep list of blank lines", func(n int) []byte { return repeatAfter(strings.Repeat("- ", 100)+"a\n", "\n", n) }},
		{"deep quote of lines", func(n int) []byte { return repeat(strings.Repeat(">", 50)+"a\n", n) }},
		{"backticks of every length", runs("`", " ")},
		{"backticks of every length by lines", runs("`", "\na\n")},
		{"stars of every length", runs("*", " a")},
		{"list of growing indent", staircase},
		{"open brackets, then closed ones", func(n int) []byte { return halves("[", "]", n) }},
		{"open images, then links", func(n int) []byte { return halves("![", "](a)", n) }},
		{"stars that open, underscores that close", func(n int) []byte { return halves("*a ", "b_ ", n) }},
		{"parentheses in a destination", func(n int) []byte { return halves("[a](", "(", n) }},
		{"definitions, then uses", func(n int) []byte { return halves("[a]: b\n", "[a] ", n) }},
		{"definitions by number", definitions},
		{"headings by number", func(n int) []byte { return repeatNumbered("# a%d\n", n) }},
		{"variables by number", func(n int) []byte { return repeatNumbered("{{ space.vars.a%d }} ", n) }},
		{"includes by number", func(n int) []byte { return repeatNumbered("{%% include \"reusable:a%d\" %%}\n", n) }},
		{"tags by number", func(n int) []byte { return repeatNumbered("{%% a%d %%}b\n\n", n) }},
		{"front matter that nests", func(n int) []byte { return repeatBetween("---\ntitle: ", "[", "\n---\na\n", n) }},
		{"front matter of aliases", func(n int) []byte { return repeatBetween("---\na: &a [b]\n", "c: [*a,*a,*a,*a]\n", "---\na\n", n) }},
		{"front matter of keys", func(n int) []byte { return repeatBetween("---\n", "title: a\n", "---\na\n", n) }},
		{"containers in each other", func(n int) []byte { return halves("{% hint %}\n", "{% endhint %}\n", n) }},
		{"one word", func(n int) []byte { return repeat("a", n) }},
		{"one line of words", func(n int) []byte { return repeat("word ", n) }},
		{"code of many lines", func(n int) []byte { return repeatAfter("```\n", "a\n", n) }},
		{"HTML of many attributes", func(n int) []byte { return repeatAfter("<a ", "b=c ", n) }},
		{"HTML that never ends", func(n int) []byte { return repeatAfter("a <!--", "a\n", n) }},
		{"link text of code", func(n int) []byte { return repeatAfter("[", "`a` ", n) }},
		{"two stars and one", func(n int) []byte { return halves("**a *b ", "c** ", n) }},
	}
	for _, unit := range units {
		list = append(list, Pattern{fmt.Sprintf("%q", unit), func(n int) []byte { return repeat(unit, n) }})
	}
	return list
}

// units are repeated up to the size of a text.
var units = []string{
	">", "- ", "[", "![", "![[", "[a](", "[a](<", "[a](\"\n", "[a][", "[a]: ", "[a]: b\n", "[^1]: a\n", "[^1] ", "[x]\n", "[]()", "[a](b)",
	"*", "**a ", "_a", "*a_ ", "a**b", "*_", "~a", "~~a ", "`", "``a`", "<", "<a ", "<a b='", "<!--", "<?", "<div>\n", "</", "<b>", "&",
	"&amp;", "\\", "\\\n",
	"|", "|-", "| a |\n|-|\n", "a|b\n-|-\n", "`a\\|b`|", "\t", "\n", "1. ", "#", "# a\n", "a\n=\n", "a\n---\n", "~~~\n", "a\n", "- a\n\n",
	"  - a\n", "> > - a\n",
	"http://a ", "www.a.b/", "a@b.c ", "a@", "(", "{% a %}\n", "{% a %}b\n\n", "{{ space.vars.a }}", "{% include \"reusable:a\" %}\n",
	"\u00a0", "。", "a  \n", "![a](b)\n\n",
	"<ul><li>", "<table><tr><td>", "<b><p>", "<blockquote>", "<pre>a", "- [ ] ", "[a]\n(b)\n", "***\n", "    a\n\n", "- a\n  > b\n",
}

func repeat(unit string, size int) []byte { return bytes.Repeat([]byte(unit), size/len(unit)) }

func repeatAfter(start, unit string, size int) []byte {
	return append([]byte(start), repeat(unit, max(size-len(start), 0))...)
}

func repeatBetween(start, unit, end string, size int) []byte {
	return append(repeatAfter(start, unit, size-len(end)), end...)
}

func halves(first, second string, size int) []byte {
	times := size / (len(first) + len(second))
	return append(bytes.Repeat([]byte(first), times), bytes.Repeat([]byte(second), times)...)
}

func repeatNumbered(format string, size int) []byte {
	var out []byte
	for i := 0; ; i++ {
		line := fmt.Appendf(nil, format, i)
		if len(out)+len(line) > size {
			return out
		}
		out = append(out, line...)
	}
}

func definitions(size int) []byte {
	return append(repeatNumbered("[a%[1]d]: /b\n", size/2), repeatNumbered("[a%d] ", size/2)...)
}

// runs returns a generator of runs of char, each one longer than the one before.
func runs(char, between string) func(int) []byte {
	return func(size int) []byte {
		var out []byte
		for i := 1; len(out)+i+len(between) <= size; i++ {
			out = append(append(out, strings.Repeat(char, i)...), between...)
		}
		return out
	}
}

func staircase(size int) []byte {
	var out []byte
	for i := 0; len(out)+2*i+4 <= size; i++ {
		out = append(append(out, strings.Repeat("  ", i)...), "- a\n"...)
	}
	return out
}

func wideTable(size int) []byte {
	columns := min(10_000, size/20)
	head := strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n"
	return repeatAfter(head, strings.Repeat("|b", columns)+"\n", size)
}

// emptyRows returns a table whose rows lack nearly all of their cells.
func emptyRows(size int) []byte {
	columns := size / 8
	head := strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n"
	return repeatAfter(head, "|\n", size)
}
