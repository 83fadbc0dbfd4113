package changes

import (
	"fmt"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
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
func ConflictText(c api.Conflict, s api.ConflictSide, marks Marks) text.Line {
	switch {
	case s.Absent:
		return text.Line{text.In(text.Dim, "("+strings.TrimSuffix(s.Value, ".")+")")} // no reader takes it for the text itself
	case len(s.Runs) == 0:
		return text.Line{text.Plain(c.Readable(s.Value))}
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
	return text.Join(text.Line{text.Plain(s.Value + " “")}, words, text.Line{text.Plain("”")}) // they are an excerpt of what it says
}

// ConflictContext draws the text around a conflict, nothing where there is none.
func ConflictContext(c api.Conflict) (before, after text.Line) {
	if c.Before != "" {
		before = text.Line{text.In(text.Dim, c.Readable(c.Before))}
	}
	if c.After != "" {
		after = text.Line{text.In(text.Dim, c.Readable(c.After))}
	}
	return before, after
}
