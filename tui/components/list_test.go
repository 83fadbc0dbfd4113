package components

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/tui/render"
)

// TestListCursorKeepsChangeBackgrounds checks that the cursor keeps the background of changed words and replaces the one of
// threads.
func TestListCursorKeepsChangeBackgrounds(t *testing.T) {
	t.Parallel()
	var l List
	row := render.Line{
		render.NewSpan(render.Style{Ground: render.AddedWord}, "came"), render.NewSpan(render.Style{Ground: render.RemovedWord},
			"went"), render.NewSpan(render.Style{Ground: render.AddedLine}, "line"),
		render.NewSpan(render.Style{Ground: render.Anchor}, "about"), render.NewSpan(render.Style{Ground: render.Thread},
			"said"), render.NewSpan(render.Style{Ground: render.Draft}, "meant"), render.Plain("same"),
	}
	l.Set([]Row{{Key: "a", Line: row}, {Key: "a", Line: row}, {Key: "b", Line: row}})
	for i, under := range []render.Ground{render.Selected, render.SelectedItem} {
		want := map[string]render.Ground{
			"came": render.AddedWord, "went": render.RemovedWord, "line": under, "about": render.Anchor,
			"said": under, "meant": under, "same": under,
		}
		for _, s := range l.View(60, 3)[i] {
			if ground, known := want[s.Text()]; known && s.Style().Ground != ground {
				t.Errorf("row %d: %q is on %v, not %v", i, s.Text(), s.Style().Ground, ground)
			}
		}
	}
	for _, s := range l.View(60, 3)[2] {
		if s.Text() == "said" && s.Style().Ground != render.Thread {
			t.Error("a thread elsewhere has lost its surface")
		}
	}
}

func TestListCursorMovesToThreadAfterRemoval(t *testing.T) {
	t.Parallel()
	row := func(key string, thread bool) Row {
		return Row{Key: key, Line: render.Line{render.Plain(key)}, Thread: thread}
	}
	for _, c := range []struct {
		name string
		now  []Row
		want string
	}{
		{"another comes in its place", []Row{row("a", true), row("c", true), row("rest", false)}, "c"},
		{"none does", []Row{row("a", true), row("rest", false)}, "a"},
		{"none is left", []Row{row("head", false), row("rest", false)}, "rest"},
	} {
		var l List
		l.Set([]Row{row("a", true), row("b", true), row("rest", false)})
		l.Move(1)
		l.Set(c.now)
		if r, _ := l.Selected(); r.Key != c.want {
			t.Errorf("%s: the cursor is on %s", c.name, r.Key)
		}
	}
}

// TestListKeepVisible checks that rows that are kept visible stay so when rows are inserted above the cursor, until the cursor
// moves to another row.
func TestListKeepVisible(t *testing.T) {
	t.Parallel()
	rows := func(above int) []Row {
		var all []Row
		for i := range above {
			all = append(all, Row{Key: fmt.Sprintf("above %d", i), Line: render.Line{render.Plain("above")}})
		}
		for i := range 6 {
			all = append(all, Row{Key: fmt.Sprintf("page %d", i), Line: render.Line{render.Plain(fmt.Sprintf("page %d", i))}})
		}
		return all
	}
	l := &List{}
	l.Aim(func(r Row) bool { return r.Key == "page 0" }, false)
	l.KeepVisible("page 3")
	for _, above := range []int{10, 17} {
		l.Set(rows(above))
		if drawn := fmt.Sprint(l.View(20, 8)); !strings.Contains(drawn, "page 0") || !strings.Contains(drawn, "page 3") {
			t.Errorf("with %d rows above: %s", above, drawn)
		}
	}
	l.Move(-1)
	if drawn := fmt.Sprint(l.View(20, 3)); strings.Contains(drawn, "page 3") {
		t.Errorf("after a move: %s", drawn)
	}
}
