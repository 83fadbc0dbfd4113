package content

import (
	"bytes"
	"strings"
)

// container is the span of a balanced tag pair such as {% hint %} ... {% endhint %}, from the start of its opening
// line to the end of its closing one.
type container struct {
	start, end int
	name, kind string
}

// Region is the span of a balanced pair of lines, with the name of the opening one.
type Region struct {
	Start, End int
	Name       string
}

// Regions returns the outermost balanced pairs of lines of markdown[from:]. read classifies a line outside fenced
// code as the opening or closing line of a name. Documents use it for paired elements other than tags.
func Regions(markdown []byte, from int, read func(line []byte) (name string, end, ok bool)) []Region {
	scan := scanLines(markdown, from, read)
	regions := make([]Region, len(scan.found))
	for i, c := range scan.found {
		regions[i] = Region{Start: c.start, End: c.end, Name: c.name}
	}
	return regions
}

// openTag is an opening tag whose end tag has not been found yet.
type openTag struct {
	name     string
	start    int
	indented bool
}

// tagScanner matches end tags with the nearest open tag of the same name. Tags opened in between are not containers
// (`{% include %}` has no end tag).
type tagScanner struct {
	open   []openTag
	byName map[string][]int // name -> indexes in open, ascending
	found  []container      // outermost containers found so far, in order
}

// findContainers returns the outermost balanced containers of markdown[from:]. Only tags that fill a line outside
// fenced code count, and the opening line of a container is not indented. Unbalanced tags are plain text.
func findContainers(markdown []byte, from int) []container {
	if !bytes.Contains(markdown[from:], []byte("{%")) {
		return nil
	}
	return scanLines(markdown, from, ParseTag).found
}

// ParseTag parses a line that consists of one tag. It returns the name of the container that it opens or, if end is set,
// closes.
func ParseTag(line []byte) (name string, end, ok bool) {
	name, ok = tagName(line)
	if opener, isEnd := strings.CutPrefix(name, "end"); isEnd && opener != "" {
		return opener, true, ok
	}
	return name, false, ok
}

func scanLines(markdown []byte, from int, read func(line []byte) (name string, end, ok bool)) tagScanner {
	scan := tagScanner{byName: map[string][]int{}}
	var fence codeFence
	for at := from; at < len(markdown); {
		line, next := nextLine(markdown, at)
		if !fence.advance(line) {
			if name, end, ok := read(line); ok {
				scan.scanTag(name, end, openTag{start: at, indented: line[0] == ' ' || line[0] == '\t'}, next)
			}
		}
		at = next
	}
	return scan
}

func (s *tagScanner) scanTag(name string, ends bool, tag openTag, end int) {
	if ends {
		s.close(name, end)
		return
	}
	tag.name = name
	s.byName[name] = append(s.byName[name], len(s.open))
	s.open = append(s.open, tag)
}

// close matches an end tag and drops all tags opened after its opener.
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
	s.found = append(s.found, container{start: opener.start, end: end, name: name, kind: containerKind(name)})
}

func containerKind(name string) string {
	switch name {
	case KindHint, KindTabs, KindStepper, KindColumns:
		return name
	default:
		return KindContainer
	}
}

// tagName returns the name of the tag if the line consists of one.
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

// codeFence tracks fenced code line by line.
type codeFence struct {
	char  byte
	width int // 0 outside fenced code
}

// advance processes the next line and reports whether it belongs to fenced code.
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
