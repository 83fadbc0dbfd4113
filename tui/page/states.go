package page

import (
	"fmt"
	"time"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// StateRows returns the placeholder for missing content, with the keys that act: it describes a load in progress or an error,
// or is the text nothing if the content is empty. It returns nil if there is content.
func (f *Frame) StateRows(c remote.LoadState, empty bool, nothing string, width int) []components.Row {
	switch {
	case c.Loaded && !empty:
		return nil
	case c.Busy && !c.Loaded:
		return waitingRows(f.Session.Now().Sub(c.StartedAt), width)
	case c.Err != nil && !c.Loaded:
		return errorRows(c.Err, width)
	default:
		return Notice(width, render.In(render.Dim, nothing), render.In(render.Dim, "R reloads, esc goes back."))
	}
}

// waitingRows returns the placeholder for content that was requested a while ago.
func waitingRows(wait time.Duration, width int) []components.Row {
	switch text := WaitingText(wait); {
	case text == "":
		return Notice(width, render.In(render.Dim, "Loading …"))
	case wait < remote.OverdueAfter:
		return Notice(width, render.In(render.Dim, "The server: "+text+". Esc goes back."))
	default:
		return Notice(width, render.In(render.Warning, "The server: "+text+"."), render.Plain("R asks again, esc goes back."))
	}
}

// WaitingText describes a wait for an answer of the server, or returns "" if it is too short to report.
func WaitingText(wait time.Duration) string {
	switch {
	case wait < remote.ReportedAfter:
		return ""
	case wait < remote.CountedAfter:
		return "no answer yet"
	default:
		return fmt.Sprintf("no answer for %d s", wait/time.Second)
	}
}

func errorRows(err error, width int) []components.Row {
	spans := []render.Span{render.NewSpan(render.Style{Tone: render.Failure, Bold: true}, "! "+remote.DescribeError(err).Sentence)}
	for _, line := range remote.ErrorLines(err) {
		spans = append(spans, render.In(render.Dim, line))
	}
	return Notice(width, append(spans, render.Plain("R tries again, esc goes back."))...)
}

// Notice returns the rows of a placeholder for missing content.
func Notice(width int, spans ...render.Span) []components.Row {
	var rows []components.Row
	for _, s := range spans {
		for _, line := range render.Wrap(render.Line{s}, width, nil) {
			rows = append(rows, components.Row{Key: noticeKey, Line: line})
		}
	}
	return rows
}

// noticeKey is the key of the rows of placeholders.
const noticeKey = "notice"

// IsNotice reports whether a row belongs to a placeholder.
func IsNotice(r components.Row) bool { return r.Key == noticeKey }

// RowPosition formats the position of the cursor for the first line of the screen.
func RowPosition(at, all int) render.Line {
	return render.Line{render.In(render.Dim, fmt.Sprintf("row %d of %d", at, all))}
}
