package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// ConflictTitle returns the heading of a conflict: the page, the position on it or the kind of conflict, and the
// setting if there is one.
func ConflictTitle(c api.Conflict) string {
	var parts []string
	place := c.Place
	if kind := conflictKinds[c.Kind]; kind != "" && c.Block == "" {
		place = kind
	}
	for _, part := range []string{c.Title, place} {
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

// conflictKinds names the kinds of conflicts about a whole page or a file, for which a position on the page has no meaning.
var conflictKinds = map[string]string{
	"deleted": "deleted on one side", "moved": "moved to two places", "order": "order among its neighbours",
	"cycle": "pages below each other", "file": "file",
}

// SideAuthor returns the author and age of a side of a conflict. me is the id of the reader, or "" if nobody is signed in.
func SideAuthor(s api.ConflictSide, me string, ago func(time.Time) string) string {
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

// ConflictText draws the content of a side of a conflict: the text with its changes marked, or else its value.
func ConflictText(c api.Conflict, s api.ConflictSide, marks Marks) Line {
	switch {
	case s.Absent:
		return Line{In(Dim, "("+strings.TrimSuffix(s.Value, ".")+")")} // parenthesized, so that it is not taken for text of the page
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
	return Join(Line{Plain(s.Value + " “")}, words, Line{Plain("”")}) // an excerpt of the value
}

// ConflictParagraphs draws the content of a side like ConflictText, split at blank lines.
func ConflictParagraphs(c api.Conflict, s api.ConflictSide, marks Marks) []Line {
	var out []Line
	for _, part := range paragraphs(s) {
		out = append(out, ConflictText(c, part, marks))
	}
	return out
}

// paragraphs splits a side at the blank lines of its text. A side that has none, or only a description, is returned
// whole.
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
		_, after := sideTexts(runs)
		out[i].Runs, out[i].Value = runs, after
	}
	return out
}

// ConflictContext draws the text before and after a conflict. Both lines are empty if the server sent no context.
func ConflictContext(c api.Conflict) (before, after Line) {
	if c.Before != "" {
		before = Line{In(Dim, c.Readable(c.Before))}
	}
	if c.After != "" {
		after = Line{In(Dim, c.Readable(c.After))}
	}
	return before, after
}
