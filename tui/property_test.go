package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// startSequences lead to states that random keys rarely reach: a selection, a suggestion, a review with drafts.
var startSequences = [][]string{
	nil,
	{"enter", "]", "v", "v"},
	{"enter", "]", "s", "ctrl+s"},
	{"enter", "n", "x"},
	{"enter", "n", "A"},
	{"enter", " "},
	{"enter", "]", "c", `"Words.`, "ctrl+t", "ctrl+s", "]", "s", "ctrl+s", "n", "r", `"Reply.`, "ctrl+s", "S", "tab"},
}

// allKeys returns all keys with actions and some text.
func allKeys() []string {
	keys := []string{"y", "n", "4", `"text`, `"宽 wide 🛠️`, "delete", "ctrl+w", "ctrl+a", "ctrl+j", "\x1b", "ö"}
	return append(keys, tui.ActionKeys()...)
}

// checkFits returns an error if a screen does not fit its window.
func checkFits(screen string, width, height int) error {
	lines := strings.Split(screen, "\n")
	if len(lines) > height {
		return fmt.Errorf("%d lines in a window of %d", len(lines), height)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > width {
			return fmt.Errorf("line %d has %d cells in a window of %d: %q", i, w, width, line)
		}
	}
	return nil
}

// TestRandomKeysNeverBreakScreen checks that random keys at random sizes, with responses that are late, reordered or rejected,
// never crash the screen or exceed the window.
func TestRandomKeysNeverBreakScreen(t *testing.T) {
	t.Parallel()
	keys := allKeys()
	begins := []tui.Options{{}, {Organization: "o_1"}, {Space: "s_1"}, tuitest.ReviewOptions, tuitest.ReviewOptions}
	failures := []error{
		nil, nil, nil, tuitest.ErrUnreachable, api.NotFound(), api.Errorf(403, api.ReasonForbidden, "No.\nNo.").WithHint("ask"),
		api.InvalidField("body", "is too long"),
	}
	rapid.Check(t, func(t *rapid.T) {
		begin := rapid.SampledFrom(begins).Draw(t, "begin")
		begin.Mouse, begin.Visits = true, &tuitest.Visits{}
		now := tuitest.Clock
		begin.Now = func() time.Time { return now }
		s := tuitest.NewScreen(begin)
		s.Queued = append(s.Queued, s.Model.Init())
		width, height := 80, 24
		s.Send(tuitest.WindowSize(width, height))
		if begin.ChangeRequest != "" {
			tuitest.AddSuggestions(s)
			s.Server.LoseResponses = rapid.Bool().Draw(t, "lost")
			s.SetEditor(func(was string) string { return was + "!" })
			s.Drain()
			s.Keys(rapid.SampledFrom(startSequences).Draw(t, "prelude")...)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 11).Draw(t, "step") {
			case 0:
				width, height = rapid.IntRange(1, 210).Draw(t, "width"), rapid.IntRange(1, 60).Draw(t, "height")
				s.Send(tuitest.WindowSize(width, height))
			case 1:
				s.Server.Fail["*"] = rapid.SampledFrom(failures).Draw(t, "failure")
			case 2:
				s.Server.MergeResults = append(s.Server.MergeResults, tuitest.ConflictResult())
				s.Send(tea.MouseMsg{
					X: rapid.IntRange(0, 220).Draw(t, "x"), Y: rapid.IntRange(0, 60).Draw(t, "y"), Action: tea.MouseActionPress,
					Button: rapid.SampledFrom([]tea.MouseButton{
						tea.MouseButtonLeft, tea.MouseButtonWheelDown, tea.MouseButtonWheelUp,
					}).Draw(t, "button"),
				})
			case 3, 4, 5:
				if n := len(s.Queued); n > 0 {
					s.Run(rapid.IntRange(0, n-1).Draw(t, "answer"))
				}
			case 6:
				s.Drain()
			case 7, 8:
				now = now.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second)
				if rapid.Bool().Draw(t, "happens") {
					s.Server.AddEvent(fmt.Sprintf("e_%d", now.Unix()), rapid.SampledFrom(api.TimelineKind("").Values()).Draw(t, "kind"),
						"宽 Quick\x1b[2J start")
					s.Server.Queue.Counts.ReviewRequested++
					s.Server.Queue.CountsETag += "+"
				}
				s.Send(rapid.SampledFrom([]tea.Msg{
					tui.TickMsg{}, tui.TickMsg{}, tui.TimeMsg{}, tea.FocusMsg{}, tea.BlurMsg{},
				}).Draw(t, "tick"))
			default:
				s.Press(rapid.SampledFrom(keys).Draw(t, "key"))
			}
			if err := checkFits(s.View(), width, height); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestPagesFitWindow checks that all pages are drawn at all small and some large sizes.
func TestPagesFitWindow(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(name, scene.options, 80, 24)
			for width := 1; width < 130; width += 1 + width/20 {
				for height := 1; height < 30; height += 1 + height/8 {
					s.Send(tuitest.WindowSize(width, height))
					if err := checkFits(s.View(), width, height); err != nil {
						t.Fatalf("%dx%d: %v", width, height, err)
					}
				}
			}
		})
	}
}
