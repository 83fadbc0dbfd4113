package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scenes are the golden screens and the keys that lead to them.
var scenes = map[string]struct {
	options Options
	prepare func(*Screen)
	then    func(*Screen) // run after the keys
	keys    []string
}{
	"organizations":  {},
	"inbox":          {options: Options{Organization: "o_1"}},
	"inbox-pending":  {options: Options{Organization: "o_1"}, keys: []string{"j"}, prepare: func(s *Screen) { s.Server.Queue.Pending = true }},
	"inbox-open":     {options: Options{Organization: "o_1"}, keys: []string{"tab", "tab", "t", "t"}},
	"spaces":         {options: Options{Organization: "o_1"}, keys: []string{"alt+2", "j"}},
	"activity":       {options: Options{Organization: "o_1"}, keys: []string{"alt+4"}},
	"inbox-merged":   {options: Options{Organization: "o_1"}, keys: []string{"tab", "tab", "tab"}},
	"pages":          {options: Options{Space: "s_1"}},
	"page":           {options: Options{Space: "s_1"}, keys: []string{"j", "enter"}},
	"requests":       {options: Options{Space: "s_1"}, keys: []string{"b"}},
	"request":        {options: Options{Space: "s_1", ChangeRequest: "cr_2"}},
	"change":         {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter"}},
	"change-split":   {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "V", "j"}},
	"change-result":  {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "V", "V", "j"}},
	"change-new":     {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"j", "enter"}},
	"comments":       {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"C"}},
	"merge-question": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"m"}},
	"conflicts": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"m", `"yes`, "enter", "1"}, prepare: func(s *Screen) {
		s.Server.MergeResults = []api.MergeResult{ConflictResult()}
	}},
	"request-since": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"d"}, prepare: func(s *Screen) { s.Server.Reviewed = true }},
	"change-since":  {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"d", "enter"}, prepare: func(s *Screen) { s.Server.Reviewed = true }},
	"write":         {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "n", "r", `"Two lines,`, "enter", `"of text`}},
	"react":         {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"C", "+"}},
	"menu":          {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "n", "."}},
	"submit-drafts": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{
		"enter", "]", "c", `"Say **green** here, please.`, "ctrl+t", "ctrl+s", "n", "r", `"A range, then.`, "ctrl+s", ":", `"on the page`, "enter", `"Could this start with the warning?`, "ctrl+s",
		"S", "tab", "tab", "j", "j", "j", "j", "j", " ", "k", "k",
	}},
	"submit-moved": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, then: func(s *Screen) {
		s.Server.Head = "r_8"
		s.Keys("a", "ctrl+s")
	}},
	"change-suggestion": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", "v", "g", "right", "v", "right", "right", "s", `"Say it shorter.`, "ctrl+s", "n"}, prepare: func(s *Screen) {
		AddSuggestions(s)
		s.SetEditor(func(was string) string { return was + " of the station" })
	}},
	"select": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", "v", "g", "right", "v", "right", "right"}},
	"write-suggestion": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", "s", `"Shorter.`, "ctrl+t"}, prepare: func(s *Screen) {
		s.SetEditor(func(was string) string { return strings.Replace(was, " and wait", ", and wait", 1) })
	}},
	"resolve":       {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "n", "x"}},
	"change-drafts": {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "]", "c", `"Say **green** here, please.`, "ctrl+t", "ctrl+s"}},
	"submit":        {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"enter", "S"}},
	"help":          {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{"?"}},
	"palette":       {options: Options{Space: "s_1", ChangeRequest: "cr_2"}, keys: []string{":", `"co`}},
	"find":          {options: Options{Space: "s_1"}, keys: []string{"/", `"qui`}},
	"empty":         {options: Options{Space: "s_1"}, prepare: func(s *Screen) { s.Server.Empty = true }},
	"denied": {options: Options{Space: "s_1"}, prepare: func(s *Screen) {
		s.Server.Fail["pages"] = api.Errorf(403, api.ReasonForbidden, "You may not read this space.").WithHint("ask an admin for the role read")
	}},
	"absent":  {options: Options{Space: "s_1"}, prepare: func(s *Screen) { s.Server.Fail["pages"] = api.NotFound() }},
	"offline": {options: Options{Space: "s_1"}, prepare: func(s *Screen) { s.Server.Fail["*"] = ErrUnreachable }},
}

var sizes = [][2]int{{60, 20}, {80, 24}, {120, 40}, {200, 50}}

func TestPages(t *testing.T) {
	t.Parallel()
	for name, scene := range scenes {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				s := play(name, scene.options, size[0], size[1])
				Golden(t, fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1]), s.View())
			})
		}
	}
}

// play returns the screen at the end of a scene.
func play(name string, o Options, width, height int) *Screen {
	scene := scenes[name]
	s := NewScreen(o)
	if scene.prepare != nil {
		scene.prepare(s)
	}
	s.Open(width, height)
	s.Keys(scene.keys...)
	if scene.then != nil {
		scene.then(s)
	}
	return s
}

// Golden compares a screen with its golden file, ignoring trailing spaces.
func Golden(t *testing.T, name, screen string) {
	t.Helper()
	lines := strings.Split(screen, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got); to accept it, run go test ./tui -run 'TestPages|KeyTable' -update:\n%s", name, diff)
	}
}

func TestKeyTableIsCurrent(t *testing.T) {
	t.Parallel()
	Golden(t, "keys.md", strings.TrimSuffix(KeyTable(), "\n"))
}
