package tui

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

// BenchmarkAKeyInALongList is a key in a list of 10,000 rows, drawn.
func BenchmarkAKeyInALongList(b *testing.B) {
	s := newStage(Options{Space: "s_1"})
	var pages []api.RevisionPage
	for i := range 10000 {
		pages = append(pages, document(fmt.Sprintf("p_%d", i), fmt.Sprintf("Page %d", i), "d"))
	}
	s.fake.trees[""] = pages
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
}
