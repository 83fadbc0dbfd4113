package tui

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// stateRows are what stands in place of content that is not there; nil when there is some. Each says which key acts.
func stateRows(c condition, empty bool, nothing string, width int) []row {
	switch {
	case c.loaded && !empty:
		return nil
	case c.busy && !c.loaded:
		return notice(width, text.In(text.Dim, "Loading … (esc goes back)"))
	case c.err != nil && !c.loaded:
		return troubleRows(c.err, width)
	default:
		return notice(width, text.In(text.Dim, nothing), text.In(text.Dim, "R looks again, esc goes back."))
	}
}

func troubleRows(err error, width int) []row {
	says := map[string]string{
		"offline":       "The server does not answer.",
		"not signed in": "The server does not know this token: wsctl auth login.",
		"not allowed":   "You may not see this.",
		"not found":     "This is not there, or you may not see it.",
		"server busy":   "The server is away or busy.",
		"refused":       "The server refuses this.",
		"cancelled":     "This was not loaded.",
	}
	kind := trouble(err)
	spans := []text.Span{text.Of(text.Style{Tone: text.Failure, Bold: true}, "! "+says[kind])}
	for _, line := range errorLines(err) {
		spans = append(spans, text.In(text.Dim, line))
	}
	return notice(width, append(spans, text.Plain("R tries again, esc goes back."))...)
}

// errorLines is an error with its hint and its fields.
func errorLines(err error) []string {
	refused, ok := api.AsError(err)
	if !ok {
		return []string{err.Error()}
	}
	lines := []string{refused.Message}
	for _, f := range refused.Fields {
		lines = append(lines, f.Path+": "+f.Message)
	}
	if refused.Hint != "" {
		lines = append(lines, "hint: "+refused.Hint)
	}
	return lines
}

func notice(width int, spans ...text.Span) []row {
	var rows []row
	for _, s := range spans {
		for _, line := range text.Wrap(text.Line{s}, width, nil) {
			rows = append(rows, row{key: "notice", line: line})
		}
	}
	return rows
}
