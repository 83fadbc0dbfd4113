package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/tuitest"
)

// cell is a cell of a screen.
type cell struct {
	text   string
	ground string // parameters of the background, or ""
}

// cells returns the cells of a painted line.
func cells(line string) (out []cell) {
	ground, state := "", byte(0)
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		line, state = line[n:], next
		if found := sgrPattern.FindStringSubmatch(seq); found != nil {
			ground = groundOf(found[1], ground)
			continue
		}
		for range width {
			out = append(out, cell{seq, ground})
		}
	}
	return out
}

// groundOf returns the background after SGR parameters, given the background before them.
func groundOf(parameters, before string) string {
	fields := strings.Split(parameters, ";")
	for i := 0; i < len(fields); i++ {
		switch fields[i] {
		case "0", "":
			before = ""
		case "7":
			before = "reverse"
		case "41", "42":
			before = fields[i]
		case "38", "48":
			n := map[string]int{"2": 5, "5": 3}[fields[i+1]]
			if fields[i] == "48" {
				before = strings.Join(fields[i:i+n], ";")
			}
			i += n - 1
		}
	}
	return before
}

// surfaces returns the backgrounds of rows in a palette, as opposed to those of words and chips.
func surfaces(theme render.Theme) (all []string) {
	for _, g := range []render.Ground{
		render.Selected, render.SelectedItem, render.AddedLine, render.RemovedLine, render.Thread, render.Draft,
	} {
		painted := cells(theme.Paint(render.Line{render.NewSpan(render.Style{Ground: g}, "x")}))
		if ground := painted[0].ground; ground != "" {
			all = append(all, ground)
		}
	}
	return all
}

// TestBackgroundsReachEdge checks that backgrounds of rows reach from their beginning to the edge of their column in all sizes
// and palettes.
func TestBackgroundsReachEdge(t *testing.T) {
	t.Parallel()
	for palette, theme := range map[string]render.Theme{
		"dark": render.NewTheme(render.Dark, termenv.TrueColor), "light": render.NewTheme(render.Light, termenv.TrueColor),
		"dark-256": render.NewTheme(render.Dark, termenv.ANSI256), "light-256": render.NewTheme(render.Light, termenv.ANSI256),
		"16": render.NewTheme(render.Sixteen, termenv.ANSI),
	} {
		for name, scene := range scenes {
			for _, size := range sizes {
				if palette != "dark" && size[0] != 120 {
					continue
				}
				t.Run(fmt.Sprintf("%s-%s-%dx%d", name, palette, size[0], size[1]), func(t *testing.T) {
					t.Parallel()
					o := scene.options
					o.Theme = theme
					checkSurfaces(t, play(name, o, size[0], size[1]), surfaces(theme), size[0])
				})
			}
		}
	}
}

func checkSurfaces(t *testing.T, s *tuitest.Screen, surfaces []string, width int) {
	t.Helper()
	lines := strings.Split(s.View(), "\n")
	for _, line := range lines[2 : len(lines)-2] { // without the frame
		row := cells(line)
		for len(row) < width {
			row = append(row, cell{" ", ""})
		}
		for len(row) > 0 {
			edge := slices.Index(row, cell{"│", ""}) // between columns
			if edge < 0 {
				edge = len(row)
			}
			if problem := raggedness(row[:edge], surfaces); problem != "" {
				t.Errorf("%s in %q", problem, ansi.Strip(line))
			}
			row = row[min(edge+1, len(row)):]
		}
	}
}

// raggedness describes where the background of a row ends before the edge of its column, or returns "". The columns have a gap
// of a cell at their right side.
func raggedness(row []cell, surfaces []string) string {
	first := slices.IndexFunc(row, func(c cell) bool { return slices.Contains(surfaces, c.ground) })
	if first < 0 || row[first].ground == "reverse" && first > 0 { // a chip
		return ""
	}
	last := len(row)
	for last > 0 && row[last-1].ground == "" {
		last--
	}
	if gap := slices.IndexFunc(row[first:last], func(c cell) bool { return c.ground == "" }); gap >= 0 {
		return fmt.Sprintf("there is no background at cell %d of %d to %d", first+gap, first, last)
	}
	if last < len(row)-1 {
		return fmt.Sprintf("the background ends at cell %d of %d", last, len(row))
	}
	return ""
}
