package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// BenchmarkFirstPaint is the screen before any answer: what there is from the first moment.
func BenchmarkFirstPaint(b *testing.B) {
	for b.Loop() {
		s := newStage(Options{Organization: "o_1"})
		_ = s.model.Init()
		s.tell(sized(120, 40))
		_ = s.screen()
	}
}

// BenchmarkFirstRows is the screen from its beginning to the first rows of 10,000: of the pages of a space, and of the inbox,
// which asks for as many as it goes through; and what all of that keeps in memory.
func BenchmarkFirstRows(b *testing.B) {
	for name, o := range map[string]Options{"pages": {Space: "s_1"}, "inbox": {Organization: "o_1"}} {
		b.Run(name, func(b *testing.B) {
			pages := manyPages()
			var s *stage
			for b.Loop() {
				s = newStage(o)
				s.fake.trees[""], s.fake.queue.many = pages, 10000
				s.waiting = append(s.waiting, s.model.Init())
				s.tell(sized(120, 40))
				s.settle()
				_ = s.screen()
			}
			reportMemory(b)
			runtime.KeepAlive(s)
		})
	}
}

func manyPages() (pages []api.RevisionPage) {
	for i := range 10000 {
		pages = append(pages, document(fmt.Sprintf("p_%d", i), fmt.Sprintf("Page %d", i), "d"))
	}
	return pages
}

// reportMemory reports what is kept when nothing is done.
func reportMemory(b *testing.B) {
	b.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MB")
}

// BenchmarkAKeyInALongList is a key in a list of 10,000 rows, drawn.
func BenchmarkAKeyInALongList(b *testing.B) {
	s := newStage(Options{Space: "s_1"})
	s.fake.trees[""] = manyPages()
	presses(b, s, "j")
}

// BenchmarkAKeyInALongDiff is a key in the changes of a page of 10,000 words, drawn.
func BenchmarkAKeyInALongDiff(b *testing.B) {
	s := newStage(review)
	text := strings.Repeat(strings.Repeat("word ", 49)+"end.\n\n", 200)
	s.fake.texts[""]["p_quick"] = text
	s.fake.texts["cr_2"]["p_quick"] = strings.ReplaceAll(text, "word word end", "word other end")
	presses(b, s, "j", "enter")
}

func presses(b *testing.B, s *stage, key string, before ...string) {
	b.Helper()
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 40))
	s.settle()
	s.keys(before...)
	for b.Loop() {
		s.keys(key)
		_ = s.screen()
	}
	reportMemory(b)
}
