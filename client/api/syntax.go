package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

func malformedError(format string, args ...any) *Error {
	return Errorf(http.StatusBadRequest, ReasonMalformed, "The body is not acceptable JSON: "+format+".", args...)
}

// checkSyntax rejects bodies that are not a single JSON value in UTF-8, nest too deep or repeat a key. It does not
// copy the body.
func checkSyntax(body []byte, l Limits) error {
	if offset := findInvalidUTF8(body); offset >= 0 {
		return malformedError("not UTF-8 at byte %d", offset)
	}
	if offset := findLoneSurrogate(body); offset >= 0 {
		return malformedError("half of a surrogate pair at byte %d", offset)
	}
	if nestsDeeper(body, l.Nesting) {
		return malformedError("nested deeper than %d levels", l.Nesting)
	}
	if err := json.Unmarshal(body, &discarder{}); err != nil {
		return syntaxError(body, err)
	}
	if key, offset := findRepeatedKey(body); offset >= 0 {
		return malformedError("the key %q is repeated at byte %d", Shorten(key, l.Echo), offset)
	}
	return nil
}

// discarder decodes any JSON value and discards it, in order to check the syntax.
type discarder struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*discarder) UnmarshalJSON([]byte) error { return nil }

func syntaxError(body []byte, err error) error {
	var wrong *json.SyntaxError
	switch {
	case !errors.As(err, &wrong):
		return malformedError("%s", err)
	case wrong.Offset >= int64(len(body)) && strings.Contains(err.Error(), "unexpected end"):
		return malformedError("it ends too early")
	case strings.Contains(err.Error(), "after top-level value"):
		return malformedError("data after the value at byte %d", wrong.Offset)
	}
	return malformedError("%s at byte %d", err, wrong.Offset)
}

func findInvalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// findLoneSurrogate returns the offset of an unpaired \uD800..\uDFFF escape, which encoding/json would silently replace,
// or -1.
func findLoneSurrogate(data []byte) int {
	for i := 0; i+1 < len(data); i++ {
		next := bytes.IndexByte(data[i:], '\\')
		if next < 0 || i+next+1 >= len(data) {
			return -1
		}
		i += next
		if data[i+1] != 'u' {
			i++ // skip the escaped character, which may be a backslash
			continue
		}
		switch unit := parseHex4(data, i+2); {
		case unit >= 0xD800 && unit < 0xDC00:
			if i+7 >= len(data) || data[i+6] != '\\' || data[i+7] != 'u' {
				return i
			}
			if low := parseHex4(data, i+8); low < 0xDC00 || low > 0xDFFF {
				return i
			}
			i += 11
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return i
		}
	}
	return -1
}

// parseHex4 parses four hexadecimal digits and returns -1 if they are invalid.
func parseHex4(data []byte, at int) int {
	if at+4 > len(data) {
		return -1
	}
	unit := 0
	for _, c := range data[at : at+4] {
		digit := strings.IndexByte("0123456789abcdef", c|0x20)
		if digit < 0 {
			return -1
		}
		unit = unit<<4 | digit
	}
	return unit
}

// nestsDeeper reports whether brackets nest deeper than limit levels. data need not be valid JSON.
func nestsDeeper(data []byte, limit int) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += stringLength(data[i:]) - 1
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringLength returns the length of the string literal at the start of data, or len(data) if it is not terminated.
func stringLength(data []byte) int {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

// findRepeatedKey returns the first repeated key of an object and the offset after it, or -1 if there is none. The
// offsets of the keys of all open objects are kept on one preallocated stack and sorted when their object ends, so
// that a body of keys only needs little memory and O(n log n) time.
func findRepeatedKey(data []byte) (key string, offset int) {
	keys := make([]int32, 0, bytes.Count(data, []byte{':'}))
	var open []int // for each open bracket, the start of its keys on the stack
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			open = append(open, len(keys))
		case '}', ']':
			first := open[len(open)-1]
			if at, found := findDuplicate(data, keys[first:]); found {
				key := keyAt(data, at)
				return key.text(), int(at) + len(key)
			}
			keys, open = keys[:first], open[:len(open)-1]
		case '"':
			end := i + stringLength(data[i:])
			if after := skipSpace(data, end); after < len(data) && data[after] == ':' {
				keys = append(keys, int32(i)) // bodies are far smaller than 2 GiB
			}
			i = end - 1
		}
	}
	return "", -1
}

func keyAt(data []byte, at int32) rawValue { return rawValue(data[at:][:stringLength(data[at:])]) }

// findDuplicate returns the second of two equal keys. It sorts keys.
func findDuplicate(data []byte, keys []int32) (second int32, found bool) {
	if len(keys) < 2 {
		return 0, false
	}
	if slices.ContainsFunc(keys, func(at int32) bool { return bytes.IndexByte(keyAt(data, at), '\\') >= 0 }) {
		return findEscapedDuplicate(data, keys)
	}
	slices.SortFunc(keys, func(a, b int32) int {
		return cmp.Or(bytes.Compare(keyAt(data, a), keyAt(data, b)), cmp.Compare(a, b))
	})
	for i := 1; i < len(keys); i++ {
		if bytes.Equal(keyAt(data, keys[i-1]), keyAt(data, keys[i])) {
			return keys[i], true
		}
	}
	return 0, false
}

// findEscapedDuplicate is like findDuplicate for keys with escapes, which are compared decoded.
func findEscapedDuplicate(data []byte, keys []int32) (second int32, found bool) {
	seen := make(map[string]struct{}, len(keys))
	for _, at := range keys {
		text := keyAt(data, at).text()
		if _, repeated := seen[text]; repeated {
			return at, true
		}
		seen[text] = struct{}{}
	}
	return 0, false
}

// rawValue is the text of a syntactically valid JSON value without surrounding white space.
type rawValue []byte

type valueKind string

const (
	kindNull    valueKind = "null"
	kindBoolean valueKind = "a boolean"
	kindString  valueKind = "a string"
	kindNumber  valueKind = "a number"
	kindArray   valueKind = "an array"
	kindObject  valueKind = "an object"
)

func (r rawValue) kind() valueKind {
	switch r[0] {
	case '{':
		return kindObject
	case '[':
		return kindArray
	case '"':
		return kindString
	case 't', 'f':
		return kindBoolean
	case 'n':
		return kindNull
	}
	return kindNumber
}

// text returns the value of a string or the literal of a number.
func (r rawValue) text() string {
	switch {
	case r[0] != '"':
		return string(r)
	case bytes.IndexByte(r, '\\') < 0:
		return string(r[1 : len(r)-1])
	}
	var text string
	_ = json.Unmarshal(r, &text) // the syntax is valid
	return text
}

// valueLength returns the length of the value at the start of data.
func valueLength(data []byte) int {
	switch data[0] {
	case '"':
		return stringLength(data)
	case '{', '[':
	default:
		if end := bytes.IndexAny(data, ",]} \t\r\n"); end >= 0 {
			return end
		}
		return len(data)
	}
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += stringLength(data[i:]) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(data)
}

// skipSpace returns the end of the white space at offset at.
func skipSpace(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// items iterates over the items of an array.
func (r rawValue) items() iter.Seq[rawValue] {
	return func(yield func(rawValue) bool) {
		for at := skipSpace(r, 1); r[at] != ']'; {
			end := at + valueLength(r[at:])
			if !yield(r[at:end]) {
				return
			}
			at = nextItem(r, end)
		}
	}
}

// members iterates over the keys and values of an object.
func (r rawValue) members() iter.Seq2[rawValue, rawValue] {
	return func(yield func(key, value rawValue) bool) {
		for at := skipSpace(r, 1); r[at] != '}'; {
			end := at + stringLength(r[at:])
			key := r[at:end]
			at = skipSpace(r, skipSpace(r, end)+1) // after the colon
			end = at + valueLength(r[at:])
			if !yield(key, r[at:end]) {
				return
			}
			at = nextItem(r, end)
		}
	}
}

// nextItem returns the offset of the next item, or of the closing bracket.
func nextItem(data []byte, end int) int {
	at := skipSpace(data, end)
	if data[at] == ',' {
		at = skipSpace(data, at+1)
	}
	return at
}

// count returns the number of items or members of a value.
func (r rawValue) count() int {
	n := 0
	switch r[0] {
	case '[':
		for range r.items() {
			n++
		}
	case '{':
		for range r.members() {
			n++
		}
	}
	return n
}
