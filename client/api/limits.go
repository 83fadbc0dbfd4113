package api

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits are the limits on reading a request and on the size of an error response. Limits of fields are defined in
// the rows.
type Limits struct {
	Violations int   // maximum number of violations listed in an error
	Echo       int   // maximum characters of a rejected value or key in a message
	QueryKeys  int   // maximum per request
	Nesting    int   // maximum depth of a body
	Body       int64 // maximum bytes of a body, unless the row has a limit
}

// DefaultLimits returns the limits of clients and of servers without configured limits.
func DefaultLimits() Limits {
	return Limits{Violations: 50, Echo: 100, QueryKeys: 200, Nesting: 100, Body: 1 << 20}
}

// moreSuffix is the end of a message that omits violations.
const moreSuffix = "; and more"

// Bounded returns e with as many fields as the limits and the given number of bytes allow, and with a shortened message and
// hint. It is applied to every error just before it is sent.
func (e Error) Bounded(l Limits, bytes int) Error {
	if len(e.Fields) > l.Violations {
		e.Fields = e.Fields[:l.Violations]
		e.Message = strings.TrimSuffix(e.Message, moreSuffix) + moreSuffix
	}
	e.Message, e.Hint = Shorten(e.Message, bytes/32), Shorten(e.Hint, bytes/32) // an escaped character takes up to six bytes
	left := bytes / 2
	for i, f := range e.Fields {
		data, _ := json.Marshal(f) // encoding a struct of two strings cannot fail
		if left -= len(data) + 1; left < 0 {
			e.Fields = e.Fields[:i]
			e.Message = strings.TrimSuffix(e.Message, moreSuffix) + moreSuffix
			break
		}
	}
	return e
}

// Shorten truncates text to at most the given number of characters.
func Shorten(text string, limit int) string {
	if len(text) <= limit || utf8.RuneCountInString(text) <= limit {
		return text
	}
	at := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at] + "…"
}

// minBodyLimit is the minimum body limit: it leaves space for white space and unknown keys, so that an error can name
// them.
const minBodyLimit = 16 << 10

// bodyLimit returns a round number of bytes, at most limit, that is enough for every body that the schema allows,
// pretty-printed.
func (s *Schema) bodyLimit(limit int64) int64 {
	size := int64(minBodyLimit)
	for need := 2 * s.maxSize(map[*Schema]bool{}, limit); size < need && size < limit; {
		size *= 2
	}
	return min(size, limit)
}

// maxSize returns the approximate maximum size of a value of the schema in bytes, or limit if it is unlimited.
func (s *Schema) maxSize(ancestors map[*Schema]bool, limit int64) int64 {
	if ancestors[s] {
		return limit // recursive schema
	}
	ancestors[s] = true
	defer delete(ancestors, s)
	const punctuation = 8
	switch s.Kind {
	case KindString:
		return s.maxStringSize(limit) + punctuation
	case KindArray, KindMap:
		if s.Max == nil {
			return limit
		}
		each := s.Items.maxSize(ancestors, limit) + punctuation
		if s.Keys != nil {
			each += s.Keys.maxStringSize(limit)
		}
		return min(limit, int64(*s.Max)*each)
	case KindObject:
		var sum int64
		for _, f := range s.Fields {
			sum += int64(len(f.Name)) + punctuation + f.Schema.maxSize(ancestors, limit)
		}
		return min(limit, sum)
	case KindAny:
		if s.Max == nil {
			return limit
		}
		return min(limit, int64(*s.Max))
	case KindInteger, KindNumber, KindBoolean:
	}
	return maxNumberText
}

// maxStringSize returns the maximum size of a string literal in bytes if clients escape every character; characters
// beyond the basic multilingual plane take two escapes.
func (s *Schema) maxStringSize(limit int64) int64 {
	const escaped = 12
	switch {
	case s.Enum != nil:
		return int64(len(slices.MaxFunc(s.Enum, func(a, b string) int { return len(a) - len(b) })))
	case s.Max == nil:
		return limit
	case s.Pattern != "" && s.Pattern != "slug", s.Format == "base64", s.Format == "date-time":
		return int64(*s.Max)
	}
	return min(limit, int64(*s.Max)*escaped)
}
