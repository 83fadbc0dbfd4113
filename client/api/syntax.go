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

func malformed(format string, args ...any) *Error {
	return Errorf(http.StatusBadRequest, ReasonMalformed, "The body is not acceptable JSON: "+format+".", args...)
}

// checkSyntax refuses what is not one JSON value in UTF-8, nests too deep or repeats a key. It makes no copy of the
// body: nobody knows yet whether it is worth one.
func checkSyntax(body []byte, l Limits) error {
	if offset := invalidUTF8(body); offset >= 0 {
		return malformed("not UTF-8 at byte %d", offset)
	}
	if offset := loneSurrogate(body); offset >= 0 {
		return malformed("half of a surrogate pair at byte %d", offset)
	}
	if deep(body, l.Nesting) {
		return malformed("nested deeper than %d levels", l.Nesting)
	}
	if err := json.Unmarshal(body, &unread{}); err != nil {
		return syntaxError(body, err)
	}
	if key, offset := repeatedKey(body); offset >= 0 {
		return malformed("the key %q is repeated at byte %d", Shorten(key, l.Echo), offset)
	}
	return nil
}

// unread takes any JSON value and keeps nothing of it: reading it finds out whether the syntax is right.
type unread struct{}

// UnmarshalJSON implements json.Unmarshaler.
func (*unread) UnmarshalJSON([]byte) error { return nil }

func syntaxError(body []byte, err error) error {
	var wrong *json.SyntaxError
	switch {
	case !errors.As(err, &wrong):
		return malformed("%s", err)
	case wrong.Offset >= int64(len(body)) && strings.Contains(err.Error(), "unexpected end"):
		return malformed("it ends too early")
	case strings.Contains(err.Error(), "after top-level value"):
		return malformed("data after the value at byte %d", wrong.Offset)
	}
	return malformed("%s at byte %d", err, wrong.Offset)
}

func invalidUTF8(data []byte) int {
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

// loneSurrogate finds a \uD800..\uDFFF escape without its other half: encoding/json would silently replace it,
// and we do not lose what was sent.
func loneSurrogate(data []byte) int {
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
		switch unit := hex4(data, i+2); {
		case unit >= 0xD800 && unit < 0xDC00:
			if i+7 >= len(data) || data[i+6] != '\\' || data[i+7] != 'u' {
				return i
			}
			if low := hex4(data, i+8); low < 0xDC00 || low > 0xDFFF {
				return i
			}
			i += 11
		case unit >= 0xDC00 && unit <= 0xDFFF:
			return i
		}
	}
	return -1
}

// hex4 reads four hexadecimal digits, or returns -1.
func hex4(data []byte, at int) int {
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

// deep reports whether brackets nest deeper than that. It takes the syntax on trust: what has none is refused next.
func deep(data []byte, most int) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i += stringLength(data[i:]) - 1
		case '{', '[':
			if depth++; depth > most {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringLength is the length of the string literal that data begins with; to the end where it is not closed.
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

// repeatedKey finds a key that its object has already, and the byte behind it; -1 when there is none. Where the keys
// of the objects begin that are open lies on one stack, as large as it can ever get, and they are sorted when their
// object ends: a body of keys alone takes little memory and no more work than it has bytes.
func repeatedKey(data []byte) (key string, offset int) {
	keys := make([]int32, 0, bytes.Count(data, []byte{':'}))
	var open []int // for each bracket, where its keys begin on the stack
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			open = append(open, len(keys))
		case '}', ']':
			first := open[len(open)-1]
			if at, found := twin(data, keys[first:]); found {
				key := keyAt(data, at)
				return key.text(), int(at) + len(key)
			}
			keys, open = keys[:first], open[:len(open)-1]
		case '"':
			end := i + stringLength(data[i:])
			if after := space(data, end); after < len(data) && data[after] == ':' {
				keys = append(keys, int32(i)) // bodies are far from 2 GiB
			}
			i = end - 1
		}
	}
	return "", -1
}

func keyAt(data []byte, at int32) raw { return raw(data[at:][:stringLength(data[at:])]) }

// twin finds the second of two equal keys. It sorts the keys.
func twin(data []byte, keys []int32) (second int32, found bool) {
	if len(keys) < 2 {
		return 0, false
	}
	if slices.ContainsFunc(keys, func(at int32) bool { return bytes.IndexByte(keyAt(data, at), '\\') >= 0 }) {
		return escapedTwin(data, keys)
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

// escapedTwin is twin for keys that are written with escapes: equal is what they mean.
func escapedTwin(data []byte, keys []int32) (second int32, found bool) {
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

// raw is the text of one JSON value whose syntax was checked, without white space around it.
type raw []byte

type kindOfJSON string

const (
	kindNull    kindOfJSON = "null"
	kindBoolean kindOfJSON = "a boolean"
	kindString  kindOfJSON = "a string"
	kindNumber  kindOfJSON = "a number"
	kindArray   kindOfJSON = "an array"
	kindObject  kindOfJSON = "an object"
)

func (r raw) kind() kindOfJSON {
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

// text is what a string says, or how a number is written.
func (r raw) text() string {
	switch {
	case r[0] != '"':
		return string(r)
	case bytes.IndexByte(r, '\\') < 0:
		return string(r[1 : len(r)-1])
	}
	var text string
	_ = json.Unmarshal(r, &text) // its syntax is right
	return text
}

// length is that of the value that data begins with.
func length(data []byte) int {
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

// space is where the white space at a place ends.
func space(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// items yields the items of an array.
func (r raw) items() iter.Seq[raw] {
	return func(yield func(raw) bool) {
		for at := space(r, 1); r[at] != ']'; {
			end := at + length(r[at:])
			if !yield(r[at:end]) {
				return
			}
			at = next(r, end)
		}
	}
}

// members yields the keys and values of an object.
func (r raw) members() iter.Seq2[raw, raw] {
	return func(yield func(key, value raw) bool) {
		for at := space(r, 1); r[at] != '}'; {
			end := at + stringLength(r[at:])
			key := r[at:end]
			at = space(r, space(r, end)+1) // behind the colon
			end = at + length(r[at:])
			if !yield(key, r[at:end]) {
				return
			}
			at = next(r, end)
		}
	}
}

// next is where what follows an item begins: the next one, or the closing bracket.
func next(data []byte, end int) int {
	at := space(data, end)
	if data[at] == ',' {
		at = space(data, at+1)
	}
	return at
}

// count is how many items or members a value has.
func (r raw) count() int {
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
