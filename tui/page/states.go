package page

import (
	"fmt"

	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
)

// StateRows returns the placeholder for missing content, with the keys that act, or nil if there is content.
func StateRows(c remote.LoadState, empty bool, nothing string, width int) []components.Row {
	switch {
	case c.Loaded && !empty:
		return nil
	case c.Busy && !c.Loaded:
		return Notice(width, render.In(render.Dim, "Loading … (esc goes back)"))
	case c.Err != nil && !c.Loaded:
		return troubleRows(c.Err, width)
	default:
		return Notice(width, render.In(render.Dim, nothing), render.In(render.Dim, "R reloads, esc goes back."))
	}
}

func troubleRows(err error, width int) []components.Row {
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
