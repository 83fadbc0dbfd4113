package conditions

import (
	"encoding/json"
	"fmt"
	"strings"
)

// maxRisonDepth is how deep values may lie in each other.
const maxRisonDepth = 32

// ParseRison reads claims as they are written in an address: (plan:pro,beta:!t,seats:12,teams:!(a,b),name:'Jane Doe').
// The outer parentheses may be left out. The error says what is wrong, and at which byte.
func ParseRison(text string) (map[string]any, error) {
	if text == "" {
		return map[string]any{}, nil
	}
	if !strings.HasPrefix(text, "(") {
		text = "(" + text + ")"
	}
	r := risonReader{text: text}
	claims, err := r.object(0)
	if err == nil && r.at < len(text) {
		err = r.wrong("nothing more")
	}
	return claims, err
}

// risonReader is somewhere in a text.
type risonReader struct {
	text string
	at   int
}

func (r *risonReader) wrong(want string) error {
	return fmt.Errorf("is not Rison: want %s at byte %d", want, r.at)
}

// take goes on if the text goes on so.
func (r *risonReader) take(token string) bool {
	found := strings.HasPrefix(r.text[r.at:], token)
	if found {
		r.at += len(token)
	}
	return found
}

func (r *risonReader) value(depth int) (any, error) {
	if depth > maxRisonDepth {
		return nil, r.wrong("less nesting")
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
	case strings.HasPrefix(r.text[r.at:], "("):
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

// list reads what follows !(.
func (r *risonReader) list(depth int) ([]any, error) {
	list := []any{}
	for !r.take(")") {
		if len(list) > 0 && !r.take(",") {
			return nil, r.wrong(", or )")
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
		return nil, r.wrong("(")
	}
	object := map[string]any{}
	for !r.take(")") {
		if len(object) > 0 && !r.take(",") {
			return nil, r.wrong(", or )")
		}
		name, err := r.name()
		if err != nil {
			return nil, err
		}
		if !r.take(":") {
			return nil, r.wrong(":")
		}
		if _, twice := object[name]; twice {
			return nil, r.wrong("no second " + name)
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

// word reads what is not quoted.
func (r *risonReader) word() (string, error) {
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, " '!:(),*@$")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", r.wrong("a value")
	}
	r.at += end
	return rest[:end], nil
}

// quoted reads a text to its closing quote; ! takes the next letter as it is.
func (r *risonReader) quoted() (string, error) {
	var b strings.Builder
	for r.at < len(r.text) {
		switch {
		case r.take("'"):
			return b.String(), nil
		case r.take("!!"):
			b.WriteByte('!')
		case r.take("!'"):
			b.WriteByte('\'')
		case r.text[r.at] == '!':
			return "", r.wrong("!! or !'")
		default:
			b.WriteByte(r.text[r.at])
			r.at++
		}
	}
	return "", r.wrong("'")
}
