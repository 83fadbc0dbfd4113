package api

import (
	"bytes"
	"fmt"
	"unicode"
)

// PlainJSON returns a JSON text with the characters <, > and & in place of the escapes that encoding/json writes for them.
// The value stays the same. data is not changed.
func PlainJSON(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\u00`)) {
		return data
	}
	plain := make([]byte, 0, len(data))
	for {
		at := bytes.IndexByte(data, '\\')
		if at < 0 || at+1 == len(data) {
			return append(plain, data...)
		}
		plain = append(plain, data[:at]...)
		data = data[at:]
		if c := escapedHTML(data); c != 0 {
			plain, data = append(plain, c), data[len(`\u003c`):]
			continue
		}
		plain, data = append(plain, data[:2]...), data[2:] // the second byte may be a backslash, too
	}
}

// escapedHTML returns the character of the escape that data begins with, or 0 if that is not one of <, > and &.
func escapedHTML(data []byte) byte {
	if len(data) < len(`\u003c`) {
		return 0
	}
	switch string(data[:len(`\u003c`)]) {
	case `\u003c`, `\u003C`:
		return '<'
	case `\u003e`, `\u003E`:
		return '>'
	case `\u0026`:
		return '&'
	}
	return 0
}

// EscapeControls returns a JSON text with \u escapes in place of the characters that change how a terminal shows a text: DEL,
// the C1 controls and the bidirectional controls. The value stays the same: valid JSON has such characters in strings only,
// and no C0 controls there.
func EscapeControls(data []byte) []byte {
	if !bytes.ContainsFunc(data, needsEscape) {
		return data
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if needsEscape(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}

func needsEscape(r rune) bool {
	return r >= 0x7F && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}
