package importer

import "bytes"

// bodyOf returns the text after its byte order mark and front matter.
func bodyOf(text []byte) []byte {
	if _, rest, ok := splitFrontMatter(text); ok {
		return rest
	}
	return bytes.TrimPrefix(text, byteOrderMark)
}

var byteOrderMark = []byte("\uFEFF")

// splitFrontMatter splits a text that begins with a line of three dashes into front matter and body.
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
