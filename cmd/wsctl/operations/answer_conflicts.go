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
	"docspace.dev/wsd/tui/term"
)

// takes are what people write for the sides of a conflict of a change request; of an import, the other side is the source.
var takes = map[api.ResolutionTake]string{
	api.TakeOurs: "space", api.TakeTheirs: "request", api.TakeBoth: "both", api.TakeText: "@FILE",
}

// merge writes the answer of a merge. Conflicts are an error: the merge was understood and nothing was applied.
func (w *Writer) merge(body []byte) error {
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
	return &app.ConflictError{
		Message: app.Count(len(result.Conflicts), "conflict") + "; nothing was applied",
		Hint:    "decide: " + w.deciding(result.Conflicts),
	}
}

// conflicts writes the conflicts that a merge would meet: in words for people, and as they came for programs that say so.
func (w *Writer) conflicts(body []byte) error {
	var answer api.ConflictList
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := w.writeConflicts(body, answer.Conflicts, "request"); err != nil {
		return err
	}
	if len(answer.Conflicts) == 0 {
		w.app.Say("there are no conflicts")
		return nil
	}
	w.app.Say("%s; decide: %s", app.Count(len(answer.Conflicts), "conflict"), w.deciding(answer.Conflicts))
	return nil
}

// deciding is the command that decides conflicts, with an answer for each of the first few.
func (w *Writer) deciding(conflicts []api.Conflict) string {
	const most = 3
	words := []string{"wsctl change-requests pull", w.options.Subject}
	for i, c := range conflicts[:min(len(conflicts), most)] {
		words = append(words, fmt.Sprintf("--resolve %d=%s", i+1, answersOf(c, "request")))
	}
	if len(conflicts) > most {
		words = append(words, "...")
	}
	return strings.Join(words, " ")
}

// answersOf are the answers of a conflict as --resolve takes them.
func answersOf(c api.Conflict, theirs string) string {
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
	return takes[take]
}

// writeConflicts writes conflicts in words where nothing is said of the output, as rows where it has rows, and else the
// answer that has them. theirs is what people call the side that is not the space's.
func (w *Writer) writeConflicts(body []byte, conflicts []api.Conflict, theirs string) error {
	if forPeople(w.printer, true) && len(w.printer.Columns) == 0 {
		return w.drawn(w.conflictLines(conflicts, theirs))
	}
	if !w.printer.Rows() {
		return w.printer.Value(body)
	}
	if len(w.printer.Columns) == 0 {
		w.printer.Columns = app.ParseColumns(api.ColumnsOf[api.Conflict]())
	}
	return app.Items(w.printer, conflicts)
}

// width is how wide texts for people are.
func (w *Writer) width() int {
	if w.app.OutTerminal && w.app.Width > 0 {
		return min(w.app.Width, proseWidth)
	}
	return math.MaxInt32
}

// drawn writes lines, which are safe for a terminal already.
func (w *Writer) drawn(lines []render.Line) error {
	theme := render.NewTheme(render.PaletteFor(w.app.Env, "auto", term.Dark(w.app.Env("COLORFGBG"))))
	for _, line := range lines {
		shown := strings.TrimRight(line.String(), " ")
		if w.printer.Color {
			shown = theme.Paint(line)
		}
		if _, err := fmt.Fprintln(w.app.Out, shown); err != nil {
			return err
		}
	}
	return nil
}

// conflictLines draws conflicts: what each is about, its sides with who made them, and what each answer does.
func (w *Writer) conflictLines(conflicts []api.Conflict, theirs string) (lines []render.Line) {
	for i, c := range conflicts {
		if i > 0 {
			lines = append(lines, render.Line{})
		}
		number := fmt.Sprintf("%d  ", i+1)
		lines = append(lines, w.wrapped(number, render.Section(render.ConflictTitle(c)))...)
		lines = append(lines, w.wrapped("   ", render.Line{render.Plain(c.Summary)})...)
		before, after := render.ConflictContext(c)
		lines = append(lines, w.labelled("...", before)...)
		if c.Base != nil {
			lines = append(lines, w.textLines(c, "before", *c.Base)...)
		}
		lines = append(lines, w.sideLines(c, "space", c.Ours)...)
		lines = append(lines, w.sideLines(c, theirs, c.Theirs)...)
		lines = append(lines, w.labelled("...", after)...)
		for _, a := range c.Answers {
			answer := fmt.Sprintf("%d=%s", i+1, takeName(a.Take, theirs))
			lines = append(lines, w.wrapped("   "+render.Column(answer, answerColumn), render.Line{render.Plain(a.Effect)})...)
		}
	}
	return lines
}

const (
	labelColumn  = 10
	answerColumn = 13
)

// sideLines draw a side, and below it whose it is.
func (w *Writer) sideLines(c api.Conflict, label string, s api.ConflictSide) []render.Line {
	lines := w.textLines(c, label, s)
	if whose := render.Whose(s, "", w.ago); whose != "" {
		lines = append(lines, w.labelled("", render.Line{render.In(render.Dim, whose)})...)
	}
	return lines
}

// textLines draw what a side has, with a word before its first paragraph.
func (w *Writer) textLines(c api.Conflict, label string, s api.ConflictSide) (lines []render.Line) {
	for i, words := range render.ConflictParagraphs(c, s, w.marks()) {
		if i > 0 {
			label = ""
		}
		lines = append(lines, w.labelled(label, words)...)
	}
	return lines
}

// labelled draws a text with a word before it, its further lines indented; nothing for no text.
func (w *Writer) labelled(label string, words render.Line) []render.Line {
	if len(words) == 0 {
		return nil
	}
	return w.wrapped("   "+render.Column(label, labelColumn), words)
}

// wrapped draws words behind a beginning, under which further lines are indented.
func (w *Writer) wrapped(begin string, words render.Line) (lines []render.Line) {
	indent := render.Line{render.Plain(strings.Repeat(" ", len([]rune(begin))))}
	for i, line := range render.Wrap(words, max(w.width()-indent.Width(), 1), nil) {
		lead := indent
		if i == 0 {
			lead = render.Line{render.Plain(begin)}
		}
		lines = append(lines, render.Join(lead, line))
	}
	return lines
}

// ago is how long something is past, for people.
func (w *Writer) ago(at time.Time) string {
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
