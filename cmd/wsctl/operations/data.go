package operations

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// document is a value that was read from JSON or YAML.
type document struct {
	json   []byte         // the value; JSON is unchanged except for its encoding
	source string         // where it is from, for messages: a file, standard input or a flag
	lines  map[string]int // the lines of its members by their paths, as in changes[0].title
}

// parseDocument reads JSON or YAML in UTF-8, or in UTF-16 with or without a byte order mark. It returns a usage error with source
// and line if the text is neither, or gives a key twice.
func parseDocument(data []byte, source string) (document, error) {
	d := document{source: source, lines: map[string]int{}}
	text, err := decodeText(data)
	if err != nil {
		return d, app.Usagef("%s %v", source, err)
	}
	if at := invalidByte(text); at >= 0 {
		return d, d.errorf(lineOf(text, at), "is not UTF-8")
	}
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return d, app.Usagef("%s is empty", source)
	}
	syntax := json.Unmarshal(text, new(any))
	if syntax == nil {
		d.json = text
		return d, d.checkJSON()
	}
	err = d.convertYAML(text)
	if wrong, ok := errors.AsType[*json.SyntaxError](syntax); ok && errors.Is(err, errNotYAML) && (trimmed[0] == '{' || trimmed[0] == '[') {
		return d, d.errorf(lineOf(text, int(wrong.Offset)), "is not JSON: %v", syntax)
	}
	return d, err
}

// errorf returns a usage error about a line of the document.
func (d *document) errorf(line int, format string, args ...any) error {
	return app.Usagef("%s:%d: %s", d.source, line, fmt.Sprintf(format, args...))
}

// addLine records the line of a member. It returns a usage error if the member was given before.
func (d *document) addLine(path string, line int) error {
	if first, ok := d.lines[path]; ok {
		return d.errorf(line, "%s is given twice, first in line %d", path, first)
	}
	d.lines[path] = line
	return nil
}

// decodeText returns data as UTF-8 without byte order mark.
func decodeText(data []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return data[3:], nil
	case len(data) < 2:
		return data, nil
	case data[0] == 0xff && data[1] == 0xfe || data[0] != 0 && data[1] == 0:
		order = binary.LittleEndian
	case data[0] == 0xfe && data[1] == 0xff || data[0] == 0 && data[1] != 0:
		order = binary.BigEndian
	default:
		return data, nil
	}
	if len(data)%2 != 0 {
		return nil, errors.New("is cut off: UTF-16 has an even number of bytes")
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 0; i < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	if units[0] == 0xfeff {
		units = units[1:]
	}
	text := []byte(string(utf16.Decode(units)))
	if bytes.Count(text, []byte("\ufffd")) != countUnits(units, 0xfffd) {
		return nil, errors.New("is not UTF-16: it has half of a pair")
	}
	return text, nil
}

func countUnits(units []uint16, unit uint16) int {
	n := 0
	for _, u := range units {
		if u == unit {
			n++
		}
	}
	return n
}

// invalidByte returns the offset of the first byte that is not UTF-8, or -1.
func invalidByte(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// lineOf returns the number of the line that contains the offset.
func lineOf(text []byte, offset int) int {
	return 1 + bytes.Count(text[:min(offset, len(text))], []byte("\n"))
}

// checkJSON records the lines of all members of valid JSON. It returns a usage error if a key is given twice.
func (d *document) checkJSON() error {
	w := jsonWalk{document: d, decoder: json.NewDecoder(bytes.NewReader(d.json)), line: 1}
	w.decoder.UseNumber()
	return w.value("")
}

// jsonWalk goes through valid JSON and counts its lines.
type jsonWalk struct {
	*document

	decoder *json.Decoder
	offset  int
	line    int
}

// value reads a value and its members.
func (w *jsonWalk) value(path string) error {
	token, err := w.decoder.Token()
	if err != nil {
		return err
	}
	delim, isOpen := token.(json.Delim)
	if !isOpen {
		return nil
	}
	for i := 0; w.decoder.More(); i++ {
		at := fmt.Sprintf("%s[%d]", path, i)
		if delim == '{' {
			key, err := w.decoder.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string)
			at = joinPath(path, name)
		}
		if err := w.addLine(at, w.currentLine()); err != nil {
			return err
		}
		if err := w.value(at); err != nil {
			return err
		}
	}
	_, err = w.decoder.Token()
	return err
}

// currentLine returns the line of the token that was read last.
func (w *jsonWalk) currentLine() int {
	next := int(w.decoder.InputOffset())
	w.line += bytes.Count(w.json[w.offset:next], []byte("\n"))
	w.offset = next
	return w.line
}

// joinPath returns the path of a member of the object at path.
func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// sourceName returns what a file, or - for standard input, is called in messages.
func sourceName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// isInline reports whether the value of --data is the body itself.
func isInline(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}
