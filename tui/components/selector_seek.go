package components

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// seekBindings returns the keys that apply while a letter or a text is typed.
func (s *selector) seekBindings() []binding {
	stop := func() { s.pendingKey = 0 }
	all := []binding{{keys: []string{"esc"}, hint: "esc back", do: keepOpen(stop)}}
	if s.pendingKey == '/' {
		all = append(all, binding{keys: []string{"enter"}, hint: "type a text  ⏎ done", do: keepOpen(stop)},
			binding{keys: []string{"backspace"}, do: keepOpen(func() {
				_, size := utf8.DecodeLastRuneInString(s.query)
				s.seek(s.query[:len(s.query)-size])
			})})
	}
	return all
}

// handleKey handles the letter after f and the text after /.
func (s *selector) handleKey(k tea.KeyMsg) bool {
	if k.Type != tea.KeyRunes && k.Type != tea.KeySpace {
		return false
	}
	switch s.pendingKey {
	case 'f':
		s.pendingKey = 0
		s.seekLetter(k.Runes[0])
	case '/':
		s.seek(s.query + string(k.Runes))
	}
	return false
}

// seekText returns the hint for the letter or the text that is being typed, or "".
func (s *selector) seekText() string {
	switch s.pendingKey {
	case 'f':
		return " · the letter that a word begins with"
	case '/':
		return " · /" + s.query + "█"
	default:
		return ""
	}
}

// seekLetter moves to the next word that begins with a letter, with a wrap around the end.
func (s *selector) seekLetter(letter rune) {
	for i := 1; i <= len(s.words); i++ {
		at := (s.cursor + i) % len(s.words)
		word := strings.TrimLeftFunc(s.word(at), unicode.IsPunct)
		if first, _ := utf8.DecodeRuneInString(word); unicode.ToLower(first) == unicode.ToLower(letter) {
			s.selectTo(at)
			return
		}
	}
}

// seek selects the words that contain a text or, if the selection is being extended, extends it to them. Case does not matter.
func (s *selector) seek(text string) {
	s.query = text
	lower := strings.ToLower(s.source)
	at := strings.Index(lower, strings.ToLower(text))
	if text == "" || at < 0 || len(lower) != len(s.source) {
		return
	}
	end := at + len(strings.TrimRight(text, " "))
	first := slices.IndexFunc(s.words, func(w [2]int) bool { return w[1] > at })
	last := first
	for last >= 0 && last+1 < len(s.words) && s.words[last+1][0] < end {
		last++
	}
	if first < 0 {
		return
	}
	if !s.extending {
		s.from = first
	}
	s.cursor = last
}

// word returns the text of a word.
func (s *selector) word(at int) string { return s.source[s.words[at][0]:s.words[at][1]] }

// selectTo moves the end of the selection to a word. Unless the selection is being extended, its start moves to that word, too.
func (s *selector) selectTo(at int) {
	if s.cursor = at; !s.extending {
		s.from = at
	}
}

// moveTo returns the function of a key that calls selectTo with the index from find and keeps the overlay open. Without words
// it does nothing.
func (s *selector) moveTo(find func() int) func() (tea.Cmd, bool) {
	return keepOpen(func() {
		if len(s.words) > 0 {
			s.selectTo(find())
		}
	})
}

// lineStart returns the index of the first word of the line.
func (s *selector) lineStart() int {
	at := s.cursor
	for at > 0 && !strings.Contains(s.source[s.words[at-1][1]:s.words[at][0]], "\n") {
		at--
	}
	return at
}

// lineEnd returns the index of the last word of the line.
func (s *selector) lineEnd() int {
	at := s.cursor
	for at+1 < len(s.words) && !strings.Contains(s.source[s.words[at][1]:s.words[at+1][0]], "\n") {
		at++
	}
	return at
}

// sentenceStart returns the index of the first word of the sentence, or of the one before if the cursor is there.
func (s *selector) sentenceStart() int {
	at := max(s.cursor-1, 0)
	for at > 0 && !s.endsSentence(at-1) {
		at--
	}
	return at
}

// sentenceEnd returns the index of the last word of the sentence, or of the next one if the cursor is there.
func (s *selector) sentenceEnd() int {
	at := s.cursor
	if s.endsSentence(at) {
		at = min(at+1, len(s.words)-1)
	}
	for at+1 < len(s.words) && !s.endsSentence(at) {
		at++
	}
	return at
}

// endsSentence reports whether a word is the last one of a sentence.
func (s *selector) endsSentence(at int) bool {
	word := strings.TrimRight(s.word(at), `"'”’)]*_`)
	return strings.HasSuffix(word, ".") || strings.HasSuffix(word, "!") || strings.HasSuffix(word, "?")
}
