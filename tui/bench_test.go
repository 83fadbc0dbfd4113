package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// BenchmarkFirstPaint measures the screen before any response.
func BenchmarkFirstPaint(b *testing.B) {
	for b.Loop() {
		s := newTestScreen(Options{Organization: "o_1"})
		_ = s.model.Init()
		s.send(windowSize(120, 40))
		_ = s.screen()
	}
}

// BenchmarkFirstRows measures the time to the first of 10,000 rows of the pages of a space and of the inbox, and
// reports the retained memory.
func BenchmarkFirstRows(b *testing.B) {
	for name, o := range map[string]Options{"pages": {Space: "s_1"}, "inbox": {Organization: "o_1"}} {
		b.Run(name, func(b *testing.B) {
			pages := newPages()
			var s *testScreen
			for b.Loop() {
				s = newTestScreen(o)
				s.fake.trees[""], s.fake.queue.extraOpen = pages, 10000
				s.open(120, 40)
				_ = s.screen()
			}
			reportMemory(b)
			runtime.KeepAlive(s)
		})
	}
}

func newPages() (pages []api.RevisionPage) {
	for i := range 10000 {
		pages = append(pages, newDocument(fmt.Sprintf("p_%d", i), fmt.Sprintf("Page %d", i), "d"))
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

// BenchmarkKeyInLongList measures a key press in a list of 10,000 rows, including drawing.
func BenchmarkKeyInLongList(b *testing.B) {
	s := newTestScreen(Options{Space: "s_1"})
	s.fake.trees[""] = newPages()
	benchmarkKey(b, s, "j")
}

// BenchmarkKeyInLongDiff measures a key press in the diff of a page of 10,000 words, including drawing.
func BenchmarkKeyInLongDiff(b *testing.B) {
	s := newTestScreen(reviewOptions)
	text := strings.Repeat(strings.Repeat("word ", 49)+"end.\n\n", 200)
	s.fake.texts[""]["p_quick"] = text
	s.fake.texts["cr_2"]["p_quick"] = strings.ReplaceAll(text, "word word end", "word other end")
	benchmarkKey(b, s, "j", "enter")
}

func benchmarkKey(b *testing.B, s *testScreen, key string, before ...string) {
	b.Helper()
	s.open(120, 40)
	s.keys(before...)
	for b.Loop() {
		s.keys(key)
		_ = s.screen()
	}
	reportMemory(b)
}
