package api

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits are the numbers that bound how a request is read and what a refusal says of it. The server hands in its own;
// what a field may hold stands in the rows.
type Limits struct {
	Violations int   // of one refusal that are listed
	Echo       int   // characters of a refused value or key that are said again
	QueryKeys  int   // of one request
	Nesting    int   // levels of a body
	Body       int64 // bytes of a body, unless its row says otherwise
}

// DefaultLimits are the numbers of a server whose operator says nothing, and those of clients.
func DefaultLimits() Limits {
	return Limits{Violations: 50, Echo: 100, QueryKeys: 200, Nesting: 100, Body: 1 << 20}
}

// andMore ends the message of a refusal that lists fewer violations than there are.
const andMore = "; and more"

// Bounded is the error with at most that many fields, as many as fit into so many bytes: the last thing that happens
// to a refusal, wherever it comes from.
func (e Error) Bounded(l Limits, bytes int) Error {
	if len(e.Fields) > l.Violations {
		e.Fields = e.Fields[:l.Violations]
		e.Message = strings.TrimSuffix(e.Message, andMore) + andMore
	}
	e.Message, e.Hint = Shorten(e.Message, bytes/32), Shorten(e.Hint, bytes/32) // escapes make a character six bytes
	left := bytes / 2
	for i, f := range e.Fields {
		data, _ := json.Marshal(f) // two texts
		if left -= len(data) + 1; left < 0 {
			e.Fields = e.Fields[:i]
			e.Message = strings.TrimSuffix(e.Message, andMore) + andMore
			break
		}
	}
	return e
}

// Shorten cuts a text to so many characters before it is said again.
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

// leastBody is the smallest limit of a body: room for white space and for keys that are none, so that a refusal can
// name them.
const leastBody = 16 << 10

// bodyLimit is a round number of bytes, at most most, that holds every body that the schema allows, pretty-printed.
func (s *Schema) bodyLimit(most int64) int64 {
	limit := int64(leastBody)
	for need := 2 * s.largest(map[*Schema]bool{}, most); limit < need && limit < most; {
		limit *= 2
	}
	return min(limit, most)
}

// largest is about how many bytes a value of the schema may have; most where there is no limit.
func (s *Schema) largest(within map[*Schema]bool, most int64) int64 {
	if within[s] {
		return most // it contains itself
	}
	within[s] = true
	defer delete(within, s)
	const punctuation = 8
	switch s.Kind {
	case KindString:
		return s.largestString(most) + punctuation
	case KindArray, KindMap:
		if s.Max == nil {
			return most
		}
		each := s.Items.largest(within, most) + punctuation
		if s.Keys != nil {
			each += s.Keys.largestString(most)
		}
		return min(most, int64(*s.Max)*each)
	case KindObject:
		var sum int64
		for _, f := range s.Fields {
			sum += int64(len(f.Name)) + punctuation + f.Schema.largest(within, most)
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

// largestString counts characters that clients write as escapes, two of them for what lies beyond the basic plane.
func (s *Schema) largestString(most int64) int64 {
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
