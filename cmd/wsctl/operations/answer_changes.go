package operations

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// maxProseWidth is the maximum width of wrapped text in cells.
const maxProseWidth = 100

// writeChanges writes a list of changes or a diff: drawn like in the full-screen interface for people, unchanged
// otherwise.
func (w *Writer) writeChanges(response client.Response) error {
	if strings.HasPrefix(response.Header.Get("Content-Type"), api.MediaPatch) {
		w.reportLeftOut(string(response.Body))
		return w.printer.Text(string(response.Body))
	}
	if !isRendered(w.printer, w.row.View() == api.ViewDiff) {
		return w.writeValue(response.Body)
	}
	lines, more, err := w.changeLines(response.Body, w.proseWidth())
	if err != nil {
		return err
	}
	if err := w.writeLines(lines); err != nil {
		return err
	}
	switch {
	case more > 0:
		w.app.Infof("%d more; --limit 100 shows more of them", more)
	case len(lines) == 0:
		w.app.Infof("nothing changed")
	}
	return nil
}

// reportLeftOut prints the comments of a patch, which name what is not in it: programs that apply it do not.
func (w *Writer) reportLeftOut(patch string) {
	const shown = 10
	n := 0
	for line := range strings.Lines(patch) {
		if comment, ok := strings.CutPrefix(line, "# "); ok {
			if n++; n <= shown {
				w.app.Infof("not in the patch: %s", app.SanitizeLine(strings.TrimSpace(comment)))
			}
		}
	}
	if n > shown {
		w.app.Infof("not in the patch: %d more", n-shown)
	}
}

// isRendered reports whether a response is drawn for people. With always it is also drawn in the default format of a
// pipe, because a diff has no columns.
func isRendered(p *app.Printer, always bool) bool {
	if p.JQ != "" || p.Template != "" {
		return false
	}
	return p.IsAligned() || always && p.Format == app.FormatAuto
}

// changeMarks returns the style of changed words: background colors if color is enabled, symbols otherwise.
func (w *Writer) changeMarks() render.Marks {
	if w.printer.Color {
		return render.Grounds
	}
	return render.Brackets
}

// changeLines renders the changes or the diff in body. It returns the number of changes that the server left out as
// more.
func (w *Writer) changeLines(body []byte, width int) (lines []render.Line, more int, err error) {
	if w.row.View() == api.ViewDiff {
		var d api.ContentDiff
		err = json.Unmarshal(body, &d)
		return render.Diff(d, width, w.changeMarks()), d.More, err
	}
	var c api.SemanticChanges
	err = json.Unmarshal(body, &c)
	return render.Summary(c, width), c.More, err
}
