package openapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// Limits of the content of a page about one object.
const (
	maxValue   = 200 // runes of a default, an example or similar value
	maxLeftOut = 10  // names in the sentence about omitted sections
	maxName    = 100 // runes of a name in that sentence
	// sentenceBytes is the size reserved for the sentence about omitted sections, in which every character may be escaped.
	sentenceBytes = 16 << 10
)

// budget is the number of bytes of Markdown that may still be generated for a document, including discarded ones.
type budget struct{ remaining int }

// text is a Markdown builder. Content beyond a limit is dropped and marks the text as full.
type text struct {
	*budget
	markdown            []byte
	blocks              int
	maxBytes, maxBlocks int // limits of markdown and blocks
	full                bool
}

// block adds one block of Markdown.
func (t *text) block(markdown string) { t.add(markdown, 1) }

func (t *text) add(markdown string, blocks int) {
	size := len(markdown) + len("\n\n")
	t.remaining -= size
	if t.full = t.full || t.remaining < 0 || len(t.markdown)+size > t.maxBytes || t.blocks+blocks > t.maxBlocks; t.full || markdown == "" {
		return
	}
	if len(t.markdown) > 0 {
		t.markdown = append(t.markdown, '\n')
	}
	t.markdown = append(append(t.markdown, markdown...), '\n')
	t.blocks += blocks
}

// sentinel is a paragraph that no document contains.
const sentinel = "a9d1c1f0e6"

// prose adds Markdown of the document unchanged, or as a code block if it could affect the following text or would parse
// differently at the top of a page: an open fence, comment or tag would include the following text.
func (t *text) prose(markdown string) {
	t.full = t.full || len(markdown) > t.maxBytes
	if t.full {
		return
	}
	markdown = strings.Trim(strings.ToValidUTF8(strings.ReplaceAll(markdown, "\x00", "\uFFFD"), "\uFFFD"), "\r\n")
	if strings.TrimSpace(markdown) == "" {
		return
	}
	parsed, err := content.Parse("", []byte(markdown+"\n\n"+sentinel), content.Text{})
	if err != nil {
		t.full = true
		return
	}
	last := parsed.Blocks[len(parsed.Blocks)-1]
	if string(parsed.Bytes(last)) != sentinel || last.Kind != content.KindParagraph || strings.Contains(markdown, "{%") ||
		strings.HasPrefix(markdown, "---") {
		t.fence("", markdown)
		return
	}
	t.add(markdown, len(parsed.Blocks)-1)
}

// fence adds a code block.
func (t *text) fence(language, code string) {
	fence := strings.Repeat("`", max(3, longestRun(code)+1))
	t.block(fence + language + "\n" + strings.TrimRight(code, "\n") + "\n" + fence)
}

// example adds a value as JSON.
func (t *text) example(label string, value any) {
	if value == nil || t.full {
		return
	}
	if remaining := t.maxBytes; !isSmall(value, &remaining) {
		t.remaining -= t.maxBytes
		t.full = true
		return
	}
	t.block(label)
	t.fence("json", encode(value, "  "))
}

// encode returns the JSON form of a value, or "" if it cannot be encoded.
func encode(value any, indent string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if e.Encode(value) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// isSmall reports whether a value fits into a number of bytes, without encoding it, and subtracts its size.
func isSmall(value any, remaining *int) bool {
	*remaining--
	switch v := value.(type) {
	case string:
		*remaining -= len(v)
	case []any:
		for _, item := range v {
			if !isSmall(item, remaining) {
				break
			}
		}
	case map[string]any:
		for name, member := range v {
			if *remaining -= len(name); !isSmall(member, remaining) {
				break
			}
		}
	}
	return *remaining >= 0
}

// table adds a table with a caption above it, unless there are no rows. rows is stopped when the text is full.
func (t *text) table(caption string, head []string, rows func(row func(cells ...string) bool)) {
	var b strings.Builder
	b.WriteString("| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat(" --- |", len(head)))
	empty := true
	rows(func(cells ...string) bool {
		empty = false
		b.WriteString("\n| " + strings.Join(cells, " | ") + " |")
		t.full = t.full || b.Len() > t.remaining || len(t.markdown)+b.Len() > t.maxBytes
		return !t.full
	})
	if empty {
		return
	}
	if caption != "" {
		t.block(caption)
	}
	t.block(b.String())
}

// singleLine returns text of the document as a single line without control characters.
func singleLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`, "[", `\[`, "<", `\<`, "& ", "& ", "&", `\&`, "#", `\#`, "~", `\~`,
	"|", "&#124;",
)

// escapeMarkdown returns text of the document as a line of Markdown without markup.
func escapeMarkdown(s string) string { return markdownEscaper.Replace(singleLine(s)) }

// code returns a name of the document as inline code for a line or a cell. A pipe cannot be written in the code of a
// cell.
func code(s string) string {
	s = singleLine(s)
	switch {
	case s == "":
		return ""
	case strings.Contains(s, "|"):
		return escapeMarkdown(s)
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// literal returns a value, possibly truncated, as inline code.
func literal(value any) string {
	if s, ok := value.(string); ok {
		value = truncate(s, maxValue)
	}
	if remaining := maxValue * 4; !isSmall(value, &remaining) {
		return "…"
	}
	return code(truncate(encode(value, ""), maxValue))
}

// truncate truncates text to a number of runes.
func truncate(s string, limit int) string {
	seen := 0
	for at := range s {
		if seen++; seen > limit {
			return s[:at] + "…"
		}
	}
	return s
}

// longestRun returns the length of the longest run of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
