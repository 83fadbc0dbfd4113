package terminal

import (
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

const (
	phraseComment  = "Measured, or hoped?"
	blockComment   = "Say when the clock begins."
	generalComment = "Good, but for the figures."
	verdictComment = "Two places, then it is good."
)

// TestReviewWorkflow covers a review from the inbox to the merge, with two screens and a server restart.
func TestReviewWorkflow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	rob, ada := w.reviewer.open("rob"), w.author.open("ada")
	h.requestChanges(rob)
	h.wantTexts(blockComment, generalComment, verdictComment, phraseComment)
	h.addressReview(ada)
	w.restart()
	h.approve(rob)
	h.wantTexts(blockComment, generalComment, verdictComment, phraseComment)
	h.mergeConflicting()
	h.resolveAndMerge(ada)
	h.checkMerged()
}

// requestChanges reviews with a comment on a phrase, a suggestion, a general comment and a verdict.
func (h *handbook) requestChanges(rob *screen) {
	rob.wantTexts("ASKED FOR YOUR REVIEW", "Firmware 2.4", "The figures, please")
	rob.press("Enter")
	rob.wantTexts("Battery", "Sensors", "Radio", "Ada Berg", "The figures, please")
	rob.press("c")
	rob.compose("change request", generalComment)
	rob.press("Space")
	rob.gotoFirstChange()
	rob.press("v")
	rob.wantTexts("Select words")
	rob.press("v", "l", "c")
	rob.compose("six years", phraseComment)
	rob.press("]")
	rob.wantTexts("▌ ~ The gateway")
	rob.suggest("three weeks", "two weeks", blockComment)
	rob.press("S")
	rob.wantTexts("3 not sent", phraseComment, blockComment, generalComment, "two")
	rob.press("Tab", "Tab")
	rob.wantTexts("(•) request changes")
	rob.press("j", "Enter")
	rob.compose("your review", verdictComment) // submits the review
	rob.wantTexts("Battery (1 of 3)", "with 3 comments", "!draft")
}

// compose types text into an open composer titled about and stores the draft.
func (s *screen) compose(about, text string) {
	s.w.Helper()
	s.wantTexts(about, "█")
	s.write(text)
	s.wantTexts(text)
	s.press("C-s")
	s.wantTexts("!█")
}

// gotoFirstChange waits for the changes of the first page and moves to the first one.
func (s *screen) gotoFirstChange() {
	s.w.Helper()
	s.wantTexts("Battery (1 of 3)", "change 1 of")
	s.press("]")
	s.wantTexts("▌ ~ The battery")
}

// openSuggestion opens the editor with the words under the cursor.
func (s *screen) openSuggestion() {
	s.w.Helper()
	s.press("s")
	s.wantTexts("─ suggestion for", "tab goes to the comment")
	s.press("C-e")
}

// suggest replaces old in the editor and stores the suggestion as a draft with a comment.
func (s *screen) suggest(old, replacement, comment string) {
	s.w.Helper()
	s.openSuggestion()
	s.editFile(func(was string) string { return strings.Replace(was, old, replacement, 1) })
	s.press("Enter")
	s.wantTexts("suggests")
	s.compose("suggestion", comment)
}

// addressReview applies the suggestion and edits the page as the author.
func (h *handbook) addressReview(ada *screen) {
	ada.press("R")
	ada.wantTexts("NEEDS AN ANSWER", "Firmware 2.4")
	ada.press("Enter")
	ada.wantTexts("Rob Lindt", verdictComment)
	ada.press("Enter")
	ada.wantTexts("Battery (1 of 3)", phraseComment, blockComment)
	ada.press("n", "n")
	ada.wantTexts("A apply")
	ada.press("A")
	ada.wantTexts("Apply 1 suggestion")
	ada.press("Tab", "Enter")
	ada.wantTexts("1 suggestion applied", "✓ applied")
	ada.press("g", "e")
	ada.editFile(func(was string) string { return strings.Replace(was, "Nobody opens", "Only we open", 1) })
	ada.press("Enter")
	ada.wantTexts("Battery saved", "Only we open the case")
}

// approve reads the changes since the last review and approves them.
func (h *handbook) approve(rob *screen) {
	rob.wantTexts("Ada Berg edited Battery") // without a refresh
	rob.press("R")
	rob.wantTexts("Only we open", "applied", "!Ada Berg edited")
	rob.press("d")
	rob.wantTexts("since your last review", "Only we open")
	rob.press("g", "n", "x")
	rob.wantTexts("Resolve it as")
	rob.press("Enter")
	rob.wantTexts("resolved as", "2 resolved")
	rob.press("d")
	rob.wantTexts("!since your last review", "+6 −5 words", "read 0 of 3 changes")
	for _, next := range [][]string{{"read 1/3", "measured by cups"}, {"read 2/3", "→ “margin”"}, {"read 3/3"}} {
		rob.press("Space")
		rob.wantTexts(next...)
	}
	rob.press("a")
	rob.wantTexts("(•) approve")
	rob.press("C-s")
	rob.wantTexts("✓ approved", "Radio (3 of 3)")
}

// mergeConflicting merges another change request, which conflicts with the one under review in a sentence, a deleted page and a
// slug.
func (h *handbook) mergeConflicting() {
	h.w.Helper()
	h.merge(h.createRequest(h.ref.Space, "The other way",
		h.textChange("Battery", strings.Replace(battery, "five years", "four years", 1)),
		api.ContentChange{Operation: api.DeletePage, Page: h.pages["Sensors"]},
		api.ContentChange{Operation: api.UpdatePage, Page: h.pages["Radio"], Slug: api.Some("decibels")},
	))
}

// resolveAndMerge updates the change request from the space, resolves the conflicts and merges.
func (h *handbook) resolveAndMerge(ada *screen) {
	ada.wantTexts("Rob Lindt approved") // without a refresh
	ada.press("Escape")
	ada.wantTexts("Discussion")
	ada.press("R")
	ada.wantTexts("conflict", "!Rob Lindt approved +")
	ada.press("U")
	ada.wantTexts("▌ no")
	ada.press("Tab", "Enter")
	ada.wantTexts("conflict 1 of 3", "four", "six", "The other way")
	ada.press("2")
	ada.wantTexts("conflict 2 of 3", "1 decided")
	ada.press("2")
	ada.wantTexts("conflict 3 of 3", "2 decided")
	ada.press("1")
	ada.wantTexts("3 decided")
	ada.press("A")
	ada.wantTexts("with your 3 decisions?")
	ada.press("Tab", "Enter")
	ada.wantTexts("updated with your decisions", "Timeline", "!loading")
	ada.press("m")
	ada.wantTexts("Merge")
	ada.write("yes")
	ada.press("Enter")
	ada.wantTexts("MERGED", "merged into the space")
}

// checkMerged checks that the space contains the resolved content.
func (h *handbook) checkMerged() {
	h.w.Helper()
	tree, err := h.w.author.client.Content.ListPages(h.w.Context(), api.GetContentInput{Space: h.ref.Space})
	must(h.w, err)
	var paths []string
	for _, page := range tree.Pages {
		paths = append(paths, page.Path)
	}
	if slices.Sort(paths); !slices.Equal(paths, []string{"battery", "decibels", "mast", "sensors"}) {
		h.w.Errorf("the space has %q", paths)
	}
	page, err := h.w.author.client.Content.GetPage(h.w.Context(), api.PageInput{
		Space: h.ref.Space, Page: h.pages["Battery"], PageOptions: api.PageOptions{Format: "markdown"},
	})
	must(h.w, err)
	want := strings.NewReplacer("five years", "six years", "2.7 V", "2.6 V", "three weeks", "two weeks", "Nobody opens",
		"Only we open").Replace(battery)
	if *page.Markdown != want {
		h.w.Errorf("the page is %q, want %q", *page.Markdown, want)
	}
}
