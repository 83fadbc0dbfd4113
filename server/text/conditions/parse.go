package conditions

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxConditionBytes = 4096 // 1,024 characters
	maxNesting        = 32
	maxIndex          = 1 << 20
)

// ParseCondition reads a condition, as in
//
//	visitor.claims.plan == "pro" && !(visitor.claims.roles[0] === "guest")
//
// There are strings in double or single quotes, numbers, true and false, ==, ===, !=, !==, !, && and ||, parentheses,
// and claims by name (.plan, ["a name"]) or position ([0]). The error is a *SyntaxError.
//
// The parser of expr-lang, which reads custom merge rules, does not serve here: it takes what conditions may not have
// (comments, 0x10, 1_000, .5), refuses what they may (a line break in a string, numbers above 2^63) and complains about
// syntax before it can be asked about names; and its tree has no parentheses, by which nesting is bounded and
// (a == b) == c differs from a == b == c.
func ParseCondition(text string) (*Condition, error) {
	p := &parser{text: text}
	if len(text) > maxConditionBytes {
		return nil, p.fail(maxConditionBytes, "the condition is too long")
	}
	root, err := p.or(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.at < len(text) {
		return nil, p.fail(p.at, "unexpected "+p.next())
	}
	return &Condition{root, p.claims}, nil
}

// parser reads a condition from left to right.
type parser struct {
	text   string
	at     int
	claims []path // that were read
}

func (p *parser) fail(at int, message string) *SyntaxError {
	return &SyntaxError{Offset: at, Message: message}
}

// next shows what stands at the present place.
func (p *parser) next() string {
	if p.at >= len(p.text) {
		return "end"
	}
	_, size := utf8.DecodeRuneInString(p.text[p.at:])
	return strconv.Quote(p.text[p.at : p.at+size])
}

func (p *parser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take moves over the first of the tokens that stands here, and returns it.
func (p *parser) take(tokens ...string) string {
	p.skip()
	for _, token := range tokens {
		if strings.HasPrefix(p.text[p.at:], token) {
			p.at += len(token)
			return token
		}
	}
	return ""
}

func (p *parser) or(depth int) (expression, error) {
	left, err := p.and(depth)
	for err == nil && p.take("||") != "" {
		var right expression
		right, err = p.and(depth)
		left = either{left, right}
	}
	return left, err
}

func (p *parser) and(depth int) (expression, error) {
	left, err := p.comparison(depth)
	for err == nil && p.take("&&") != "" {
		var right expression
		right, err = p.comparison(depth)
		left = both{left, right}
	}
	return left, err
}

// comparison is one value, or two that are compared. A comparison of a comparison needs parentheses.
func (p *parser) comparison(depth int) (expression, error) {
	left, err := p.unary(depth)
	if err != nil {
		return nil, err
	}
	operator := p.take("===", "!==", "==", "!=")
	if operator == "" {
		return left, nil
	}
	right, err := p.unary(depth)
	if err != nil {
		return nil, err
	}
	if at := p.at; p.take("===", "!==", "==", "!=") != "" {
		return nil, p.fail(at, "a second comparison needs parentheses")
	}
	if operator[0] == '!' {
		return not{equal{left, right}}, nil
	}
	return equal{left, right}, nil
}

func (p *parser) unary(depth int) (expression, error) {
	if depth > maxNesting {
		return nil, p.fail(p.at, fmt.Sprintf("nested deeper than %d levels", maxNesting))
	}
	p.skip()
	if p.at < len(p.text) && p.text[p.at] == '!' && !strings.HasPrefix(p.text[p.at:], "!=") {
		p.at++
		of, err := p.unary(depth + 1)
		return not{of}, err
	}
	if p.take("(") == "" {
		return p.operand()
	}
	inside, err := p.or(depth + 1)
	if err == nil && p.take(")") == "" {
		return nil, p.fail(p.at, "expected a closing parenthesis, found "+p.next())
	}
	return inside, err
}

// operand is a literal or a claim.
func (p *parser) operand() (expression, error) {
	start := p.at
	switch {
	case p.at >= len(p.text):
		return nil, p.fail(p.at, "the condition ends too early")
	case p.text[p.at] == '"' || p.text[p.at] == '\'':
		text, err := p.quoted()
		return literal{text}, err
	case isDigit(p.text[p.at]) || p.text[p.at] == '-':
		return p.number()
	}
	switch name := p.name(); name {
	case "true", "false":
		return literal{name == "true"}, nil
	case "visitor":
		return p.claim(start)
	case "":
		return nil, p.fail(start, "unexpected "+p.next())
	default:
		return nil, p.fail(start, fmt.Sprintf("unknown name %q: claims begin with visitor.claims", name))
	}
}

// claim reads what follows visitor.
func (p *parser) claim(start int) (expression, error) {
	var steps path
	for {
		switch p.take(".", "[") {
		case ".":
			p.skip()
			at := p.at
			name := p.name()
			if name == "" {
				return nil, p.fail(at, "expected a name, found "+p.next())
			}
			steps = append(steps, name)
		case "[":
			step, err := p.index()
			if err != nil {
				return nil, err
			}
			steps = append(steps, step)
		default:
			if len(steps) < 2 || steps[0] != "claims" {
				return nil, p.fail(start, "only the claims of a visitor are known, as in visitor.claims.plan")
			}
			p.claims = append(p.claims, steps[1:])
			return steps[1:], nil
		}
	}
}

// index reads what stands in brackets: a name in quotes or a position.
func (p *parser) index() (any, error) {
	p.skip()
	at := p.at
	var step any
	switch {
	case p.at < len(p.text) && (p.text[p.at] == '"' || p.text[p.at] == '\''):
		text, err := p.quoted()
		if err != nil {
			return nil, err
		}
		step = text
	default:
		for p.at < len(p.text) && isDigit(p.text[p.at]) {
			p.at++
		}
		position, err := strconv.Atoi(p.text[at:p.at])
		if err != nil || position > maxIndex {
			return nil, p.fail(at, "expected a name in quotes or a position, found "+p.next())
		}
		step = position
	}
	if p.take("]") == "" {
		return nil, p.fail(p.at, "expected a closing bracket, found "+p.next())
	}
	return step, nil
}

func (p *parser) number() (expression, error) {
	start := p.at
	for p.at < len(p.text) && (isDigit(p.text[p.at]) || strings.IndexByte("+-.eE", p.text[p.at]) >= 0) {
		p.at++
	}
	value, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil {
		return nil, p.fail(start, fmt.Sprintf("%q is not a number", p.text[start:p.at]))
	}
	return literal{value}, nil
}

// quoted reads a string. A backslash keeps the quote or backslash behind it, or makes a line feed or tab.
func (p *parser) quoted() (string, error) {
	start, quote := p.at, p.text[p.at]
	var b strings.Builder
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case quote:
			p.at++
			return b.String(), nil
		case '\\':
			p.at++
			escaped, ok := escape(p.text[min(p.at, len(p.text)-1)])
			if !ok || p.at == len(p.text) {
				return "", p.fail(p.at-1, "unknown escape in a string")
			}
			b.WriteByte(escaped)
		default:
			b.WriteByte(c)
		}
	}
	return "", p.fail(start, "the string does not end")
}

func escape(c byte) (byte, bool) {
	switch c {
	case '"', '\'', '\\':
		return c, true
	case 'n':
		return '\n', true
	case 't':
		return '\t', true
	}
	return 0, false
}

// name reads an identifier, "" if there is none.
func (p *parser) name() string {
	start := p.at
	for p.at < len(p.text) && (isLetter(p.text[p.at]) || p.at > start && isDigit(p.text[p.at])) {
		p.at++
	}
	return p.text[start:p.at]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
