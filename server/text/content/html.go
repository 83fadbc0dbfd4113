package content

import (
	"bytes"
	"html"
	"strings"
)

// attribute is the span of an attribute's value in an HTML fragment.
type attribute struct {
	start, end int
	name       string // href, src, id or name
}

func unescapeHTML(value []byte) []byte {
	if bytes.IndexByte(value, '&') < 0 {
		return value
	}
	return []byte(html.UnescapeString(string(value)))
}

// attributes returns the link and anchor attributes of the start tags in an HTML fragment, ignoring comments, scripts
// and styles.
func attributes(b []byte) []attribute {
	var found []attribute
	for at := 0; at < len(b); {
		open := bytes.IndexByte(b[at:], '<')
		if open < 0 {
			break
		}
		at += open
		switch rest := b[at:]; {
		case bytes.HasPrefix(rest, []byte("<!--")):
			at = skipPast(b, at+4, "-->")
		case len(rest) > 1 && isLetter(rest[1]):
			name := elementName(rest[1:])
			found, at = tagAttributes(b, at+1+len(name), found)
			if bytes.EqualFold(name, []byte("script")) || bytes.EqualFold(name, []byte("style")) {
				at = skipPast(b, at, "</")
			}
		default:
			at++
		}
	}
	return found
}

// skipPast returns the offset after the next occurrence of mark from at on, or the length of b if there is none.
func skipPast(b []byte, at int, mark string) int {
	if i := bytes.Index(b[min(at, len(b)):], []byte(mark)); i >= 0 {
		return at + i + len(mark)
	}
	return len(b)
}

// tagAttributes appends the attributes of a tag from an offset on, and returns the offset after the tag.
func tagAttributes(b []byte, at int, found []attribute) ([]attribute, int) {
	for at < len(b) {
		switch {
		case b[at] == '>':
			return found, at + 1
		case isHTMLSpace(b[at]) || b[at] == '/' || b[at] == '=':
			at++
			continue
		}
		name := attributeName(b[at:])
		at += max(len(name), 1)
		start, end, next := attributeValue(b, at)
		at = next
		if end == start || len(name) > len("href") {
			continue
		}
		switch lower := strings.ToLower(string(name)); lower {
		case "href", "src", "id", "name":
			found = append(found, attribute{start, end, lower})
		}
	}
	return found, at
}

// attributeValue returns the span of the value after an attribute name that ends at an offset, and the offset after it. The
// span is empty if there is no value.
func attributeValue(b []byte, at int) (start, end, next int) {
	after := skipHTMLSpace(b, at)
	if after >= len(b) || b[after] != '=' {
		return at, at, at
	}
	at = skipHTMLSpace(b, after+1)
	if at >= len(b) {
		return at, at, at
	}
	if quote := b[at]; quote == '"' || quote == '\'' {
		length := bytes.IndexByte(b[at+1:], quote)
		if length < 0 {
			return len(b), len(b), len(b)
		}
		return at + 1, at + 1 + length, at + 2 + length
	}
	end = at
	for end < len(b) && !isHTMLSpace(b[end]) && b[end] != '>' {
		end++
	}
	return at, end, end
}

func skipHTMLSpace(b []byte, at int) int {
	for at < len(b) && isHTMLSpace(b[at]) {
		at++
	}
	return at
}

func attributeName(b []byte) []byte {
	end := 0
	for end < len(b) && !isHTMLSpace(b[end]) && bytes.IndexByte([]byte("=>/"), b[end]) < 0 {
		end++
	}
	return b[:end]
}

func elementName(b []byte) []byte {
	end := 0
	for end < len(b) && (isLetter(b[end]) || b[end] == '-' || '0' <= b[end] && b[end] <= '9') {
		end++
	}
	return b[:end]
}

func isHTMLSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
