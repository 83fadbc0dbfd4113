package api

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Check validates a JSON body against a schema. It returns an *Error: 400 if the body is not a single JSON value,
// nests too deep or repeats a key, and 422 with the violations if the schema does not allow it. Unlike encoding/json,
// it matches keys case-sensitively. It checks the number of items before the items, stops at the maximum number of
// violations, and allocates little, so that rejecting a body costs little more than reading it.
//
// A field that the schema does not have is a violation, unless unknown is set to collect it; see Unknown.
//
// It returns the body as encoding/json can decode it: in place of integers that are written otherwise, such as 1.0 or 1e0, it has their
// usual notation. Values of any kind stay byte for byte. body is not changed.
//
// Single-line texts must be clean, unless isStored reports that the text is already stored: stored values are never
// rejected. isStored is called only for texts that are not clean. A nil isStored means that nothing is stored.
func Check(body []byte, schema *Schema, limits Limits, isStored func(text string) bool, unknown *Unknown) ([]byte, error) {
	if err := checkSyntax(body, limits); err != nil {
		return nil, err
	}
	start := skipSpace(body, 0)
	root := rawValue(body[start : start+valueLength(body[start:])])
	if root.kind() == kindNull && !schema.Nullable {
		return nil, malformedError("the body is null")
	}
	v := violations{limits: limits, checkLines: true, isStored: isStored, unknown: unknown}
	v.check("", root, schema)
	if err := v.err(Invalid); err != nil {
		return nil, err
	}
	return normalizeNumbers(body, v.numbers), nil
}

// CheckText validates the text of a query parameter or flag against a schema of kind string or number.
func CheckText(name, text string, s *Schema, limits Limits) []FieldError {
	v := violations{limits: limits}
	switch s.Kind {
	case KindInteger:
		v.checkInteger(name, text, s)
	case KindNumber:
		v.checkNumber(name, text, s)
	case KindBoolean:
		if text != "true" && text != "false" {
			v.add(name, "must be true or false, not %q", text)
		}
	default:
		v.checkString(name, text, s)
	}
	return v.list
}

// violations collects the violations of a request, up to the maximum number.
type violations struct {
	limits     Limits
	checkLines bool // check that single-line texts are clean
	isStored   func(text string) bool
	list       []FieldError
	truncated  bool // there are more than the maximum; checking can stop
	numbers    []wholeNumber

	unknown *Unknown // collects unknown fields; if nil, they are violations
}

// add records a violation. String arguments come from the request and are shortened to the echo limit; texts of the
// contract are passed as words.
func (v *violations) add(path, format string, args ...any) {
	if v.limits.Violations > 0 && len(v.list) >= v.limits.Violations {
		v.truncated = true
		return
	}
	if path == "" {
		path = "body"
	}
	for i, arg := range args {
		if text, ok := arg.(string); ok && v.limits.Echo > 0 {
			args[i] = Shorten(text, v.limits.Echo)
		}
	}
	v.list = append(v.list, FieldError{Path: path, Message: fmt.Sprintf(format, args...)})
}

// err returns the error that lists the violations, or nil if there are none.
func (v *violations) err(as func(...FieldError) *Error) error {
	if len(v.list) == 0 {
		return nil
	}
	e := as(v.list...)
	if v.truncated {
		e.Message = strings.TrimSuffix(e.Message, moreSuffix) + moreSuffix
	}
	return e
}

// words is a list of texts of the contract, which are not shortened in messages.
type words []string

// String implements fmt.Stringer.
func (w words) String() string { return strings.Join(w, ", ") }

func (v *violations) check(path string, r rawValue, s *Schema) {
	kind := r.kind()
	if kind == kindNull {
		if !s.Nullable && s.Kind != KindAny {
			v.add(path, "must not be null")
		}
		return
	}
	if kind == kindString && s.Words != nil {
		if text := r.text(); !slices.Contains(s.Words, text) {
			v.add(path, "must be a list or one of %s, not %q", words(s.Words), text)
		}
		return
	}
	if s.OrObject && kind == kindObject {
		return
	}
	if kind == kindObject && s.Object != nil {
		v.check(path, r, s.Object)
		return
	}
	if want := jsonKind(s.Kind); want != "" && kind != want {
		v.add(path, "must be %s, not %s", want, kind)
		return
	}
	switch s.Kind {
	case KindString:
		v.checkString(path, r.text(), s)
	case KindInteger:
		if n, text := v.checkInteger(path, r.text(), s), r.text(); text != strconv.FormatInt(n, 10) {
			v.numbers = append(v.numbers, wholeNumber{r, n})
		}
	case KindNumber:
		v.checkNumber(path, r.text(), s)
	case KindArray:
		v.checkArray(path, r, s)
	case KindMap:
		v.checkMap(path, r, s)
	case KindObject:
		v.checkObject(path, r, s)
	case KindAny:
		v.checkCount(path, "bytes of JSON", len(r), s)
	case KindBoolean:
	}
}

func jsonKind(kind Kind) valueKind {
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

// joinPath returns the path of a member. The key comes from the request and is shortened like a value.
func (v *violations) joinPath(path, key string) string {
	if v.limits.Echo > 0 {
		key = Shorten(key, v.limits.Echo)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// checkArray validates an array: first the number of items, then the items.
func (v *violations) checkArray(path string, r rawValue, s *Schema) {
	n := r.count()
	v.checkCount(path, "items", n, s)
	if s.Max != nil && n > *s.Max {
		return
	}
	i := 0
	seen := map[string]bool{}
	for item := range r.items() {
		at := fmt.Sprintf("%s[%d]", path, i)
		v.check(at, item, s.Items)
		if s.Unique {
			text := item.text()
			if seen[text] {
				v.add(at, "repeats %s", text)
			}
			seen[text] = true
		}
		if i++; v.truncated {
			return
		}
	}
}

// checkMap validates a map: first the number of entries, then the entries.
func (v *violations) checkMap(path string, r rawValue, s *Schema) {
	n := r.count()
	v.checkCount(path, "entries", n, s)
	if s.Max != nil && n > *s.Max {
		return
	}
	for key, value := range r.members() {
		name := key.text()
		if s.Keys != nil {
			before := len(v.list)
			if v.checkString(v.joinPath(path, name), name, s.Keys); len(v.list) > before {
				v.list[before].Message = "is a key that " + v.list[before].Message
			}
		}
		if v.check(v.joinPath(path, name), value, s.Items); v.truncated {
			return
		}
	}
}

func (v *violations) checkObject(path string, r rawValue, s *Schema) {
	present := make([]bool, len(s.Fields))
	for key, value := range r.members() {
		name := key.text()
		at := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
		switch {
		case at < 0 && v.unknown != nil:
			v.unknown.Add(v.joinPath(path, name), v.limits)
		case at < 0:
			v.add(v.joinPath(path, name), "is not a field here%s", nearestFields(name, s))
		default:
			present[at] = true
			v.check(v.joinPath(path, name), value, s.Fields[at].Schema)
		}
		if v.truncated {
			return
		}
	}
	for i, f := range s.Fields {
		if f.Required && !present[i] {
			v.add(v.joinPath(path, f.Name), "is required")
		}
	}
}

// nearestFields returns why the object has no field for key, or the field name most similar to it.
func nearestFields(key string, s *Schema) words {
	if reason, ok := s.Lacking[key]; ok {
		return words{": " + reason}
	}
	for _, f := range s.Fields {
		if strings.EqualFold(f.Name, key) {
			return words{fmt.Sprintf("; did you mean %q?", f.Name)}
		}
	}
	return nil
}

func (v *violations) checkString(path, text string, s *Schema) {
	if s.Enum != nil && !slices.Contains(s.Enum, text) {
		v.add(path, "must be one of %s, not %q", words(s.Enum), text)
		return
	}
	if n := utf8.RuneCountInString(text); s.Max != nil && n > *s.Max {
		v.checkCount(path, "characters", n, s)
		return // do not check a text that is too long any further
	}
	v.checkCount(path, "characters", utf8.RuneCountInString(text), s)
	if s.Pattern != "" && !Patterns[s.Pattern].MatchString(text) {
		v.add(path, "must match %s, not %q", Patterns[s.Pattern], text)
	}
	v.checkFormat(path, text, s)
}

func (v *violations) checkFormat(path, text string, s *Schema) {
	switch s.Format {
	case "markdown", "text", "excerpt":
		return // multi-line text; the content package validates Markdown and reports offsets
	case "uri":
		v.checkURL(path, text)
	case "emoji":
		if text != "" && !isEmoji(text) && (v.isStored == nil || !v.isStored(text)) {
			v.add(path, "must be one emoji, or its code points as in 1f600, not %q", text)
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			v.add(path, "must be a date and time as in 2026-01-31T12:00:00.000Z, not %q", text)
		}
	case "base64":
		if _, err := base64.StdEncoding.DecodeString(text); err != nil {
			v.add(path, "must be base64: %s", err)
		}
		return
	}
	if i := strings.IndexFunc(text, isControl); i >= 0 {
		v.add(path, "must not hold control characters (%q at byte %d)", text[i:i+1], i)
		return
	}
	if v.checkLines && s.Format == "" && len(findLineViolations(text)) > 0 && (v.isStored == nil || !v.isStored(text)) {
		v.checkLine(path, text)
	}
}

// checkURL checks that a URL has a scheme that browsers open and that wsd can fetch.
func (v *violations) checkURL(path, text string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || !u.IsAbs() || u.Host == "":
		v.add(path, "must be an absolute URL, not %q", text)
	case u.Scheme != "https" && u.Scheme != "http":
		v.add(path, "must begin with https:// or http://, not %q", u.Scheme+"://")
	}
}

func isControl(r rune) bool { return r < 0x20 || r == 0x7F }

// checkNumberText reports whether a text is a number that is not too long.
func (v *violations) checkNumberText(path, text string) bool {
	switch {
	case len(text) > maxNumberText:
		v.add(path, "must be written with at most %d characters, not %d", maxNumberText, len(text))
	case !numberPattern.MatchString(text):
		v.add(path, "must be a number, not %q", text)
	default:
		return true
	}
	return false
}

// checkInteger returns the value of a whole number, or 0 if it is not valid.
func (v *violations) checkInteger(path, text string, s *Schema) int64 {
	if !v.checkNumberText(path, text) {
		return 0
	}
	n, ok := ParseWhole(text)
	switch {
	case !ok:
		v.add(path, "must be a whole number from -2^53 to 2^53, not %s", text)
	case s.Min != nil && n < int64(*s.Min), s.Max != nil && n > int64(*s.Max):
		v.add(path, "must be %s, not %s", describeBounds(s), text)
	}
	return n
}

func (v *violations) checkNumber(path, text string, s *Schema) {
	if !v.checkNumberText(path, text) {
		return
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		v.add(path, "must be a number, not %q", text)
		return
	}
	if s.Min != nil && value < float64(*s.Min) || s.Max != nil && value > float64(*s.Max) {
		v.add(path, "must be %s, not %s", describeBounds(s), text)
	}
}

func (v *violations) checkCount(path, unit string, n int, s *Schema) {
	if s.Min != nil && n < *s.Min || s.Max != nil && n > *s.Max {
		v.add(path, "must have %s %s, not %d", describeBounds(s), unit, n)
	}
}

func describeBounds(s *Schema) string {
	switch {
	case s.Min == nil:
		return fmt.Sprintf("at most %d", *s.Max)
	case s.Max == nil:
		return fmt.Sprintf("at least %d", *s.Min)
	default:
		return fmt.Sprintf("%d to %d", *s.Min, *s.Max)
	}
}
