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

// ParseCondition parses a condition, as in
//
//	visitor.claims.plan == "pro" && !(visitor.claims.roles[0] === "guest")
//
// It consists of strings in double or single quotes, numbers, true and false, ==, ===, !=, !==, !, && and ||,
// parentheses, and claims by name (.plan, ["a name"]) or index ([0]). The error is a *SyntaxError.
//
// The parser of expr-lang, which parses custom merge rules, cannot be used: it accepts syntax that conditions do not
// allow (comments, 0x10, 1_000, .5), rejects syntax that they do (a line break in a string, numbers above 2^63), and
// reports syntax errors before names can be checked. Its tree omits parentheses, which limit the nesting and
// distinguish (a == b) == c from a == b == c.
func ParseCondition(text string) (*Condition, error) {
	p := &parser{text: text}
	if len(text) > maxConditionBytes {
		return nil, p.errorAt(maxConditionBytes, "the condition is too long")
	}
	root, err := p.or(0)
	if err != nil {
		return nil, err
	}
	if p.skip(); p.pos < len(text) {
		return nil, p.errorAt(p.pos, "unexpected "+p.next())
	}
	return &Condition{root, p.claims}, nil
}

// parser parses a condition from left to right.
type parser struct {
	text   string
	pos    int
	claims []path // claims parsed so far
}

func (p *parser) errorAt(at int, message string) *SyntaxError {
	return &SyntaxError{Offset: at, Message: message}
}

// next returns the next character in quotes, or "end" at the end of the text, for error messages.
func (p *parser) next() string {
	if p.pos >= len(p.text) {
		return "end"
	}
	_, size := utf8.DecodeRuneInString(p.text[p.pos:])
	return strconv.Quote(p.text[p.pos : p.pos+size])
}

func (p *parser) skip() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// take consumes and returns the first of the tokens that the text continues with, or "" if none matches.
func (p *parser) take(tokens ...string) string {
	p.skip()
	for _, token := range tokens {
		if strings.HasPrefix(p.text[p.pos:], token) {
			p.pos += len(token)
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
		left = orExpr{left, right}
	}
	return left, err
}

func (p *parser) and(depth int) (expression, error) {
	left, err := p.comparison(depth)
	for err == nil && p.take("&&") != "" {
		var right expression
		right, err = p.comparison(depth)
		left = andExpr{left, right}
	}
	return left, err
}

// comparison parses one operand, or two that are compared. A comparison of a comparison needs parentheses.
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
	if at := p.pos; p.take("===", "!==", "==", "!=") != "" {
		return nil, p.errorAt(at, "a second comparison needs parentheses")
	}
	if operator[0] == '!' {
		return notExpr{equalExpr{left, right}}, nil
	}
	return equalExpr{left, right}, nil
}

func (p *parser) unary(depth int) (expression, error) {
	if depth > maxNesting {
		return nil, p.errorAt(p.pos, fmt.Sprintf("nested deeper than %d levels", maxNesting))
	}
	p.skip()
	if p.pos < len(p.text) && p.text[p.pos] == '!' && !strings.HasPrefix(p.text[p.pos:], "!=") {
		p.pos++
		of, err := p.unary(depth + 1)
		return notExpr{of}, err
	}
	if p.take("(") == "" {
		return p.operand()
	}
	inside, err := p.or(depth + 1)
	if err == nil && p.take(")") == "" {
		return nil, p.errorAt(p.pos, "expected a closing parenthesis, found "+p.next())
	}
	return inside, err
}

// operand parses a literal or a claim.
func (p *parser) operand() (expression, error) {
	start := p.pos
	switch {
	case p.pos >= len(p.text):
		return nil, p.errorAt(p.pos, "the condition ends too early")
	case p.text[p.pos] == '"' || p.text[p.pos] == '\'':
		text, err := p.quoted()
		return literal{text}, err
	case isDigit(p.text[p.pos]) || p.text[p.pos] == '-':
		return p.number()
	}
	switch name := p.name(); name {
	case "true", "false":
		return literal{name == "true"}, nil
	case "visitor":
		return p.claim(start)
	case "":
		return nil, p.errorAt(start, "unexpected "+p.next())
	default:
		return nil, p.errorAt(start, fmt.Sprintf("unknown name %q: claims begin with visitor.claims", name))
	}
}

// claim parses the names and indexes after "visitor", which is at offset start. It returns an error unless the path begins with
// claims.
func (p *parser) claim(start int) (expression, error) {
	var steps path
	for {
		switch p.take(".", "[") {
		case ".":
			p.skip()
			at := p.pos
			name := p.name()
			if name == "" {
				return nil, p.errorAt(at, "expected a name, found "+p.next())
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
				return nil, p.errorAt(start, "only the claims of a visitor are known, as in visitor.claims.plan")
			}
			p.claims = append(p.claims, steps[1:])
			return steps[1:], nil
		}
	}
}

// index parses the content of brackets: a quoted name or an index.
func (p *parser) index() (any, error) {
	p.skip()
	at := p.pos
	var step any
	switch {
	case p.pos < len(p.text) && (p.text[p.pos] == '"' || p.text[p.pos] == '\''):
		text, err := p.quoted()
		if err != nil {
			return nil, err
		}
		step = text
	default:
		for p.pos < len(p.text) && isDigit(p.text[p.pos]) {
			p.pos++
		}
		position, err := strconv.Atoi(p.text[at:p.pos])
		if err != nil || position > maxIndex {
			return nil, p.errorAt(at, "expected a name in quotes or a position, found "+p.next())
		}
		step = position
	}
	if p.take("]") == "" {
		return nil, p.errorAt(p.pos, "expected a closing bracket, found "+p.next())
	}
	return step, nil
}

func (p *parser) number() (expression, error) {
	start := p.pos
	for p.pos < len(p.text) && (isDigit(p.text[p.pos]) || strings.IndexByte("+-.eE", p.text[p.pos]) >= 0) {
		p.pos++
	}
	value, err := strconv.ParseFloat(p.text[start:p.pos], 64)
	if err != nil {
		return nil, p.errorAt(start, fmt.Sprintf("%q is not a number", p.text[start:p.pos]))
	}
	return literal{value}, nil
}

// quoted parses a string. A backslash escapes a quote or backslash, or begins an escape for line feed or tab.
func (p *parser) quoted() (string, error) {
	start, quote := p.pos, p.text[p.pos]
	var b strings.Builder
	for p.pos++; p.pos < len(p.text); p.pos++ {
		switch c := p.text[p.pos]; c {
		case quote:
			p.pos++
			return b.String(), nil
		case '\\':
			p.pos++
			escaped, ok := escape(p.text[min(p.pos, len(p.text)-1)])
			if !ok || p.pos == len(p.text) {
				return "", p.errorAt(p.pos-1, "unknown escape in a string")
			}
			b.WriteByte(escaped)
		default:
			b.WriteByte(c)
		}
	}
	return "", p.errorAt(start, "the string does not end")
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

// name consumes and returns an identifier, or returns "" if there is none at the current position.
func (p *parser) name() string {
	start := p.pos
	for p.pos < len(p.text) && (isLetter(p.text[p.pos]) || p.pos > start && isDigit(p.text[p.pos])) {
		p.pos++
	}
	return p.text[start:p.pos]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}
