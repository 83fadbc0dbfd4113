package components

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/tui/render"
)

// LineOverlay is an overlay that is read and answered line by line, without a screen.
type LineOverlay interface {
	Overlay
	// PromptLines returns the question in a few lines.
	PromptLines() []string
	// AnswerLine passes a line that the user typed to the overlay. done reports whether the overlay is closed; if it is not,
	// reply is printed and another line is read.
	AnswerLine(line string) (cmd tea.Cmd, reply []string, done bool)
}

// PromptLines implements LineOverlay: the question with its numbered choices.
func (q *Question) PromptLines() []string {
	lines := strings.Split(enterHint.ReplaceAllString(q.Text, ""), "\n")
	if q.Confirm {
		return append(lines, "Answer yes, or anything else for no.")
	}
	for i, c := range q.Choices {
		lines = append(lines, fmt.Sprintf("%d: %s", i+1, c.Label))
	}
	return append(lines, "Answer with a number or the first letters; no leaves it.")
}

// enterHint matches the description of ⏎ in a question. It is omitted because an empty line does nothing.
var enterHint = regexp.MustCompile(` ?\(⏎: [^)]*\)`)

// AnswerLine implements LineOverlay.
func (q *Question) AnswerLine(line string) (cmd tea.Cmd, reply []string, done bool) {
	line = strings.TrimSpace(line)
	if q.Confirm {
		return q.Answer(line), nil, true
	}
	if line == "" || strings.EqualFold(line, "no") {
		return Toast("nothing done"), nil, true
	}
	chosen := slices.IndexFunc(q.Choices, func(c Choice) bool {
		return strings.HasPrefix(strings.ToLower(c.Label), strings.ToLower(line))
	})
	if n, err := strconv.Atoi(line); err == nil {
		chosen = n - 1
	}
	if chosen < 0 || chosen >= len(q.Choices) {
		return nil, []string{fmt.Sprintf("“%s” is none of the choices.", line)}, false
	}
	cmd, done = q.Choices[chosen].choose()
	return cmd, nil, done
}

// maxLineEntries is the number of entries of a palette that are listed at once.
const maxLineEntries = 8

// PromptLines implements LineOverlay.
func (p *Palette) PromptLines() []string {
	question := p.question
	if question == "" {
		question = "Go where, or do what?"
	}
	if len(p.all) > maxLineEntries {
		return []string{fmt.Sprintf("%s Answer with words of it; there are %d. An empty line leaves.", question, len(p.all))}
	}
	return append([]string{question}, p.entryLines(p.all)...)
}

// entryLines numbers entries.
func (p *Palette) entryLines(found []Entry) (lines []string) {
	for i, e := range found[:min(len(found), maxLineEntries)] {
		lines = append(lines, fmt.Sprintf("%d: %s (%s)", i+1, e.Text, e.Kind))
	}
	if more := len(found) - maxLineEntries; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: answer with more words of it", more))
	}
	return append(lines, "Answer with a number, or with other words.")
}

// AnswerLine implements LineOverlay: words list the matching entries, a number chooses one of them.
func (p *Palette) AnswerLine(line string) (cmd tea.Cmd, reply []string, done bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		return nil, nil, true
	}
	listed := p.matchingEntries()
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= min(len(listed), maxLineEntries) {
		return listed[n-1].Do(), nil, true
	}
	p.field = NewField(line, true)
	found := slices.DeleteFunc(slices.Clone(p.matchingEntries()), func(e Entry) bool { return !e.matchesWords(line) })
	switch {
	case len(found) == 1:
		return found[0].Do(), nil, true
	case len(found) == 0:
		found = p.matchingEntries()
	}
	if len(found) == 0 {
		return nil, []string{"Nothing is called that. Answer with other words; an empty line leaves."}, false
	}
	return nil, p.entryLines(p.matchingEntries()), false
}

// PromptLines implements LineOverlay.
func (p *prompt) PromptLines() []string {
	lines := []string{strings.TrimSpace(p.question)}
	if text := p.field.String(); text != "" {
		lines = append(lines, "It is now: "+text)
	}
	return append(lines, "Answer with a line; an empty line leaves it.")
}

// AnswerLine implements LineOverlay: the line replaces the text.
func (p *prompt) AnswerLine(line string) (cmd tea.Cmd, reply []string, done bool) {
	p.field = NewField(line, true)
	if fault := p.invalidReason(); fault != "" {
		return nil, []string{"Not accepted: it " + fault}, false
	}
	cmd, done = p.finish()
	return cmd, nil, done
}

// PromptLines implements LineOverlay.
func (f *finder) PromptLines() []string {
	return []string{"Search here for which words? An empty line leaves."}
}

// AnswerLine implements LineOverlay: the cursor goes to the first line with the words.
func (f *finder) AnswerLine(line string) (cmd tea.Cmd, reply []string, done bool) {
	line = strings.TrimSpace(line)
	f.list.Search(line)
	_, found := f.list.Count(f.list.IsMatch)
	if line == "" || found == 0 {
		_, _ = f.cancel() // closes the search in any case
		return Toast("no line has “%s”", line), nil, true
	}
	return Toast("%s; n goes to the next one, esc ends the search", render.Plural(found, "line")), nil, true
}

// wordsPerLine is the number of words in a line of a text whose words are numbered.
const wordsPerLine = 12

// PromptLines implements LineOverlay: the words with their numbers.
func (s *selector) PromptLines() []string {
	lines := []string{"Which words? Each has a number."}
	for at := 0; at < len(s.words); at += wordsPerLine {
		var words []string
		for i := at; i < min(at+wordsPerLine, len(s.words)); i++ {
			words = append(words, fmt.Sprintf("%d %s", i+1, s.source[s.words[i][0]:s.words[i][1]]))
		}
		lines = append(lines, strings.Join(words, ", "))
	}
	return append(lines, "Answer with 3, 3-5 or the words themselves; an empty line leaves.")
}

// AnswerLine implements LineOverlay: it chooses words, reads them back, and then comments on them or suggests others.
func (s *selector) AnswerLine(line string) (cmd tea.Cmd, reply []string, done bool) {
	line = strings.TrimSpace(line)
	chosen := s.hasChosen
	s.hasChosen = false
	switch {
	case line == "":
		return nil, nil, true
	case chosen && (line == "c" || line == "comment"):
		cmd, done = s.choose(s.comment)()
		return cmd, nil, done
	case chosen && s.suggest != nil && (line == "s" || line == "suggest"):
		cmd, done = s.choose(s.suggest)()
		return cmd, nil, done
	}
	from, to, ok := s.find(line)
	if !ok {
		return nil, []string{fmt.Sprintf("“%s” is not in the text.", line)}, false
	}
	s.from, s.cursor, s.extending, s.hasChosen = from, to, true, true
	start, end := s.bounds()
	if s.spansCells(start, end) {
		s.hasChosen = false
		return nil, []string{"That leaves a cell of the table: choose less."}, false
	}
	next := "c comments on it"
	if s.suggest != nil {
		next += ", s suggests other words"
	}
	return nil, []string{fmt.Sprintf("“%s”, words %d to %d. %s; other numbers or words choose again.",
		strings.Join(strings.Fields(s.source[start:end]), " "),
		from+1, to+1, next)}, false
}

// find returns the indexes of the words that a line chooses: numbers, or a part of the text.
func (s *selector) find(line string) (from, to int, ok bool) {
	first, last, isRange := strings.Cut(line, "-")
	a, errA := strconv.Atoi(strings.TrimSpace(first))
	b := a
	var errB error
	if isRange {
		b, errB = strconv.Atoi(strings.TrimSpace(last))
	}
	if errA == nil && errB == nil {
		from, to = min(a, b)-1, max(a, b)-1
		return from, to, from >= 0 && to < len(s.words)
	}
	wanted := strings.Fields(line)
	for from = 0; from+len(wanted) <= len(s.words); from++ {
		if s.hasWordsAt(from, wanted) {
			return from, from + len(wanted) - 1, true
		}
	}
	return 0, 0, false
}

// hasWordsAt reports whether the words from an index are the wanted ones, without regard to case and punctuation.
func (s *selector) hasWordsAt(from int, wanted []string) bool {
	plain := func(word string) string { return strings.TrimFunc(word, unicode.IsPunct) }
	for i, word := range wanted {
		at := s.words[from+i]
		if own := s.source[at[0]:at[1]]; !strings.EqualFold(own, word) && !strings.EqualFold(plain(own), plain(word)) {
			return false
		}
	}
	return true
}
