package openapi

import (
	"bytes"
	"encoding/json"
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// Bounds of what a page says at most about one thing.
const (
	maxValue   = 200 // runes of a default, an example or the like in a line
	maxLeftOut = 10  // names in the sentence about what is left out
	maxName    = 100 // runes of a name there
	// sentenceBytes is kept free for that sentence, in which everything may be escaped.
	sentenceBytes = 16 << 10
)

// work is how many bytes of Markdown may still be written for a document, what is thrown away included.
type work struct{ left int }

// text is Markdown on its way. What goes beyond a limit is not written: then the text is full.
type text struct {
	*work
	markdown    []byte
	blocks      int
	bytes, most int // limits of markdown and blocks
	full        bool
}

// block adds one block of Markdown.
func (t *text) block(markdown string) { t.add(markdown, 1) }

func (t *text) add(markdown string, blocks int) {
	size := len(markdown) + len("\n\n")
	t.left -= size
	if t.full = t.full || t.left < 0 || len(t.markdown)+size > t.bytes || t.blocks+blocks > t.most; t.full || markdown == "" {
		return
	}
	if len(t.markdown) > 0 {
		t.markdown = append(t.markdown, '\n')
	}
	t.markdown = append(append(t.markdown, markdown...), '\n')
	t.blocks += blocks
}

// sentinel is a paragraph that no document has.
const sentinel = "a9d1c1f0e6"

// prose adds Markdown of the document as it is, or as code if it would not end where it ends or would read otherwise at
// the top of a page: an open fence, comment or tag would swallow what follows.
func (t *text) prose(markdown string) {
	t.full = t.full || len(markdown) > t.bytes
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
	if string(parsed.Bytes(last)) != sentinel || last.Kind != content.KindParagraph || strings.Contains(markdown, "{%") || strings.HasPrefix(markdown, "---") {
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
	if room := t.bytes; !small(value, &room) {
		t.left -= t.bytes
		t.full = true
		return
	}
	t.block(label)
	t.fence("json", encode(value, "  "))
}

// encode writes a value of a document as JSON.
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

// small reports whether a value has room, without writing it.
func small(value any, room *int) bool {
	*room--
	switch v := value.(type) {
	case string:
		*room -= len(v)
	case []any:
		for _, item := range v {
			if !small(item, room) {
				break
			}
		}
	case map[string]any:
		for name, member := range v {
			if *room -= len(name); !small(member, room) {
				break
			}
		}
	}
	return *room >= 0
}

// table adds a table with a caption above it, unless there are no rows. Rows are made as long as there is room.
func (t *text) table(caption string, head []string, rows func(row func(cells ...string) bool)) {
	var b strings.Builder
	b.WriteString("| " + strings.Join(head, " | ") + " |\n|" + strings.Repeat(" --- |", len(head)))
	empty := true
	rows(func(cells ...string) bool {
		empty = false
		b.WriteString("\n| " + strings.Join(cells, " | ") + " |")
		t.full = t.full || b.Len() > t.left || len(t.markdown)+b.Len() > t.bytes
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

// line is text of the document in one line, without what a terminal or a parser takes for control.
func line(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Join(strings.Fields(s), " ")
}

var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "{", `\{`, "[", `\[`, "<", `\<`, "& ", "& ", "&", `\&`, "#", `\#`, "~", `\~`, "|", "&#124;",
)

// plain is text of the document in a line of Markdown, where it means nothing but itself.
func plain(s string) string { return special.Replace(line(s)) }

// code is a name of the document as code, in a line or a cell. A cell has no way to write a pipe in code.
func code(s string) string {
	s = line(s)
	switch {
	case s == "":
		return ""
	case strings.Contains(s, "|"):
		return plain(s)
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// literal is a value as code, or the beginning of it.
func literal(value any) string {
	if s, ok := value.(string); ok {
		value = cut(s, maxValue)
	}
	if room := maxValue * 4; !small(value, &room) {
		return "…"
	}
	return code(cut(encode(value, ""), maxValue))
}

// cut is text with at most so many runes.
func cut(s string, most int) string {
	seen := 0
	for at := range s {
		if seen++; seen > most {
			return s[:at] + "…"
		}
	}
	return s
}

// longestRun is the length of the longest run of backticks.
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
