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
	Violations int   // maximum listed in an error
	Echo       int   // maximum characters of a rejected value or key in a message
	QueryKeys  int   // maximum per request
	Nesting    int   // maximum depth of a body
	Body       int64 // maximum bytes of a body, unless the row has a limit
}

// DefaultLimits returns the limits of clients and of servers without configured limits.
func DefaultLimits() Limits {
	return Limits{Violations: 50, Echo: 100, QueryKeys: 200, Nesting: 100, Body: 1 << 20}
}

// andMore is the end of a message that omits violations.
const andMore = "; and more"

// Bounded returns e with at most the allowed number of fields, and as many as fit into the given number of bytes. It
// is applied to every error just before it is sent.
func (e Error) Bounded(l Limits, bytes int) Error {
	if len(e.Fields) > l.Violations {
		e.Fields = e.Fields[:l.Violations]
		e.Message = strings.TrimSuffix(e.Message, andMore) + andMore
	}
	e.Message, e.Hint = Shorten(e.Message, bytes/32), Shorten(e.Hint, bytes/32) // an escaped character takes up to six bytes
	left := bytes / 2
	for i, f := range e.Fields {
		data, _ := json.Marshal(f) // a struct of two strings
		if left -= len(data) + 1; left < 0 {
			e.Fields = e.Fields[:i]
			e.Message = strings.TrimSuffix(e.Message, andMore) + andMore
			break
		}
	}
	return e
}

// Shorten truncates text to at most the given number of characters.
func Shorten(text string, most int) string {
	if len(text) <= most || utf8.RuneCountInString(text) <= most {
		return text
	}
	at := 0
	for range most {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at] + "…"
}

// minBodyLimit is the minimum body limit: it leaves space for white space and unknown keys, so that an error can name
// them.
const minBodyLimit = 16 << 10

// withBodyLimit returns a round number of bytes, at most most, that is enough for every body that the schema allows,
// pretty-printed.
func (s *Schema) bodyLimit(most int64) int64 {
	limit := int64(minBodyLimit)
	for need := 2 * s.maxSize(map[*Schema]bool{}, most); limit < need && limit < most; {
		limit *= 2
	}
	return min(limit, most)
}

// maxSize returns the approximate maximum size of a value of the schema in bytes, or most if it is unlimited.
func (s *Schema) maxSize(within map[*Schema]bool, most int64) int64 {
	if within[s] {
		return most // recursive schema
	}
	within[s] = true
	defer delete(within, s)
	const punctuation = 8
	switch s.Kind {
	case KindString:
		return s.maxStringSize(most) + punctuation
	case KindArray, KindMap:
		if s.Max == nil {
			return most
		}
		each := s.Items.maxSize(within, most) + punctuation
		if s.Keys != nil {
			each += s.Keys.maxStringSize(most)
		}
		return min(most, int64(*s.Max)*each)
	case KindObject:
		var sum int64
		for _, f := range s.Fields {
			sum += int64(len(f.Name)) + punctuation + f.Schema.maxSize(within, most)
		}
		return min(most, sum)
	case KindAny:
		if s.Max == nil {
			return most
		}
		return min(most, int64(*s.Max))
	case KindInteger, KindNumber, KindBoolean:
	}
	return maxNumberText
}

// maxStringSize returns the maximum size of a string literal in bytes if clients escape every character; characters
// beyond the basic multilingual plane take two escapes.
func (s *Schema) maxStringSize(most int64) int64 {
	const escaped = 12
	switch {
	case s.Enum != nil:
		return int64(len(slices.MaxFunc(s.Enum, func(a, b string) int { return len(a) - len(b) })))
	case s.Max == nil:
		return most
	case s.Pattern != "" && s.Pattern != "slug", s.Format == "base64", s.Format == "date-time":
		return int64(*s.Max)
	}
	return min(most, int64(*s.Max)*escaped)
}
