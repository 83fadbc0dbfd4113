package terminal

import "testing"

// TestTwoScreensOfOnePerson share the drafts: what one writes the other can read and not write, a review takes what both have,
// and what was being written when a screen was killed is free for the other.
func TestTwoScreensOfOnePerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handbook()
	const first, more, second = "A draft of two screens.", " And more.", "Another one."
	one := w.reader.open("one", h.arguments()...)
	one.begins(first)
	one.press("C-s")
	one.sees("!█", "✎ 1 draft")
	other := w.reader.open("other", h.arguments()...)
	other.sees("Changed pages", "✎ 1 draft", first)

	one.writesOn(first, more)
	other.finds(first)
	other.press("e")
	other.sees("another screen", first+more, "!█")
	other.press("X")
	other.sees("another screen", first+more)
	other.press("S")
	other.sees("1 not sent")
	other.press("C-s")
	other.sees("not sent", "another screen")
	h.said()

	one.kill()
	other.press("Escape")
	other.sees("Changed pages")
	other.writesOn(first+more, "")
	other.press("C-s")
	other.sees("!█", "✎ 1 draft")
	one.again(h.arguments()...)
	one.sees("Changed pages", "✎ 1 draft")
	one.press("Enter")
	one.reads()
	one.press("c")
	one.composes("comment on", second)

	other.press("S")
	other.sees("2 not sent", second)
	one.press("S")
	one.sees("2 not sent")
	other.press("C-s")
	other.sees("Changed pages", "!✎")
	h.said(first+more, second)
	one.press("C-s") // what it shows was sent by the other
	one.sees("not sent")
	one.press("Escape")
	one.sees("!submit your review") // or the two keys may arrive as one
	one.press("R")
	one.sees("Battery (1 of 3)", "!✎", second)
	h.said(first+more, second)
}

// finds puts the cursor on a text.
func (s *screen) finds(text string) {
	s.w.Helper()
	s.press("/")
	s.write(text)
	s.sees("⏎ go")
	s.press("Enter", "Escape")
	s.sees("▌", "!⏎ go", "!esc clears") // a key right behind Escape would be another one, with alt
}

// writesOn opens a draft and writes more at its end.
func (s *screen) writesOn(text, more string) {
	s.w.Helper()
	s.finds(text)
	s.press("e")
	s.sees("█")
	s.write(more)
	s.sees(text+more, "█")
}
