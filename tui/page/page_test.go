package page_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/tuitest"
)

// testPage is a page with three rows, which name the width that they were laid out for.
type testPage struct {
	page.Details
	layouts int // number of calls of Rows
}

func newTestPage() *testPage {
	n := &testPage{Details: page.Details{Frame: page.NewFrame(nil)}}
	n.Draw = func(width int) []components.Row {
		n.layouts++
		var rows []components.Row
		for i := range 3 {
			text := fmt.Sprintf("row %d of width %d", i, width)
			rows = append(rows, components.Row{Key: fmt.Sprint(i), Line: render.Line{render.Plain(text)}})
		}
		return rows
	}
	return n
}

func (n *testPage) Rows(width int) []components.Row { return n.Draw(width) }

// previewTestPage is a page with a preview pane.
type previewTestPage struct {
	*testPage
	pane        page.Page
	followCount int // number of calls of Follow
}

func (p *previewTestPage) Preview() page.Page { return p.pane }

func (p *previewTestPage) Follow() tea.Cmd { p.followCount++; return nil }

// sideTestPage is a page with a left pane in windows from 60 columns on.
type sideTestPage struct{ *testPage }

func (p *sideTestPage) SideWidth(window int) int {
	if window < 60 {
		return 0
	}
	return 10
}

func (p *sideTestPage) Side(int, int) []render.Line {
	return []render.Line{{render.Plain("neighbours")}}
}

func TestRowsAreLaidOutOncePerWidth(t *testing.T) {
	t.Parallel()
	n := newTestPage()
	page.Layout(n, 80)
	page.Layout(n, 80)
	tuitest.Text(n, 80, 10)
	if n.layouts != 1 {
		t.Errorf("%d layouts of the same width", n.layouts)
	}
	page.Layout(n, 60)
	page.MarkStale(n)
	page.Layout(n, 60)
	if n.layouts != 3 {
		t.Errorf("%d layouts of two widths and a change", n.layouts)
	}
	if row, ok := n.Selected(); !ok || row.Line.String() != fmt.Sprintf("row 0 of width %d", 60-components.Gutter) {
		t.Errorf("the cursor is on %q, %v", row.Line.String(), ok)
	}
}

func TestCursorStaysOnItsRow(t *testing.T) {
	t.Parallel()
	n := newTestPage()
	page.Layout(n, 80)
	n.List.Move(1)
	page.Layout(n, 40)
	if row, _ := n.Selected(); row.Key != "1" {
		t.Errorf("the cursor is on row %s", row.Key)
	}
	isLast := func(r components.Row) bool { return r.Key == "2" }
	if cmd := n.Next(1, "no such row", isLast)(); cmd != nil {
		t.Errorf("it reports %v", cmd())
	}
	if row, _ := n.Selected(); !isLast(row) {
		t.Errorf("the cursor is on row %s", row.Key)
	}
	none := n.Next(1, "no such row", func(components.Row) bool { return false })()
	if toast, ok := none().(components.ToastMsg); !ok || toast.Text != "no such row" {
		t.Errorf("it reports %+v", toast)
	}
}

// TestPreviewPaneNeedsWideWindow checks that the preview pane is drawn, laid out and updated only in windows from 100 columns
// on.
func TestPreviewPaneNeedsWideWindow(t *testing.T) {
	t.Parallel()
	p := &previewTestPage{testPage: newTestPage(), pane: newTestPage()}
	page.Follow(p, 99)
	if shown := tuitest.Text(p, 99, 3); p.followCount != 0 || strings.Contains(shown, "│") || page.OwnWidth(p, 99) != 99 {
		t.Errorf("%d calls of Follow, and\n%s", p.followCount, shown)
	}
	page.Follow(p, 100)
	left := page.OwnWidth(p, 100)
	want := fmt.Sprintf("▌ row 0 of width %d", left-components.Gutter)
	first, _, _ := strings.Cut(tuitest.Text(p, 100, 3), "\n")
	mine, preview, _ := strings.Cut(first, "│")
	if p.followCount != 1 || strings.TrimSpace(mine) != want || !strings.Contains(preview, "row 0 of width") {
		t.Errorf("%d calls of Follow, and %q, want %q", p.followCount, first, want)
	}
	p.pane = nil
	if shown := tuitest.Text(p, 100, 3); strings.Count(shown, "│") != 3 || strings.Count(shown, "row 0") != 1 {
		t.Errorf("without a preview:\n%s", shown)
	}
	if page.Follow(newTestPage(), 200) != nil {
		t.Error("a page without a preview is updated")
	}
}

func TestStalePreviewIsLaidOutAgain(t *testing.T) {
	t.Parallel()
	pane := newTestPage()
	p := &previewTestPage{testPage: newTestPage(), pane: pane}
	tuitest.Text(p, 120, 3)
	tuitest.Text(p, 120, 3)
	page.MarkStale(p)
	tuitest.Text(p, 120, 3)
	if pane.layouts != 2 || p.layouts != 2 {
		t.Errorf("%d layouts of the preview, %d of the page", pane.layouts, p.layouts)
	}
}

func TestLeftPaneNarrowsPage(t *testing.T) {
	t.Parallel()
	p := &sideTestPage{newTestPage()}
	if at := page.Offset(p, 59); at != 0 {
		t.Errorf("the page begins at column %d without a pane", at)
	}
	at := page.Offset(p, 80)
	if own := page.OwnWidth(p, 80); at <= 10 || own != 80-at {
		t.Errorf("the page begins at column %d, and is %d wide", at, own)
	}
	want := fmt.Sprintf("neighbours │ ▌ row 0 of width %d", 80-at-components.Gutter)
	if first, _, _ := strings.Cut(tuitest.Text(p, 80, 3), "\n"); first != want {
		t.Errorf("%q, want %q", first, want)
	}
}

// countingPreview is a preview that counts its loads and messages.
type countingPreview struct {
	page.Details
	loads, messages int
}

func (l *countingPreview) Load() tea.Cmd { l.loads++; return nil }

func (l *countingPreview) Update(tea.Msg) tea.Cmd { l.messages++; return nil }

// TestPreviewsAreCached checks that a preview is built and loaded once until the cache is emptied, and that hidden previews get
// their late responses.
func TestPreviewsAreCached(t *testing.T) {
	t.Parallel()
	var v page.Previews
	var built []*countingPreview
	build := func() page.Page { built = append(built, &countingPreview{}); return built[len(built)-1] }
	v.Show("one", build)
	v.Show("two", build)
	v.Show("one", build)
	if len(built) != 2 || v.Shown != page.Page(built[0]) || built[0].loads != 1 {
		t.Fatalf("%d previews were built, the first loaded %d times", len(built), built[0].loads)
	}
	v.Update("a response")
	if built[0].messages != 1 || built[1].messages != 1 {
		t.Errorf("the previews got %d and %d messages", built[0].messages, built[1].messages)
	}
	v.Forget()
	if v.Show("one", build); len(built) != 3 || v.Shown != page.Page(built[2]) {
		t.Errorf("%d previews were built", len(built))
	}
	for i := range 1000 {
		v.Show(fmt.Sprint(i), build)
	}
	n := 0
	if v.Each(func(page.Page) { n++ }); n > 50 {
		t.Errorf("%d previews are in memory", n)
	}
}

func TestMissingContentIsExplained(t *testing.T) {
	t.Parallel()
	const again = "R tries again, esc goes back."
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	f := page.NewFrame(&page.Session{Connection: &remote.Connection{Now: func() time.Time { return now }}})
	denied := api.Errorf(403, api.ReasonForbidden, "Not this space.").WithHint("ask an admin")
	for name, c := range map[string]struct {
		condition remote.LoadState
		empty     bool
		want      string
	}{
		"loading": {remote.LoadState{Busy: true, StartedAt: now}, true, "Loading …"},
		"slow response": {
			remote.LoadState{Busy: true, StartedAt: now.Add(-4 * time.Second)},
			true,
			"The server: no answer for 4 s. Esc goes back.",
		},
		"empty":            {remote.LoadState{Loaded: true}, true, "There is nothing.|R reloads, esc goes back."},
		"denied":           {remote.LoadState{Err: denied}, true, "! You may not see this.|Not this space.|hint: ask an admin|" + again},
		"offline":          {remote.LoadState{Err: errors.New("refused")}, true, "! The server cannot be reached.|refused|" + again},
		"content":          {remote.LoadState{Loaded: true}, false, ""},
		"outdated content": {remote.LoadState{Loaded: true, Busy: true, Err: denied}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lines []string
			for _, r := range f.StateRows(c.condition, c.empty, "There is nothing.", 80) {
				if !page.IsNotice(r) {
					t.Errorf("%q is no notice", r.Line.String())
				}
				lines = append(lines, r.Line.String())
			}
			if diff := cmp.Diff(c.want, strings.Join(lines, "|")); diff != "" {
				t.Error(diff)
			}
		})
	}
	if rows := page.Notice(20, render.Plain("A notice that is longer than the window.")); len(rows) != 3 {
		t.Errorf("the notice has %d rows", len(rows))
	}
}
