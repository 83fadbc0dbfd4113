package importer

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// frontMatter reads the YAML block at the head of a Markdown text, its scalar values
// as strings. Front matter that is no YAML mapping counts as none.
func frontMatter(text []byte) map[string]string {
	head, _, ok := splitFrontMatter(text)
	if !ok || len(head) > maxFrontMatter {
		return nil
	}
	var values map[string]any
	if yaml.Unmarshal(head, &values) != nil {
		return nil
	}
	fields := make(map[string]string, len(values))
	for key, value := range values {
		switch value.(type) {
		case string, int, uint64, int64, float64, bool:
			fields[key] = fmt.Sprint(value)
		}
	}
	return fields
}

// body is the text behind its byte order mark and front matter.
func body(text []byte) []byte {
	if _, rest, ok := splitFrontMatter(text); ok {
		return rest
	}
	return bytes.TrimPrefix(text, byteOrderMark)
}

var byteOrderMark = []byte("\uFEFF")

// maxFrontMatter bounds what is given to the YAML parser, in bytes.
const maxFrontMatter = 64 << 10

// splitFrontMatter parts a text that begins with a line of three dashes.
func splitFrontMatter(text []byte) (head, rest []byte, ok bool) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	first, rest, found := bytes.Cut(text, []byte("\n"))
	if !found || string(bytes.TrimRight(first, "\r ")) != "---" {
		return nil, nil, false
	}
	start := rest
	for len(rest) > 0 {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		if trimmed := string(bytes.TrimRight(line, "\r ")); trimmed == "---" || trimmed == "..." {
			return start[:len(start)-len(rest)], after, true
		}
		rest = after
	}
	return nil, nil, false
}
