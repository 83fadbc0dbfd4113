package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxDepth is how deep a body may nest. The deepest shape of the contract needs about ten levels.
const maxDepth = 100

// Check holds a JSON body against a schema. The error is an *Error: 400 when the text is not one JSON value or
// repeats a key, 422 with every violation when it is one that the schema does not allow. Unlike encoding/json it
// tells keys apart by case and never guesses.
func Check(body []byte, schema *Schema) error {
	root, err := parse(body)
	if err != nil {
		return err
	}
	if root.kind == kindNull && !schema.Nullable {
		return malformed("the body is null")
	}
	var v violations
	v.check("", root, schema)
	if len(v) > 0 {
		return Invalid(v...)
	}
	return nil
}

func malformed(format string, args ...any) *Error {
	return Errorf(http.StatusBadRequest, ReasonMalformed, "The body is not acceptable JSON: "+format+".", args...)
}

// node is a JSON value whose members keep their order, so that repeated keys can be seen.
type node struct {
	kind    nodeKind
	text    string // of a string or a number
	members []member
	items   []node
}

type member struct {
	key   string
	value node
}

type nodeKind string

const (
	kindNull    nodeKind = "null"
	kindBoolean nodeKind = "a boolean"
	kindString  nodeKind = "a string"
	kindNumber  nodeKind = "a number"
	kindArray   nodeKind = "an array"
	kindObject  nodeKind = "an object"
)

func parse(body []byte) (node, error) {
	if offset := invalidUTF8(body); offset >= 0 {
		return node{}, malformed("not UTF-8 at byte %d", offset)
	}
	if offset := loneSurrogate(body); offset >= 0 {
		return node{}, malformed("half of a surrogate pair at byte %d", offset)
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	root, err := parseValue(decoder, 0)
	if err != nil {
		return node{}, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return node{}, malformed("data after the value at byte %d", decoder.InputOffset())
	}
	return root, nil
}

func parseValue(decoder *json.Decoder, depth int) (node, error) {
	if depth > maxDepth {
		return node{}, malformed("nested deeper than %d levels", maxDepth)
	}
	token, err := decoder.Token()
	if err != nil {
		return node{}, syntaxError(decoder, err)
	}
	switch value := token.(type) {
	case json.Delim:
		if value == '{' {
			return parseObject(decoder, depth)
		}
		return parseArray(decoder, depth)
	case string:
		return node{kind: kindString, text: value}, nil
	case json.Number:
		return node{kind: kindNumber, text: value.String()}, nil
	case bool:
		return node{kind: kindBoolean}, nil
	default:
		return node{kind: kindNull}, nil
	}
}

func parseObject(decoder *json.Decoder, depth int) (node, error) {
	object := node{kind: kindObject}
	seen := map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return node{}, syntaxError(decoder, err)
		}
		key, _ := token.(string)
		if seen[key] {
			return node{}, malformed("the key %q is repeated at byte %d", key, decoder.InputOffset())
		}
		seen[key] = true
		value, err := parseValue(decoder, depth+1)
		if err != nil {
			return node{}, err
		}
		object.members = append(object.members, member{key, value})
	}
	return object, closeValue(decoder)
}

func parseArray(decoder *json.Decoder, depth int) (node, error) {
	array := node{kind: kindArray}
	for decoder.More() {
		item, err := parseValue(decoder, depth+1)
		if err != nil {
			return node{}, err
		}
		array.items = append(array.items, item)
	}
	return array, closeValue(decoder)
}

func closeValue(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return syntaxError(decoder, err)
	}
	return nil
}

func syntaxError(decoder *json.Decoder, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return malformed("it ends too early")
	}
	return malformed("%s at byte %d", err, decoder.InputOffset())
}

func invalidUTF8(data []byte) int {
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
		if data[i] != '\\' {
			continue
		}
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
	for _, c := range bytes.ToLower(data[at : at+4]) {
		digit := strings.IndexByte("0123456789abcdef", c)
		if digit < 0 {
			return -1
		}
		unit = unit<<4 | digit
	}
	return unit
}

// violations collects what is wrong with a body.
type violations []FieldError

func (v *violations) add(path, format string, args ...any) {
	if path == "" {
		path = "body"
	}
	*v = append(*v, FieldError{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (v *violations) check(path string, n node, s *Schema) {
	if n.kind == kindNull {
		if !s.Nullable && s.Kind != KindAny {
			v.add(path, "must not be null")
		}
		return
	}
	if n.kind == kindString && s.Words != nil {
		if !slices.Contains(s.Words, n.text) {
			v.add(path, "must be a list or one of %s, not %q", strings.Join(s.Words, ", "), shorten(n.text))
		}
		return
	}
	want := wanted(s.Kind)
	if want != "" && n.kind != want {
		v.add(path, "must be %s, not %s", want, n.kind)
		return
	}
	switch s.Kind {
	case KindString:
		v.checkString(path, n.text, s)
	case KindInteger, KindNumber:
		v.checkNumber(path, n.text, s)
	case KindArray:
		v.checkCount(path, "items", len(n.items), s)
		for i, item := range n.items {
			v.check(fmt.Sprintf("%s[%d]", path, i), item, s.Items)
		}
	case KindMap:
		v.checkCount(path, "entries", len(n.members), s)
		for _, m := range n.members {
			v.check(join(path, m.key), m.value, s.Items)
		}
	case KindObject:
		v.checkObject(path, n, s)
	case KindBoolean, KindAny:
	}
}

func wanted(kind Kind) nodeKind {
	switch kind {
	case KindString:
		return kindString
	case KindInteger, KindNumber:
		return kindNumber
	case KindBoolean:
		return kindBoolean
	case KindArray:
		return kindArray
	case KindObject, KindMap:
		return kindObject
	case KindAny:
	}
	return ""
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func (v *violations) checkObject(path string, n node, s *Schema) {
	present := map[string]bool{}
	for _, m := range n.members {
		present[m.key] = true
		field, ok := s.Field(m.key)
		if !ok {
			v.add(join(path, m.key), "is not a field here%s", nearest(m.key, s))
			continue
		}
		v.check(join(path, m.key), m.value, field.Schema)
	}
	for _, f := range s.Fields {
		if f.Required && !present[f.Name] {
			v.add(join(path, f.Name), "is required")
		}
	}
}

// nearest names the field that was probably meant.
func nearest(key string, s *Schema) string {
	for _, f := range s.Fields {
		if strings.EqualFold(f.Name, key) {
			return fmt.Sprintf("; did you mean %q?", f.Name)
		}
	}
	return ""
}

// CheckText holds one string, as it comes from a query or a flag, against a schema of kind string or number.
func CheckText(name, text string, s *Schema) []FieldError {
	var v violations
	switch s.Kind {
	case KindInteger, KindNumber:
		v.checkNumber(name, text, s)
	case KindBoolean:
		if text != "true" && text != "false" {
			v.add(name, "must be true or false, not %q", shorten(text))
		}
	default:
		v.checkString(name, text, s)
	}
	return v
}

func (v *violations) checkString(path, text string, s *Schema) {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		v.add(path, "must be one of %s, not %q", strings.Join(s.Enum, ", "), shorten(text))
		return
	}
	v.checkCount(path, "characters", utf8.RuneCountInString(text), s)
	if s.Pattern != "" && !Patterns[s.Pattern].MatchString(text) {
		v.add(path, "must match %s, not %q", Patterns[s.Pattern], shorten(text))
	}
	v.checkFormat(path, text, s)
}

func (v *violations) checkFormat(path, text string, s *Schema) {
	switch s.Format {
	case "markdown", "text":
		return // long text, of lines; the content package says what Markdown may hold, with the offset
	case "uri":
		if u, err := url.Parse(text); err != nil || !u.IsAbs() || u.Host == "" {
			v.add(path, "must be an absolute URL, not %q", shorten(text))
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			v.add(path, "must be a date and time as in 2026-01-31T12:00:00.000Z, not %q", shorten(text))
		}
	case "base64":
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			v.add(path, "must be base64: %s", err)
		}
		return
	}
	if i := strings.IndexFunc(text, isControl); i >= 0 {
		v.add(path, "must not hold control characters (%q at byte %d)", text[i:i+1], i)
	}
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7F }

func (v *violations) checkNumber(path, text string, s *Schema) {
	number := json.Number(text)
	value, err := number.Float64()
	if err != nil {
		v.add(path, "must be a number, not %q", shorten(text))
		return
	}
	if s.Kind == KindInteger {
		if _, err := number.Int64(); err != nil {
			v.add(path, "must be a whole number, not %s", shorten(text))
			return
		}
	}
	if s.Min != nil && value < float64(*s.Min) || s.Max != nil && value > float64(*s.Max) {
		v.add(path, "must be %s, not %s", between(s), shorten(text))
	}
}

func (v *violations) checkCount(path, unit string, n int, s *Schema) {
	if s.Min != nil && n < *s.Min || s.Max != nil && n > *s.Max {
		v.add(path, "must have %s %s, not %d", between(s), unit, n)
	}
}

func between(s *Schema) string {
	switch {
	case s.Min == nil:
		return fmt.Sprintf("at most %d", *s.Max)
	case s.Max == nil:
		return fmt.Sprintf("at least %d", *s.Min)
	default:
		return fmt.Sprintf("%d to %d", *s.Min, *s.Max)
	}
}

// shorten keeps a value quoted in a message short.
func shorten(text string) string {
	const most = 60
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…"
}
