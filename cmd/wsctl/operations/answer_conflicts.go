package operations

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// takeNames maps the resolutions of a conflict to the words of --resolve for change requests. In an import, theirs is
// called source.
var takeNames = map[api.ResolutionTake]string{
	api.TakeOurs: "space", api.TakeTheirs: "request", api.TakeBoth: "both", api.TakeText: "@FILE",
}

// writeMerge writes the answer of a merge. Conflicts are returned as an app.ConflictError, because nothing was applied.
func (w *Writer) writeMerge(body []byte) error {
	var result api.MergeResult
	if err := json.Unmarshal(body, &result); err != nil {
		return err
	}
	if result.Result != api.OutcomeConflicts {
		return w.printer.Value(body)
	}
	if err := w.writeConflicts(body, result.Conflicts, "request"); err != nil {
		return err
	}
	failed := conflictError(result.Conflicts)
	failed.Hint = "decide: " + w.resolveCommand(result.Conflicts)
	return failed
}

// conflictsCommand returns the command that shows the conflicts of a change request, given as an argument.
func conflictsCommand(request string) string { return "wsctl change-requests conflicts " + request }

// conflictError returns the error of a merge with conflicts.
func conflictError(conflicts []api.Conflict) *app.ConflictError {
	return &app.ConflictError{Message: app.Pluralize(len(conflicts), "conflict") + "; nothing was applied"}
}

// writeConflictList writes the conflicts that a merge would have: described for people, unchanged for programs.
func (w *Writer) writeConflictList(body []byte) error {
	var answer api.ConflictList
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := w.writeConflicts(body, answer.Conflicts, "request"); err != nil {
		return err
	}
	if len(answer.Conflicts) == 0 {
		w.app.Infof("there are no conflicts")
		return nil
	}
	w.app.Infof("%s; decide: %s", app.Pluralize(len(answer.Conflicts), "conflict"), w.resolveCommand(answer.Conflicts))
	return nil
}

// resolveCommand returns a command line that resolves conflicts, with an example resolution for each of the first few.
func (w *Writer) resolveCommand(conflicts []api.Conflict) string {
	const most = 3
	args := []string{"wsctl change-requests pull", w.options.Subject}
	for i, c := range conflicts[:min(len(conflicts), most)] {
		args = append(args, fmt.Sprintf("--resolve %d=%s", i+1, resolutionNames(c, "request")))
	}
	if len(conflicts) > most {
		args = append(args, "...")
	}
	return strings.Join(args, " ")
}

// resolutionNames returns the possible resolutions of a conflict as words of --resolve, separated by |.
func resolutionNames(c api.Conflict, theirs string) string {
	names := make([]string, len(c.Answers))
	for i, a := range c.Answers {
		names[i] = takeName(a.Take, theirs)
	}
	return strings.Join(names, "|")
}

func takeName(take api.ResolutionTake, theirs string) string {
	if take == api.TakeTheirs {
		return theirs
	}
	return takeNames[take]
}

// writeConflicts writes conflicts as prose by default, as rows in formats with rows, and as the whole answer
// otherwise. theirs is the label of the incoming side.
func (w *Writer) writeConflicts(body []byte, conflicts []api.Conflict, theirs string) error {
	if isRendered(w.printer, true) && len(w.printer.Columns) == 0 {
		return w.writeLines(w.conflictLines(conflicts, theirs))
	}
	if !w.printer.WritesRows() {
		return w.printer.Value(body)
	}
	if len(w.printer.Columns) == 0 {
		w.printer.Columns = app.ParseColumns(api.ColumnsOf[api.Conflict]())
	}
	return app.PrintItems(w.printer, conflicts)
}

// proseWidth returns the width of prose in cells.
func (w *Writer) proseWidth() int {
	if w.app.OutTerminal && w.app.Width > 0 {
		return min(w.app.Width, maxProseWidth)
	}
	return math.MaxInt32
}

// writeLines writes rendered lines, which are already safe for a terminal.
func (w *Writer) writeLines(lines []render.Line) error {
	theme := render.NewTheme(render.PaletteFor(w.app.Getenv, "auto", render.DisplayOf(w.app.Getenv)))
	for _, line := range lines {
		text := strings.TrimRight(line.String(), " ")
		if w.printer.Color {
			text = theme.Paint(line)
		}
		if _, err := fmt.Fprintln(w.app.Out, text); err != nil {
			return err
		}
	}
	return nil
}

// conflictLines renders conflicts: the subject of each, its sides with their authors, and the effect of each
// resolution.
func (w *Writer) conflictLines(conflicts []api.Conflict, theirs string) (lines []render.Line) {
	for i, c := range conflicts {
		if i > 0 {
			lines = append(lines, render.Line{})
		}
		number := fmt.Sprintf("%d  ", i+1)
		lines = append(lines, w.wrapLines(number, render.Section(render.ConflictTitle(c)))...)
		lines = append(lines, w.wrapLines("   ", render.Line{render.Plain(c.Summary)})...)
		before, after := render.ConflictContext(c)
		lines = append(lines, w.labeledLines("...", before)...)
		if c.Base != nil {
			lines = append(lines, w.textLines(c, "before", *c.Base)...)
		}
		lines = append(lines, w.sideLines(c, "space", c.Ours)...)
		lines = append(lines, w.sideLines(c, theirs, c.Theirs)...)
		lines = append(lines, w.labeledLines("...", after)...)
		for _, a := range c.Answers {
			answer := fmt.Sprintf("%d=%s", i+1, takeName(a.Take, theirs))
			lines = append(lines, w.wrapLines("   "+render.PadColumn(answer, answerWidth), render.Line{render.Plain(a.Effect)})...)
		}
	}
	return lines
}

const (
	labelWidth  = 10
	answerWidth = 13
)

// sideLines renders a side of a conflict, followed by its author.
func (w *Writer) sideLines(c api.Conflict, label string, s api.ConflictSide) []render.Line {
	lines := w.textLines(c, label, s)
	if whose := render.SideAuthor(s, "", w.formatAge); whose != "" {
		lines = append(lines, w.labeledLines("", render.Line{render.In(render.Dim, whose)})...)
	}
	return lines
}

// textLines renders the text of a side, with a label before its first paragraph.
func (w *Writer) textLines(c api.Conflict, label string, s api.ConflictSide) (lines []render.Line) {
	for i, words := range render.ConflictParagraphs(c, s, w.changeMarks()) {
		if i > 0 {
			label = ""
		}
		lines = append(lines, w.labeledLines(label, words)...)
	}
	return lines
}

// labeledLines renders text after a label, with continuation lines indented. It returns no lines for an empty text.
func (w *Writer) labeledLines(label string, words render.Line) []render.Line {
	if len(words) == 0 {
		return nil
	}
	return w.wrapLines("   "+render.PadColumn(label, labelWidth), words)
}

// wrapLines wraps words after a prefix, with continuation lines indented by the width of the prefix.
func (w *Writer) wrapLines(begin string, words render.Line) (lines []render.Line) {
	indent := render.Line{render.Plain(strings.Repeat(" ", len([]rune(begin))))}
	for i, line := range render.Wrap(words, max(w.proseWidth()-indent.Width(), 1), nil) {
		lead := indent
		if i == 0 {
			lead = render.Line{render.Plain(begin)}
		}
		lines = append(lines, render.Join(lead, line))
	}
	return lines
}

// formatAge formats the time since at for people.
func (w *Writer) formatAge(at time.Time) string {
	switch d := w.app.Now().Sub(at); {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	}
	return at.Format(time.DateOnly)
}
