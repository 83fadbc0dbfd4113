package tui_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

func newPages() (pages []api.RevisionPage) {
	for i := range 10000 {
		pages = append(pages, tuitest.NewDocument(fmt.Sprintf("p_%d", i), fmt.Sprintf("Page %d", i), "d"))
	}
	return pages
}

// reportMemory reports the memory in use after a garbage collection.
func reportMemory(b *testing.B) {
	b.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MB")
}

func benchmarkKey(b *testing.B, s *tuitest.Screen, key string, before ...string) {
	b.Helper()
	s.Open(120, 40)
	s.Keys(before...)
	benchmarkNextKey(b, s, key)
}

// benchmarkNextKey measures a key press on a screen that is open.
func benchmarkNextKey(b *testing.B, s *tuitest.Screen, key string) {
	b.Helper()
	for b.Loop() {
		s.Keys(key)
		_ = s.View()
	}
	reportMemory(b)
}

// BenchmarkFirstPaint measures the screen before any response.
func BenchmarkFirstPaint(b *testing.B) {
	for b.Loop() {
		s := tuitest.NewScreen(tui.Options{Organization: "o_1"})
		_ = s.Model.Init()
		s.Send(tuitest.WindowSize(120, 40))
		_ = s.View()
	}
}

// BenchmarkFirstRows measures the time to the first of 10,000 rows of the pages of a space and of the inbox, and
// reports the retained memory.
func BenchmarkFirstRows(b *testing.B) {
	for name, o := range map[string]tui.Options{"pages": {Space: "s_1"}, "inbox": {Organization: "o_1"}} {
		b.Run(name, func(b *testing.B) {
			pages := newPages()
			var s *tuitest.Screen
			for b.Loop() {
				s = tuitest.NewScreen(o)
				s.Server.Trees[""], s.Server.Queue.ExtraOpen = pages, 10000
				s.Open(120, 40)
				_ = s.View()
			}
			reportMemory(b)
			runtime.KeepAlive(s)
		})
	}
}

// BenchmarkKeyInLongList measures a key press in a list of 10,000 rows, including drawing.
func BenchmarkKeyInLongList(b *testing.B) {
	s := tuitest.NewScreen(tui.Options{Space: "s_1"})
	s.Server.Trees[""] = newPages()
	benchmarkKey(b, s, "j")
}

// BenchmarkKeyInLongDiff measures a key press in the diff of a page of 10,000 words, including drawing.
func BenchmarkKeyInLongDiff(b *testing.B) {
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	text := strings.Repeat(strings.Repeat("word ", 49)+"end.\n\n", 200)
	s.Server.Texts[""]["p_quick"] = text
	s.Server.Texts["cr_2"]["p_quick"] = strings.ReplaceAll(text, "word word end", "word other end")
	benchmarkKey(b, s, "j", "enter")
}

// BenchmarkKeyAmongThreads measures a key press on a page of 10,000 words with 500 threads, including drawing.
func BenchmarkKeyAmongThreads(b *testing.B) {
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	text := strings.Repeat(strings.Repeat("word ", 49)+"end.\n\n", 200)
	s.Server.Texts[""]["p_quick"] = text
	s.Server.Texts["cr_2"]["p_quick"] = strings.ReplaceAll(text, "word word end", "word other end")
	s.Server.CommentList = nil
	for i := range 500 {
		target := api.CommentTarget{
			Space: "s_1", ChangeRequest: "cr_2", Page: &api.CommentPage{ID: "p_quick", Title: "Quick start"},
			Node: &api.CommentNode{ID: fmt.Sprintf("b_%d", i%200)},
		}
		s.Server.CommentList = append(s.Server.CommentList, s.Server.NewComment(fmt.Sprintf("c_%d", i), "Is this right?", target))
	}
	benchmarkKey(b, s, "j", "enter")
}

// BenchmarkKeyInLongText measures a key press in a text of 244 kB, including drawing.
func BenchmarkKeyInLongText(b *testing.B) {
	s := tuitest.NewScreen(tuitest.ReviewOptions)
	s.Open(120, 40)
	s.Keys("enter", "c")
	s.Send(tea.KeyMsg{
		Type: tea.KeyRunes, Runes: []rune(strings.Repeat("A line of text that is pasted here, of 48 chars.\n", 5000)),
		Paste: true,
	})
	s.Drain()
	benchmarkNextKey(b, s, "x")
}
