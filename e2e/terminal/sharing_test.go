package terminal

import "testing"

// TestScreensShareDrafts opens two screens of one person. A draft being edited in one is read-only in the other, a
// review contains the drafts of both, and a kill releases the draft.
func TestScreensShareDrafts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	const first, more, second = "A draft of two screens.", " And more.", "Another one."
	one := w.reviewer.open("one", h.arguments()...)
	one.startComment(first)
	one.press("C-s")
	one.wantTexts("!█", "✎ 1 draft")
	other := w.reviewer.open("other", h.arguments()...)
	other.wantTexts("Changed pages", "✎ 1 draft", first)

	one.appendToDraft(first, more)
	other.search(first)
	other.press("e")
	other.wantTexts("another screen", first+more, "!█")
	other.press("Escape") // ends the pause after the refused key
	other.wantTexts("!another screen")
	other.press("X")
	other.wantTexts("another screen", first+more)
	other.press("S")
	other.wantTexts("1 not sent")
	other.press("C-s")
	other.wantTexts("not sent", "another screen")
	h.wantTexts()

	one.kill()
	other.press("Escape")
	other.wantTexts("Changed pages")
	other.appendToDraft(first+more, "")
	other.press("C-s")
	other.wantTexts("!█", "✎ 1 draft")
	one.restart(h.arguments()...)
	one.wantTexts("Changed pages", "✎ 1 draft")
	one.press("Enter")
	one.gotoFirstChange()
	one.press("c")
	one.compose("comment on", second)

	other.press("S")
	other.wantTexts("2 not sent", second)
	one.press("S")
	one.wantTexts("2 not sent")
	other.press("C-s")
	other.wantTexts("Changed pages", "!✎")
	h.wantTexts(first+more, second)
	one.press("C-s") // the other screen has already sent the review
	one.wantTexts("not sent")
	one.press("Escape")
	one.wantTexts("!submit your review") // so that Escape and the next key do not arrive as one
	one.press("R")
	one.wantTexts("Battery (1 of 3)", "!✎", second)
	h.wantTexts(first+more, second)
}

// search moves the cursor to text.
func (s *screen) search(text string) {
	s.w.Helper()
	s.press("/")
	s.write(text)
	s.wantTexts("⏎ go")
	s.press("Enter", "Escape")
	s.wantTexts("▌", "!⏎ go", "!esc clears") // a key right after Escape would be an Alt key
}

// appendToDraft opens the draft that contains text and types more at its end.
func (s *screen) appendToDraft(text, more string) {
	s.w.Helper()
	s.search(text)
	s.press("e")
	s.wantTexts("█")
	s.write(more)
	s.wantTexts(text+more, "█")
}
