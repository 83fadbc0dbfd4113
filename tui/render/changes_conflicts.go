package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// ConflictTitle says what a conflict is about: the page, where on it, and which setting.
func ConflictTitle(c api.Conflict) string {
	var parts []string
	for _, part := range []string{c.Title, c.Place} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch {
	case c.Variable != "":
		parts = append(parts, c.Variable)
	case c.AttributeLabel != "":
		parts = append(parts, c.AttributeLabel)
	}
	return strings.Join(parts, " › ")
}

// Whose says who made a side of a conflict what it is, and when. me is the user who reads it, "" for nobody.
func Whose(s api.ConflictSide, me string, ago func(time.Time) string) string {
	var parts []string
	if r := s.ChangeRequest; r != nil {
		about := fmt.Sprintf("#%d", r.Number)
		if r.Subject != "" {
			about += fmt.Sprintf(" “%s”", r.Subject)
		}
		parts = append(parts, about)
	}
	if s.Source != nil && s.Source.Name != "" {
		parts = append(parts, s.Source.Name)
	}
	if s.By != nil {
		name := s.By.DisplayName
		if s.By.ID == me {
			name = "you"
		}
		parts = append(parts, name)
	}
	if s.At != nil {
		parts = append(parts, ago(s.At.Time))
	}
	return strings.Join(parts, ", ")
}

// ConflictText draws what a side of a conflict has: its words with what changed, or else what it says.
func ConflictText(c api.Conflict, s api.ConflictSide, marks Marks) Line {
	switch {
	case s.Absent:
		return Line{In(Dim, "("+strings.TrimSuffix(s.Value, ".")+")")} // no reader takes it for the text itself
	case len(s.Runs) == 0:
		return Line{Plain(c.Readable(s.Value))}
	}
	runs := make([]api.TextRun, len(s.Runs))
	var whole strings.Builder
	for i, run := range s.Runs {
		runs[i] = run
		runs[i].Text = c.Readable(run.Text)
		if run.Change != api.TextRemoved {
			whole.WriteString(run.Text)
		}
	}
	words := Inline(runs, marks)
	if strings.TrimSpace(whole.String()) == strings.TrimSpace(s.Value) || c.Block != "" {
		return words
	}
	return Join(Line{Plain(s.Value + " “")}, words, Line{Plain("”")}) // they are an excerpt of what it says
}

// ConflictParagraphs are what a side of a conflict has, as ConflictText draws it, cut at its blank lines.
func ConflictParagraphs(c api.Conflict, s api.ConflictSide, marks Marks) []Line {
	var out []Line
	for _, part := range paragraphs(s) {
		out = append(out, ConflictText(c, part, marks))
	}
	return out
}

// paragraphs cuts a side at the blank lines of its text; a side that has none, or words about something, stays whole.
func paragraphs(s api.ConflictSide) []api.ConflictSide {
	const blank = "\n\n"
	if len(s.Runs) == 0 {
		var out []api.ConflictSide
		for part := range strings.SplitSeq(s.Value, blank) {
			if part = strings.TrimSpace(part); part != "" {
				one := s
				one.Value = part
				out = append(out, one)
			}
		}
		return out
	}
	all := [][]api.TextRun{nil}
	for _, run := range s.Runs {
		for i, part := range strings.Split(run.Text, blank) {
			if i > 0 {
				all = append(all, nil)
			}
			if part != "" {
				run.Text = part
				all[len(all)-1] = append(all[len(all)-1], run)
			}
		}
	}
	all = slices.DeleteFunc(all, func(runs []api.TextRun) bool { return len(runs) == 0 })
	if len(all) < 2 {
		return []api.ConflictSide{s}
	}
	out := make([]api.ConflictSide, len(all))
	for i, runs := range all {
		out[i] = s
		_, after := bothTexts(runs)
		out[i].Runs, out[i].Value = runs, after
	}
	return out
}

// ConflictContext draws the text around a conflict, nothing where there is none.
func ConflictContext(c api.Conflict) (before, after Line) {
	if c.Before != "" {
		before = Line{In(Dim, c.Readable(c.Before))}
	}
	if c.After != "" {
		after = Line{In(Dim, c.Readable(c.After))}
	}
	return before, after
}
