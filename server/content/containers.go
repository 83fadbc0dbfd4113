package content

import (
	"bytes"
	"strings"
)

// container is the span of a balanced tag pair such as {% hint %} ... {% endhint %},
// from the start of its opening line to the end of its closing one.
type container struct {
	start, end int
	kind       string
}

// openTag is a tag that waits for its end tag.
type openTag struct {
	name     string
	start    int
	indented bool
}

// tagScanner matches end tags with the nearest open tag of the same name; tags
// opened in between were not containers (`{% include %}` has no end tag).
type tagScanner struct {
	open   []openTag
	byName map[string][]int // name -> indexes in open, ascending
	found  []container      // outermost matched so far, in order
}

// findContainers returns the outermost balanced containers of markdown[from:].
// Tags count where they fill a line outside fenced code; the opening line of a
// container is not indented. What is unbalanced is plain text.
func findContainers(markdown []byte, from int) []container {
	if !bytes.Contains(markdown[from:], []byte("{%")) {
		return nil
	}
	scan := tagScanner{byName: map[string][]int{}}
	var fence codeFence
	for at := from; at < len(markdown); {
		line, next := nextLine(markdown, at)
		if !fence.advance(line) {
			scan.line(line, at, next)
		}
		at = next
	}
	return scan.found
}

func (s *tagScanner) line(line []byte, start, end int) {
	name, ok := tagName(line)
	if !ok {
		return
	}
	if opener, isEnd := strings.CutPrefix(name, "end"); isEnd && opener != "" {
		s.close(opener, end)
		return
	}
	s.byName[name] = append(s.byName[name], len(s.open))
	s.open = append(s.open, openTag{name: name, start: start, indented: line[0] != '{'})
}

// close matches an end tag and forgets everything opened behind its opener.
func (s *tagScanner) close(name string, end int) {
	indexes := s.byName[name]
	if len(indexes) == 0 {
		return
	}
	at := indexes[len(indexes)-1]
	opener := s.open[at]
	for _, tag := range s.open[at:] {
		list := s.byName[tag.name]
		s.byName[tag.name] = list[:len(list)-1]
	}
	s.open = s.open[:at]
	if opener.indented {
		return
	}
	for len(s.found) > 0 && s.found[len(s.found)-1].start >= opener.start {
		s.found = s.found[:len(s.found)-1]
	}
	s.found = append(s.found, container{start: opener.start, end: end, kind: containerKind(name)})
}

func containerKind(name string) string {
	switch name {
	case KindHint, KindTabs, KindStepper, KindColumns:
		return name
	default:
		return KindContainer
	}
}

// tagName returns the name of the tag that fills the line, if one does.
func tagName(line []byte) (string, bool) {
	tag := bytes.TrimSpace(line)
	if len(tag) < 5 || !bytes.HasPrefix(tag, []byte("{%")) || !bytes.HasSuffix(tag, []byte("%}")) {
		return "", false
	}
	inner := bytes.TrimSpace(tag[2 : len(tag)-2])
	if bytes.Contains(inner, []byte("%}")) {
		return "", false
	}
	end := 0
	for end < len(inner) && (inner[end] == '-' || 'a' <= inner[end] && inner[end] <= 'z') {
		end++
	}
	return string(inner[:end]), end > 0
}

// codeFence follows fenced code from line to line.
type codeFence struct {
	char  byte
	width int // 0 outside
}

// advance takes the next line and reports whether it belongs to fenced code.
func (f *codeFence) advance(line []byte) bool {
	rest := bytes.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 || len(rest) == 0 {
		return f.width > 0
	}
	char := rest[0]
	width := len(rest) - len(bytes.TrimLeft(rest, string(char)))
	if (char != '`' && char != '~') || width < 3 {
		return f.width > 0
	}
	info := bytes.TrimSpace(rest[width:])
	switch {
	case f.width == 0 && (char == '~' || bytes.IndexByte(info, '`') < 0):
		f.char, f.width = char, width
	case f.width == 0:
		return false
	case char == f.char && width >= f.width && len(info) == 0:
		f.width = 0
	}
	return true
}
