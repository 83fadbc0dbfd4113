package operations

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/tui/render"
)

// proseWidth is the width in cells to which texts are wrapped on a wide terminal.
const proseWidth = 100

// changes writes what changed: for people as the screen draws it, else as it came.
func (w *Writer) changes(response client.Response) error {
	if strings.HasPrefix(response.Header.Get("Content-Type"), api.MediaPatch) {
		return w.printer.Text(string(response.Body))
	}
	if !forPeople(w.printer, w.row.View() == api.ViewDiff) {
		return w.value(response.Body)
	}
	lines, more, err := w.changeLines(response.Body, w.width())
	if err != nil {
		return err
	}
	if err := w.drawn(lines); err != nil {
		return err
	}
	switch {
	case more > 0:
		w.app.Say("%d more; --limit 100 shows more of them", more)
	case len(lines) == 0:
		w.app.Say("nothing changed")
	}
	return nil
}

// forPeople reports whether an answer is drawn. A diff is also drawn where nothing is said of the format: it has no
// columns.
func forPeople(p *app.Printer, always bool) bool {
	if p.JQ != "" || p.Template != "" {
		return false
	}
	return p.Aligned() || always && p.Format == app.Auto
}

// marks are how changed words are told from others: by grounds where there are colours.
func (w *Writer) marks() render.Marks {
	if w.printer.Color {
		return render.Grounds
	}
	return render.Brackets
}

// changeLines draws an answer.
func (w *Writer) changeLines(body []byte, width int) (lines []render.Line, more int, err error) {
	if w.row.View() == api.ViewDiff {
		var d api.ContentDiff
		err = json.Unmarshal(body, &d)
		return render.Diff(d, width, w.marks()), d.More, err
	}
	var c api.SemanticChanges
	err = json.Unmarshal(body, &c)
	return render.Summary(c, width), c.More, err
}
