package terminal

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

const (
	phrase    = "Measured, or hoped?"
	onBlock   = "Say when the clock begins."
	onWhole   = "Good, but for the figures."
	ofVerdict = "Two places, then it is good."
)

// TestAWholeReview is a review from the inbox to the merge, by a reviewer and an author whose screens stand side by side; the
// server is killed and started again in the middle.
func TestAWholeReview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handbook()
	rob, ada := w.reader.open("rob"), w.author.open("ada")
	h.asksForChanges(rob)
	h.said(onBlock, onWhole, ofVerdict, phrase)
	h.answers(ada)
	w.restart()
	h.isSatisfied(rob)
	h.said(onBlock, onWhole, ofVerdict, phrase)
	h.collides()
	h.decides(ada)
	h.landed()
}

// asksForChanges is the review of the reader: a comment on a phrase, a suggestion, a comment on the whole, and the verdict.
func (h *handbook) asksForChanges(rob *screen) {
	rob.sees("ASKED FOR YOUR REVIEW", "Firmware 2.4", "The figures, please")
	rob.press("Enter")
	rob.sees("Battery", "Sensors", "Radio", "Ada Berg", "The figures, please")
	rob.press("c")
	rob.composes("change request", onWhole)
	rob.press("Space")
	rob.reads()
	rob.press("v")
	rob.sees("Select words")
	rob.press("v", "l", "c")
	rob.composes("six years", phrase)
	rob.press("]")
	rob.sees("▌ ~ The gateway")
	rob.suggests("three weeks", "two weeks", onBlock)
	rob.press("S")
	rob.sees("3 not sent", phrase, onBlock, onWhole, "two")
	rob.press("Tab", "Tab")
	rob.sees("(•) request changes")
	rob.press("j", "Enter")
	rob.composes("your review", ofVerdict) // and sends
	rob.sees("Battery (1 of 3)", "with 3 comments", "!draft")
}

// composes writes what the composer says to be about something, and keeps it as a draft.
func (s *screen) composes(about, text string) {
	s.w.Helper()
	s.sees(about, "█")
	s.write(text)
	s.sees(text)
	s.press("C-s")
	s.sees("!█")
}

// reads waits until the changes of the first page are there, and goes to the first of them.
func (s *screen) reads() {
	s.w.Helper()
	s.sees("Battery (1 of 3)", "change 1 of")
	s.press("]")
	s.sees("▌ ~ The battery")
}

// suggests has the editor put other words into the place under the cursor, and keeps that as a draft.
func (s *screen) suggests(words, others, why string) {
	s.w.Helper()
	s.press("s")
	s.edits(func(was string) string { return strings.Replace(was, words, others, 1) })
	s.press("Enter")
	s.sees("suggests")
	s.composes("suggestion", why)
}

// answers is what the author does about it: applies the suggestion, and edits the page.
func (h *handbook) answers(ada *screen) {
	ada.press("R")
	ada.sees("NEEDS AN ANSWER", "Firmware 2.4")
	ada.press("Enter")
	ada.sees("Rob Lindt", ofVerdict)
	ada.press("Enter")
	ada.sees("Battery (1 of 3)", phrase, onBlock)
	ada.press("n", "n")
	ada.sees("A apply")
	ada.press("A")
	ada.sees("1 suggestion applied", "✓ applied")
	ada.press("g", "e")
	ada.edits(func(was string) string { return strings.Replace(was, "Nobody opens", "Only we open", 1) })
	ada.press("Enter")
	ada.sees("Battery saved", "Only we open the case")
}

// isSatisfied is how the reader hears of that, and approves it.
func (h *handbook) isSatisfied(rob *screen) {
	rob.sees("Ada Berg edited Battery") // by itself
	rob.press("R")
	rob.sees("Only we open", "applied", "!Ada Berg edited")
	rob.press("d")
	rob.sees("since your last review", "Only we open")
	rob.press("g", "n", "x")
	rob.sees("Resolve it as")
	rob.press("Enter")
	rob.sees("resolved as", "2 resolved")
	rob.press("d")
	rob.sees("!since your last review", "+6 −5 words", "read 0 of 3 changes")
	for _, next := range [][]string{{"read 1/3", "measured by cups"}, {"read 2/3", "→ “margin”"}, {"read 3/3"}} {
		rob.press("Space")
		rob.sees(next...)
	}
	rob.press("a")
	rob.sees("(•) approve")
	rob.press("C-s")
	rob.sees("✓ approved", "Radio (3 of 3)")
}

// collides merges another request, which changes the same in another way: a sentence, a deleted page, an address.
func (h *handbook) collides() {
	h.w.Helper()
	h.merge(h.request(h.at.Space, "The other way",
		h.text("Battery", strings.Replace(battery, "five years", "four years", 1)),
		api.ContentChange{Operation: api.DeletePage, Page: h.pages["Sensors"]},
		api.ContentChange{Operation: api.UpdatePage, Page: h.pages["Radio"], Slug: api.Some("decibels")},
	))
}

// decides is how the author takes the space's changes in, and merges.
func (h *handbook) decides(ada *screen) {
	ada.sees("Rob Lindt approved") // by itself
	ada.press("Escape")
	ada.sees("Discussion")
	ada.press("R")
	ada.sees("conflict", "!Rob Lindt approved +")
	ada.press("U")
	ada.sees("yes")
	ada.press("y")
	ada.sees("conflict 1 of 3", "four", "six", "The other way")
	ada.press("2")
	ada.sees("conflict 2 of 3", "1 decided")
	ada.press("2")
	ada.sees("conflict 3 of 3", "2 decided")
	ada.press("1")
	ada.sees("3 decided")
	ada.press("A")
	ada.sees("updated with your decisions", "Timeline")
	ada.press("m")
	ada.sees("Merge")
	ada.write("yes")
	ada.press("Enter")
	ada.sees("MERGED", "merged into the space")
}

// landed holds what is in the space to what was decided.
func (h *handbook) landed() {
	h.w.Helper()
	tree, err := h.w.author.client.Content.ListPages(h.w.Context(), api.GetContentInput{Space: h.at.Space})
	must(h.w, err)
	var paths []string
	for _, page := range tree.Pages {
		paths = append(paths, page.Path)
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"battery", "decibels", "mast", "sensors"}) {
		h.w.Errorf("the space has %q", paths)
	}
	page, err := h.w.author.client.Content.GetPage(h.w.Context(), api.PageInput{Space: h.at.Space, Page: h.pages["Battery"], PageOptions: api.PageOptions{Format: "markdown"}})
	must(h.w, err)
	want := strings.NewReplacer("five years", "six years", "2.7 V", "2.6 V", "three weeks", "two weeks", "Nobody opens", "Only we open").Replace(battery)
	if *page.Markdown != want {
		h.w.Errorf("the page is %q, want %q", *page.Markdown, want)
	}
}
