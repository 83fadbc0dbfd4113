package writeback

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/client/api/markdown"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
)

// attribute returns an attribute of a tag.
func attribute(name, value string) string {
	value = html.EscapeString(value)
	for _, e := range [][2]string{
		{"\n", "&#10;"},
		{"\r", "&#13;"},
		{"\t", "&#9;"},
		{"%}", "&#37;}"},
		{"{%", "{&#37;"},
		{"{{", "{&#123;"},
		{"$$", "$&#36;"},
		{"&#39;", "'"},
	} {
		value = strings.ReplaceAll(value, e[0], e[1])
	}
	return " " + name + `="` + value + `"`
}

// dataAttribute returns a data member as an attribute, or "" if it is absent or has its default value.
func (p *printer) dataAttribute(name string, value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return attribute(name, v)
	case bool:
		if !v {
			return ""
		}
		return attribute(name, "true")
	case float64:
		return attribute(name, strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		values := make([]string, len(v))
		for i, one := range v {
			values[i] = fmt.Sprint(one)
		}
		return attribute(name, strings.Join(values, ","))
	}
	data, err := json.Marshal(value)
	if err != nil {
		return p.refuse(name, "is not JSON")
	}
	return attribute(name, string(data))
}

// lineContext is the context of a line, which determines the escaping.
type lineContext struct {
	block   bool // the line begins a Markdown block
	heading bool
	cell    bool // the line is in a cell of a Markdown table
	html    bool // the line is in an HTML element
	link    bool // the line is in the text of a link
}

// inlines writes the content of a block in one line.
func (p *printer) inlines(nodes []api.DocumentNode, path string, at lineContext) string {
	line := lineWriter{p: p, context: at}
	for i, n := range nodes {
		line.next = leadingRune(nodes[i+1:])
		line.node(n, fmt.Sprintf("%s[%d]", path, i))
	}
	return line.end()
}

// leadingRune returns the first character of nodes: a space without nodes, a bracket for inlines, and a letter for text
// with marks, whose first character is not yet known.
func leadingRune(nodes []api.DocumentNode) rune {
	if len(nodes) == 0 {
		return ' '
	}
	if nodes[0].Object != "text" {
		return '['
	}
	leaves := mergeLeaves(nodes[0].Leaves)
	if len(leaves) == 0 {
		return leadingRune(nodes[1:])
	}
	return leafLeadingRune(leaves[0])
}

func leafLeadingRune(l api.DocumentLeaf) rune {
	first, _ := utf8.DecodeRuneInString(l.Text)
	if len(l.Marks) > 0 {
		return 'a'
	}
	return first
}

// lineWriter writes one line.
type lineWriter struct {
	p       *printer
	context lineContext
	out     strings.Builder
	pending string // unescaped text: the escaping depends on the adjacent text
	next    rune   // first character after the current node
}

func (w *lineWriter) node(n api.DocumentNode, path string) {
	switch n.Object {
	case "text":
		following, leaves := w.next, mergeLeaves(n.Leaves)
		for i, l := range leaves {
			if w.next = following; i+1 < len(leaves) {
				w.next = leafLeadingRune(leaves[i+1])
			}
			w.leaf(l, path)
		}
	case "inline":
		w.flush()
		w.out.WriteString(w.inline(n, path))
	default:
		w.p.refuse(path+".object", "must be text or inline here")
	}
}

// mergeLeaves joins leaves with the same marks and removes empty ones.
func mergeLeaves(leaves []api.DocumentLeaf) []api.DocumentLeaf {
	var all []api.DocumentLeaf
	for _, l := range leaves {
		if l.Text == "" {
			continue
		}
		if last := len(all) - 1; last >= 0 && sameMarks(all[last].Marks, l.Marks) {
			all[last].Text += l.Text
			continue
		}
		all = append(all, l)
	}
	return all
}

func sameMarks(a, b []api.DocumentMark) bool {
	if len(a) != len(b) {
		return false
	}
	for _, m := range a {
		if !slices.Contains(b, m) {
			return false
		}
	}
	return true
}

// markTags maps marks to HTML tags.
var markTags = map[string]string{
	"bold": "strong", "italic": "em", "code": "code", "keyboard": "kbd", "strikethrough": "del", "superscript": "sup", "subscript": "sub",
	"color": "mark",
}

// markDelimiters maps marks to Markdown delimiters.
var markDelimiters = map[string]string{"bold": "**", "italic": "*", "strikethrough": "~~"}

// leaf writes a leaf with its marks.
func (w *lineWriter) leaf(l api.DocumentLeaf, path string) {
	if len(l.Marks) == 0 {
		w.pending += l.Text
		return
	}
	w.flush()
	for _, m := range l.Marks {
		if markTags[m.Type] == "" || m.Object != "mark" {
			w.p.refuse(path, "has a mark of type %q, which is not one", m.Type)
			return
		}
	}
	open, end := "", ""
	text := w.escape(l.Text)
	ticks := slices.Contains(l.Marks, documents.Mark("code")) && isPlainCode(l.Text) && !w.context.html &&
		!strings.HasSuffix(w.out.String(), "`") &&
		(!w.context.cell || !strings.Contains(l.Text, "|"))
	if ticks {
		text = "`" + l.Text + "`"
	}
	for _, m := range l.Marks {
		if m.Type == "code" && ticks {
			continue
		}
		tag := markTags[m.Type]
		style := ""
		if m.Type == "color" {
			style = colorStyle(m.Data)
		}
		if sign := markDelimiters[m.Type]; sign != "" && len(l.Marks) == 1 && !w.context.html && w.canDelimit(l.Text) {
			open, end = open+sign, sign+end
			continue
		}
		open, end = open+"<"+tag+style+">", "</"+tag+">"+end
	}
	w.out.WriteString(open + text + end)
}

func colorStyle(c api.DocumentColor) string {
	style := "color:" + c.Text + ";"
	if c.Background != "" && c.Background != "default" {
		style += "background-color:" + c.Background + ";"
	}
	return attribute("style", style)
}

// isPlainCode reports whether text between two backticks is read unchanged.
func isPlainCode(s string) bool {
	return s != "" && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "`\n\r\t\x00") && !strings.Contains(s, "$$")
}

// canDelimit reports whether text may be enclosed in Markdown delimiters: no word precedes it, and it ends with a
// letter or a digit, or with punctuation that no word follows.
func (w *lineWriter) canDelimit(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	before, _ := utf8.DecodeLastRuneInString(w.out.String())
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	begins := word(first) || strings.ContainsRune(`("'`, first)
	ends := word(last) || strings.ContainsRune(`.,:;?!)"'`, last) && strings.ContainsRune(" .,:;?!)([", w.next)
	return begins && ends && (w.out.Len() == 0 || before == ' ') && !strings.Contains(s, "\n")
}

// end flushes the pending text and returns the line. A space at its start or end is escaped and, if the line begins a block,
// the syntax at its start, too.
func (w *lineWriter) end() string {
	w.flush()
	line := w.out.String()
	if strings.HasPrefix(line, " ") {
		line = "&#32;" + line[1:]
	}
	if strings.HasSuffix(line, " ") {
		line = line[:len(line)-1] + "&#32;"
	}
	if w.context.block {
		line = escapeLineStart(line)
	}
	if w.context.heading && strings.HasSuffix(line, "#") {
		line = line[:len(line)-1] + "&#35;"
	}
	if _, id := markdown.CutHeadingID(line); w.context.heading && id != "" {
		line = line[:len(line)-1] + "&#125;"
	}
	return line
}

func (w *lineWriter) flush() {
	w.out.WriteString(w.escape(w.pending))
	w.pending = ""
}

// addressPattern matches text that the parser turns into a link without link syntax.
var addressPattern = regexp.MustCompile(`(?i)(https?|ftp)(:)|www(\.)|(@)`)

// escape returns text with its Markdown syntax and the addresses that would become links escaped, so that it is read as plain
// text.
func (w *lineWriter) escape(s string) string {
	var out strings.Builder
	at := 0
	for _, v := range addressPattern.FindAllStringSubmatchIndex(s, -1) {
		sign := max(v[4], v[6], v[8])
		out.WriteString(w.escapePunctuation(s[at:sign]))
		fmt.Fprintf(&out, "&#%d;", s[sign])
		at = sign + 1
	}
	out.WriteString(w.escapePunctuation(s[at:]))
	return out.String()
}

// escapePunctuation escapes the Markdown punctuation in text.
func (w *lineWriter) escapePunctuation(s string) string {
	var out strings.Builder
	previous := rune(' ')
	for i, r := range s {
		next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(max(r, 0)):])
		switch {
		case r == '\n':
			out.WriteString("<br>")
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&out, "&#%d;", r)
		case r == ' ' && (previous == ' ' && i > 0 || previous == '\n') || r != ' ' && unicode.IsSpace(r):
			fmt.Fprintf(&out, "&#%d;", r)
		case r == '<' || r == '>' || r == '&' && (next == '#' || unicode.IsLetter(next) || i == len(s)-1):
			out.WriteString(map[rune]string{'<': "&lt;", '>': "&gt;", '&': "&amp;"}[r])
		case w.isSpecial(r, previous, next, i == len(s)-1):
			if w.context.html {
				fmt.Fprintf(&out, "&#%d;", r)
			} else {
				out.WriteByte('\\')
				out.WriteRune(r)
			}
		default:
			out.WriteRune(r)
		}
		previous = r
	}
	return out.String()
}

// isSpecial reports whether a character could be read as markup.
func (w *lineWriter) isSpecial(r, previous, next rune, last bool) bool {
	switch r {
	case '\\', '`', '*', '[', ']', '~':
		return true
	case '_':
		word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
		return !word(previous) || !word(next) || last
	case '$':
		return next == '$' || previous == '$' || last
	case '{':
		return next == '{' || next == '%' || last || previous == '{'
	case '!':
		return next == '[' || last
	case '|':
		return true
	}
	return false
}

// lineStarts matches a line beginning that would start a block other than a paragraph.
var lineStarts = regexp.MustCompile(`^(#{1,6}(?:[ \t]|$)|[-+](?:[ \t]|$)|[-=_](?:[-=_ \t]*)$|([0-9]{1,9})([.)])(?:[ \t]|$)|:)`)

// escapeLineStart escapes the beginning of a line so that it is read as a paragraph.
func escapeLineStart(line string) string {
	m := lineStarts.FindStringSubmatchIndex(line)
	switch {
	case m == nil:
		return line
	case m[6] >= 0:
		return line[:m[6]] + `\` + line[m[6]:]
	}
	return `\` + line
}

// inline returns an inline node as Markdown or HTML.
func (w *lineWriter) inline(n api.DocumentNode, path string) string {
	switch n.Type {
	case "link":
		return w.link(n, path)
	case "inline-image":
		return w.image(n, path)
	case "expression":
		expression := stringData(n, "expression")
		if line := "{{ " + expression + " }}"; len(content.Variables(line)) == 1 && content.Variables(line)[0][1] == len(line) &&
			strings.TrimSpace(expression) == expression {
			return line
		}
		return `<code class="expression">` + (&lineWriter{p: w.p, context: lineContext{html: true}}).escape(expression) + "</code>"
	case "inline-math":
		return w.formula(n, path)
	case "emoji":
		return "<span" + attribute("data-emoji", stringData(n, "code")) + ">" + emojiOf(stringData(n, "code")) + "</span>"
	case "icon":
		return "<i" + attribute("class", "fa-"+stringData(n, "icon")) + "></i>"
	case "mention":
		return "[](" + w.destination(n, path) + ` "` + documents.MentionTitle + `")`
	case "button":
		attributes := attribute("href", w.address(n, path)) + attribute("class", "button "+stringData(n, "kind"))
		if icon := stringData(n, "icon"); icon != "" {
			attributes += attribute("data-icon", icon)
		}
		return "<a" + attributes + ">" + (&lineWriter{p: w.p, context: lineContext{html: true}}).escape(stringData(n, "label")) + "</a>"
	case "annotation":
		return w.annotation(n, path)
	}
	return w.p.refuse(path+".type", "is not a type of inline")
}

// emojiOf returns the emoji of a code.
func emojiOf(code string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(code, "-") {
		if r, err := strconv.ParseInt(part, 16, 32); err == nil && r > 0x7f && utf8.ValidRune(rune(r)) {
			out.WriteRune(rune(r))
		}
	}
	return out.String()
}

func (w *lineWriter) formula(n api.DocumentNode, path string) string {
	formula := stringData(n, "formula")
	if formula == "" || strings.ContainsAny(formula, "$\n\r") || strings.TrimSpace(formula) != formula || strings.HasSuffix(formula, `\`) {
		return w.p.refuse(path+".data.formula", "must be one line without $ and without spaces around it")
	}
	if strings.HasSuffix(w.out.String(), "$") || strings.HasSuffix(w.out.String(), `\`) {
		return "<!-- -->$$" + formula + "$$"
	}
	return "$$" + formula + "$$"
}

func (w *lineWriter) address(n api.DocumentNode, path string) string {
	ref, _ := n.Data["ref"].(map[string]any)
	to := documents.Destination(ref)
	if to == "" {
		w.p.refuse(path+".data.ref", "does not say what it leads to in a form that Markdown has")
	}
	return to
}

// destination returns the destination in the parentheses of a link.
func (w *lineWriter) destination(n api.DocumentNode, path string) string {
	to := w.address(n, path)
	plain := true
	for _, r := range to {
		plain = plain && r > ' ' && r != 0x7f && !strings.ContainsRune("()<>\\&`[]|$", r)
	}
	if plain {
		return to
	}
	var out strings.Builder
	out.WriteByte('<')
	for _, r := range to {
		switch {
		case r < ' ' || r == 0x7f || strings.ContainsRune("<>\\&|$`", r):
			fmt.Fprintf(&out, "&#%d;", r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('>')
	return out.String()
}

// link writes a link, or an autolink if its text equals the destination.
func (w *lineWriter) link(n api.DocumentNode, path string) string {
	ref, _ := n.Data["ref"].(map[string]any)
	if url, _ := ref["url"].(string); len(n.Nodes) == 1 && len(n.Nodes[0].Leaves) == 1 && len(n.Nodes[0].Leaves[0].Marks) == 0 &&
		n.Nodes[0].Leaves[0].Text == url && autolinkPattern.MatchString(url) && !w.context.html {
		return "<" + url + ">"
	}
	inside := lineContext{link: true, cell: w.context.cell, html: w.context.html}
	label := w.p.inlines(n.Nodes, path+".nodes", inside)
	if w.context.html {
		return "<a" + attribute("href", w.address(n, path)) + ">" + label + "</a>"
	}
	return "[" + label + "](" + w.destination(n, path) + ")"
}

// autolinkPattern matches a URL that may be written as an autolink.
var autolinkPattern = regexp.MustCompile(`^https?://[A-Za-z0-9./?=%#-]+$`)

func (w *lineWriter) image(n api.DocumentNode, path string) string {
	if stringData(n, "size") == "" && n.Data["refDark"] == nil && !w.context.html {
		label := (&lineWriter{p: w.p, context: lineContext{link: true, cell: w.context.cell}}).escape(stringData(n, "caption"))
		return "![" + strings.ReplaceAll(label, "<br>", "&#10;") + "](" + w.destination(n, path) + ")"
	}
	attributes := attribute("src", w.address(n, path)) + attribute("alt", stringData(n, "caption"))
	attributes += w.p.dataAttribute("data-size", n.Data["size"])
	return withDarkImage(n, "<img"+attributes+">")
}

// annotation writes an annotated text as an abbr element whose title is the body. A node without exactly one fragment is
// refused.
func (w *lineWriter) annotation(n api.DocumentNode, path string) string {
	if len(n.Fragments) != 1 {
		return w.p.refuse(path+".fragments", "must be one, the body")
	}
	body := w.p.blocks(n.Fragments[0].Nodes, path+".fragments[0].nodes", documents.MaxDepth-6)
	return "<abbr" + attribute("title", body) + ">" + w.p.inlines(n.Nodes, path+".nodes", lineContext{html: true}) + "</abbr>"
}
