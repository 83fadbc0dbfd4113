package detect

import (
	"bytes"
	"slices"
	"strings"
)

// escape begins an answer and many keys, and is a key itself.
const escape = "\x1b"

// form describes answers: how they begin, what follows, and how they end.
type form struct {
	prefix   string
	body     func(rune) bool
	suffixes []string
}

// Forms of answers. A terminal may answer the question for the set colour with "unknown"; the answer with the attributes of the
// terminal comes last.
var (
	colorForm      = form{prefix: escape + "P1$r", body: isPrintable, suffixes: []string{escape + `\`, "\a"}}
	noColorForm    = form{prefix: escape + "P0$r", body: isPrintable, suffixes: []string{escape + `\`, "\a"}}
	backgroundForm = form{prefix: escape + "]11;", body: isPrintable, suffixes: []string{escape + `\`, "\a"}}
	attributesForm = form{prefix: escape + "[?", body: isParameter, suffixes: []string{"c"}}

	forms = []form{colorForm, noColorForm, backgroundForm, attributesForm}
)

// maxAnswer limits the length of an answer, so that one without an end does not suppress typed input for long.
const maxAnswer = 128

func isPrintable(r rune) bool { return r >= ' ' && r <= '~' }

func isParameter(r rune) bool { return r >= '0' && r <= '9' || r == ';' }

// match reports whether input begins an answer of this form, and whether it is a complete one.
func (f form) match(input string) (begins, complete bool) {
	if strings.HasPrefix(f.prefix, input) {
		return true, false
	}
	rest, found := strings.CutPrefix(input, f.prefix)
	if !found || len(input) > maxAnswer {
		return false, false
	}
	end := strings.TrimLeftFunc(rest, f.body)
	return slices.ContainsFunc(f.suffixes, func(e string) bool { return strings.HasPrefix(e, end) }), slices.Contains(f.suffixes, end)
}

// scanner separates answers from typed input, which arrive in pieces.
type scanner struct {
	held       []byte   // the beginning of an answer, or of a key
	answers    []string // in the order of their arrival
	isComplete bool     // whether the last answer has arrived, so that all further input is typed
}

// scan adds a piece of input and returns the typed bytes of it and of the held input.
func (s *scanner) scan(piece []byte) (typed []byte) {
	for i, b := range piece {
		if s.isComplete {
			return append(typed, piece[i:]...)
		}
		typed = append(typed, s.add(b)...)
	}
	return typed
}

func (s *scanner) add(b byte) (typed []byte) {
	begins, complete := s.matchWith(b)
	switch {
	case complete:
		s.answers = append(s.answers, string(s.held)+string(b))
		s.isComplete = bytes.HasPrefix(s.held, []byte(attributesForm.prefix))
		s.held = nil
	case begins:
		s.held = append(s.held, b)
	case len(s.held) > 0: // another answer may begin with b, or with an escape before b
		rest := []byte{b}
		if last := len(s.held) - 1; last > 0 && s.held[last] == escape[0] {
			s.held, rest = s.held[:last], []byte{escape[0], b}
		}
		return append(s.release(), s.scan(rest)...)
	default:
		return []byte{b}
	}
	return nil
}

// matchWith reports whether the held input followed by b begins or completes an answer.
func (s *scanner) matchWith(b byte) (begins, complete bool) {
	input := string(s.held) + string(b)
	for _, f := range forms {
		if begins, complete = f.match(input); begins {
			return begins, complete
		}
	}
	return false, false
}

// isAmbiguous reports whether the held input may be a key.
func (s *scanner) isAmbiguous() bool { return len(s.held) == 1 || len(s.held) == 2 }

// release returns the held input as typed, unless it can only be a part of an answer.
func (s *scanner) release() []byte {
	held := s.held
	s.held = nil
	if len(held) > 2 && !bytes.HasPrefix(held, []byte(escape+"[")) {
		return nil
	}
	return held
}
