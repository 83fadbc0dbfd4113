package content

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxFrontMatterValue limits the size of a front matter entry that is decoded.
const maxFrontMatterValue = 4 << 10

// bodyStart returns the offset after byte order mark and front matter.
func bodyStart(markdown []byte) int {
	start := 0
	if bytes.HasPrefix(markdown, []byte(byteOrderMark)) {
		start = len(byteOrderMark)
	}
	if _, end, ok := cutFrontMatter(markdown, start); ok {
		return end
	}
	return start
}

// cutFrontMatter returns the YAML between a line `---` at start and the next line `---` or `...`, and the offset
// after the latter.
func cutFrontMatter(markdown []byte, start int) (entries []byte, end int, ok bool) {
	line, next := nextLine(markdown, start)
	if !isFence(line, "---") {
		return nil, 0, false
	}
	first := next
	for at := next; at < len(markdown); at = next {
		line, next = nextLine(markdown, at)
		if isFence(line, "---") || isFence(line, "...") {
			return markdown[first:at], next, true
		}
	}
	return nil, 0, false
}

func isFence(line []byte, fence string) bool {
	return string(bytes.TrimRight(line, " \t\r\n")) == fence
}

// nextLine returns the line at an offset with its line ending, and the offset of the next one.
func nextLine(b []byte, at int) (line []byte, next int) {
	if i := bytes.IndexByte(b[at:], '\n'); i >= 0 {
		return b[at : at+i+1], at + i + 1
	}
	return b[at:], len(b)
}

// Description returns the description of the front matter, or "".
func Description(markdown []byte) string {
	return FrontMatter(markdown, "description")
}

// FrontMatter returns a top-level scalar of the front matter, or "". It decodes only the lines of that entry, so
// invalid or expensive YAML elsewhere has no effect. The importer uses it for titles.
func FrontMatter(markdown []byte, key string) string {
	start := len(markdown) - len(bytes.TrimPrefix(markdown, []byte(byteOrderMark)))
	entries, _, ok := cutFrontMatter(markdown, start)
	if !ok {
		return ""
	}
	entry := frontMatterEntry(entries, key)
	if len(entry) == 0 || len(entry) > maxFrontMatterValue {
		return ""
	}
	var decoded map[string]any
	if err := yaml.Unmarshal(entry, &decoded); err != nil {
		return ""
	}
	switch value := decoded[key].(type) {
	case nil, map[string]any, []any:
		return ""
	case string:
		return strings.TrimSpace(value)
	default:
		return fmt.Sprint(value)
	}
}

// frontMatterEntry returns the lines of the entry with the given key, including indented or blank continuation lines.
func frontMatterEntry(entries []byte, key string) []byte {
	for at := 0; at < len(entries); {
		line, next := nextLine(entries, at)
		if !hasKey(line, key) {
			at = next
			continue
		}
		end := next
		for end < len(entries) {
			line, next = nextLine(entries, end)
			if len(TrimEnd(line)) > 0 && line[0] != ' ' && line[0] != '\t' {
				break
			}
			end = next
		}
		return entries[at:end]
	}
	return nil
}

func hasKey(line []byte, key string) bool {
	for _, form := range []string{key, `"` + key + `"`, "'" + key + "'"} {
		if rest, ok := bytes.CutPrefix(line, []byte(form)); ok {
			return bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte(":"))
		}
	}
	return false
}

// BodyStart returns the offset at which the body of a text begins, after its byte order mark and front matter.
func BodyStart(markdown []byte) int { return bodyStart(markdown) }
