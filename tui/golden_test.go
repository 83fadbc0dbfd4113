package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// scenes are the golden screens and the keys that lead to them.
var scenes = map[string]struct {
	options tui.Options
	prepare func(*tuitest.Screen)
	finish  func(*tuitest.Screen) // run after the keys
	keys    []string
}{
	"organizations": {},
	"inbox":         {options: tui.Options{Organization: "o_1"}},
	"inbox-pending": {
		options: tui.Options{Organization: "o_1"}, keys: []string{"j"}, prepare: func(s *tuitest.Screen) { s.Server.Queue.Pending = true },
	},
	"inbox-open":     {options: tui.Options{Organization: "o_1"}, keys: []string{"tab", "tab", "t", "t"}},
	"spaces":         {options: tui.Options{Organization: "o_1"}, keys: []string{"alt+2", "j"}},
	"activity":       {options: tui.Options{Organization: "o_1"}, keys: []string{"alt+4"}},
	"inbox-merged":   {options: tui.Options{Organization: "o_1"}, keys: []string{"tab", "tab", "tab"}},
	"pages":          {options: tui.Options{Space: "s_1"}},
	"page":           {options: tui.Options{Space: "s_1"}, keys: []string{"j", "enter"}},
	"requests":       {options: tui.Options{Space: "s_1"}, keys: []string{"b"}},
	"request":        {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}},
	"change":         {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter"}},
	"change-split":   {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "V", "j"}},
	"change-result":  {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "V", "V", "j"}},
	"change-new":     {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"j", "enter"}},
	"comments":       {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"C"}},
	"merge-question": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"m"}},
	"page-wide": {
		options: tui.Options{Space: "s_1"}, keys: []string{"j", "enter", ">"}, prepare: tuitest.AddWideContent,
	},
	"change-wide": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter"}, prepare: tuitest.AddWideContent},
	"change-wide-scrolled": {
		options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", ">", ">", "]", ">", ">"},
		prepare: tuitest.AddWideContent,
	},
	"conflicts": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"m", `"yes`, "enter", "1"}, prepare: func(
		s *tuitest.Screen,
	) {
		s.Server.MergeResults = []api.MergeResult{tuitest.ConflictResult()}
	}},
	"request-since": {
		options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"d"}, prepare: func(s *tuitest.Screen) {
			s.Server.Reviewed = true
		},
	},
	"change-since": {
		options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"d", "enter"}, prepare: func(s *tuitest.Screen) {
			s.Server.Reviewed = true
		},
	},
	"write": {
		options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "n", "r", `"Two lines,`, "enter", `"of text`},
	},
	"react": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"C", "+"}},
	"menu":  {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "n", "."}},
	"submit-drafts": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{
		"enter", "]", "c", `"Say **green** here, please.`, "ctrl+t", "ctrl+s", "n", "r", `"A range, then.`, "ctrl+s", ":", `"on the page`,
		"enter", `"Could this start with the warning?`, "ctrl+s",
		"S", "tab", "tab", "j", "j", "j", "j", "j", " ", "k", "k",
	}},
	"submit-moved": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, finish: func(s *tuitest.Screen) {
		s.Server.Head = "r_8"
		s.Keys("a", "ctrl+s")
	}},
	"change-suggestion": {options: tui.Options{
		Space: "s_1", ChangeRequest: "cr_2",
	}, keys: []string{"enter", "]", "v", "g", "right", "v", "right", "right", "s", `" of the station`, "tab", `"Say it shorter.`, "ctrl+s", "n"}, prepare: func(
		s *tuitest.Screen,
	) {
		tuitest.AddSuggestions(s)
	}},
	"select": {
		options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", "v", "g", "right", "v", "right", "right"},
	},
	"write-suggestion": {
		options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", "s", "ctrl+left", "backspace", `", or`},
	},
	"comment-suggestion": {options: tui.Options{
		Space: "s_1", ChangeRequest: "cr_2",
	}, keys: []string{"enter", "]", "s", "ctrl+e", `"Shorter.`, "ctrl+t"}, prepare: func(
		s *tuitest.Screen,
	) {
		s.SetEditor(func(was string) string { return strings.Replace(was, " and wait", ", and wait", 1) })
	}},
	"resolve": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "n", "x"}},
	"change-drafts": {
		options: tui.Options{
			Space: "s_1", ChangeRequest: "cr_2",
		}, keys: []string{"enter", "]", "c", `"Say **green** here, please.`, "ctrl+t", "ctrl+s"},
	},
	"submit":  {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "S"}},
	"help":    {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"?"}},
	"palette": {options: tui.Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{":", `"co`}},
	"find":    {options: tui.Options{Space: "s_1"}, keys: []string{"/", `"qui`}},
	"empty":   {options: tui.Options{Space: "s_1"}, prepare: func(s *tuitest.Screen) { s.Server.Empty = true }},
	"denied": {options: tui.Options{Space: "s_1"}, prepare: func(s *tuitest.Screen) {
		s.Server.Fail["pages"] = api.Errorf(403, api.ReasonForbidden,
			"You may not read this space.").WithHint("ask an admin for the role read")
	}},
	"absent":  {options: tui.Options{Space: "s_1"}, prepare: func(s *tuitest.Screen) { s.Server.Fail["pages"] = api.NotFound() }},
	"offline": {options: tui.Options{Space: "s_1"}, prepare: func(s *tuitest.Screen) { s.Server.Fail["*"] = tuitest.ErrUnreachable }},
}

var sizes = [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 50}}

// play opens a screen, types the keys of a scene, and returns the screen.
func play(name string, o tui.Options, width, height int) *tuitest.Screen {
	scene := scenes[name]
	s := tuitest.NewScreen(o)
	if scene.prepare != nil {
		scene.prepare(s)
	}
	s.Open(width, height)
	s.Keys(scene.keys...)
	if scene.finish != nil {
		scene.finish(s)
	}
	return s
}

func TestPages(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				s := play(name, scene.options, size[0], size[1])
				tuitest.Golden(t, fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1]), s.View())
			})
		}
	}
}

func TestKeyTableIsCurrent(t *testing.T) {
	t.Parallel()
	tuitest.Golden(t, "keys.md", strings.TrimSuffix(tui.KeyTable(), "\n"))
}
