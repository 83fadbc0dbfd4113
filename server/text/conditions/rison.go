package conditions

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxRisonDepth is the maximum nesting of values.
const maxRisonDepth = 32

// ParseRison parses claims in a URL: (plan:pro,beta:!t,seats:12,teams:!(a,b),name:'Jane Doe'). The outer parentheses
// are optional. The error describes the problem and its byte offset.
func ParseRison(text string) (map[string]any, error) {
	if text == "" {
		return map[string]any{}, nil
	}
	if !strings.HasPrefix(text, "(") {
		text = "(" + text + ")"
	}
	r := risonReader{text: text}
	claims, err := r.object(0)
	if err == nil && r.pos < len(text) {
		err = r.unexpectedError("nothing more")
	}
	return claims, err
}

// risonReader parses a text from left to right.
type risonReader struct {
	text string
	pos  int
}

func (r *risonReader) unexpectedError(want string) error {
	return fmt.Errorf("is not Rison: want %s at byte %d", want, r.pos)
}

// take consumes a token and reports whether the text continued with it.
func (r *risonReader) take(token string) bool {
	found := strings.HasPrefix(r.text[r.pos:], token)
	if found {
		r.pos += len(token)
	}
	return found
}

func (r *risonReader) value(depth int) (any, error) {
	if depth > maxRisonDepth {
		return nil, r.unexpectedError("less nesting")
	}
	switch {
	case r.take("!t"):
		return true, nil
	case r.take("!f"):
		return false, nil
	case r.take("!n"):
		return nil, nil //nolint:nilnil // the value
	case r.take("!("):
		return r.list(depth)
	case strings.HasPrefix(r.text[r.pos:], "("):
		return r.object(depth)
	case r.take("'"):
		return r.quoted()
	}
	word, err := r.word()
	if err != nil {
		return nil, err
	}
	var number float64
	if json.Unmarshal([]byte(word), &number) == nil {
		return number, nil
	}
	return word, nil
}

// list parses a list after !(.
func (r *risonReader) list(depth int) ([]any, error) {
	list := []any{}
	for !r.take(")") {
		if len(list) > 0 && !r.take(",") {
			return nil, r.unexpectedError(", or )")
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

func (r *risonReader) object(depth int) (map[string]any, error) {
	if !r.take("(") {
		return nil, r.unexpectedError("(")
	}
	object := map[string]any{}
	for !r.take(")") {
		if len(object) > 0 && !r.take(",") {
			return nil, r.unexpectedError(", or )")
		}
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if !r.take(":") {
			return nil, r.unexpectedError(":")
		}
		if _, twice := object[name]; twice {
			return nil, r.unexpectedError("no second " + name)
		}
		if object[name], err = r.value(depth + 1); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (r *risonReader) name() (string, error) {
	if r.take("'") {
		return r.quoted()
	}
	return r.word()
}

// word parses an unquoted word.
func (r *risonReader) word() (string, error) {
	rest := r.text[r.pos:]
	end := strings.IndexAny(rest, " '!:(),*@$")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", r.unexpectedError("a value")
	}
	r.pos += end
	return rest[:end], nil
}

// quoted parses a string up to its closing quote; ! escapes the next character.
func (r *risonReader) quoted() (string, error) {
	var b strings.Builder
	for r.pos < len(r.text) {
		switch {
		case r.take("'"):
			return b.String(), nil
		case r.take("!!"):
			b.WriteByte('!')
		case r.take("!'"):
			b.WriteByte('\'')
		case r.text[r.pos] == '!':
			return "", r.unexpectedError("!! or !'")
		default:
			b.WriteByte(r.text[r.pos])
			r.pos++
		}
	}
	return "", r.unexpectedError("'")
}
