package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// TestNothingIsLostToAKill cuts a reviewer off wherever a text is under way: in the composer, with drafts on disk, while the
// review is sent, when the server has it and has not answered, and in the editor. Each time the screen is started again, and
// the server has every text once.
func TestNothingIsLostToAKill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handbook()
	rob := w.reader.open("rob", h.arguments()...)
	var said []string
	for _, kill := range []func(rob *screen, text string){h.killedWhileWriting, h.killedBeforeSubmit, h.killedWhileSending, h.killedBeforeTheAnswer} {
		text := fmt.Sprintf("Remark number %d.", len(said)+1)
		said = append(said, text)
		kill(rob, text)
		h.sent(rob, said...)
	}
	h.killedInTheEditor(rob)
	h.sent(rob, append(said, onBlock)...)
	h.verdicts(1)
}

// arguments open the request at once.
func (h *handbook) arguments() []string {
	return []string{"--space", h.at.Space, "--change-request", h.at.ChangeRequest}
}

// sent waits until the screen has nothing unsent, and holds what was said to be each text once.
func (h *handbook) sent(rob *screen, texts ...string) {
	h.w.Helper()
	rob.sees("Changed pages", "!✎", "!on its way")
	h.said(texts...)
}

// begins writes a comment on the request, and does not end it.
func (s *screen) begins(text string) {
	s.w.Helper()
	s.sees("Changed pages")
	s.press("c")
	s.sees("comment on the change request", "█")
	s.write(text)
	s.sees(text)
	if !eventually(func() bool { return s.keeps(text) }) {
		s.w.Fatalf("%s: %q is not on disk", s.window, text)
	}
}

// keeps reports whether a draft on disk has a text. It is there a moment after it was typed.
func (s *screen) keeps(text string) bool {
	files, _ := filepath.Glob(filepath.Join(s.home, "drafts", "*", "*.json"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// submits sends the review as it is.
func (s *screen) submits() {
	s.w.Helper()
	s.press("S")
	s.sees("Your review of")
	s.press("C-s")
}

func (h *handbook) killedWhileWriting(rob *screen, text string) {
	h.w.Helper()
	rob.begins(text)
	rob.kill()
	rob.again(h.arguments()...)
	rob.sees("Changed pages", text) // where it was written
	rob.submits()
}

func (h *handbook) killedBeforeSubmit(rob *screen, text string) {
	h.w.Helper()
	rob.begins(text)
	rob.press("C-s")
	rob.sees("!█", "✎ 1 draft")
	rob.press("S")
	rob.sees("1 not sent", text)
	rob.press("BTab")
	rob.sees("(•) request changes")
	rob.kill()
	rob.again(h.arguments()...)
	rob.sees("Changed pages")
	rob.press("S")
	rob.sees("(•) request changes", "1 not sent", text)
	rob.press("C-s")
}

// killedWhileSending is a kill when the review has left the screen and has not come to the server.
func (h *handbook) killedWhileSending(rob *screen, text string) {
	h.w.Helper()
	h.killedAt(rob, text, false)
	rob.again(h.arguments()...)
}

// killedBeforeTheAnswer is a kill of both when the server has the review and has not said so.
func (h *handbook) killedBeforeTheAnswer(rob *screen, text string) {
	h.w.Helper()
	h.killedAt(rob, text, true)
	h.w.restart()
	rob.again(h.arguments()...)
}

// killedAt sends a review with a text and has the screen killed while its request, or the answer to it, is under way.
func (h *handbook) killedAt(rob *screen, text string, answered bool) {
	h.w.Helper()
	rob.begins(text)
	rob.press("C-s")
	rob.sees("!█", "✎ 1 draft")
	held := h.w.gate.hold("PUT", "/submissions/", answered)
	rob.submits()
	held.wait(h.w.T)
	rob.kill()
}

// killedInTheEditor is a kill while a suggestion is in the editor, which has written the file already.
func (h *handbook) killedInTheEditor(rob *screen) {
	h.w.Helper()
	rob.press("Enter")
	rob.reads()
	rob.press("s")
	rob.edits(func(was string) string { return strings.Replace(was, "six years", "seven years", 1) })
	rob.kill()
	rob.again(h.arguments()...)
	rob.sees("Changed pages", "✎")
	rob.press("p")
	rob.sees("in the editor")
	rob.press("Enter")
	rob.sees("the editor has a file") // as it was written
	rob.press("Enter")
	rob.sees("suggests", "seven")
	rob.composes("suggestion", onBlock)
	rob.submits()
}

// verdicts holds how many the reader has given.
func (h *handbook) verdicts(want int) {
	h.w.Helper()
	n := 0
	for _, err := range client.All(h.w.Context(), h.w.author.client.ChangeRequestReviews.List, api.ListReviewsInput{ChangeRequestRef: h.at}) {
		must(h.w, err)
		n++
	}
	if n != want {
		h.w.Errorf("%d verdicts, want %d", n, want)
	}
}

// TestAPageInTheEditorIsSavedOnce kills the author's screen while a page is in the editor, and the server while it is saved.
func TestAPageInTheEditorIsSavedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handbook()
	ada := w.author.open("ada", h.arguments()...)
	before := h.revisions()
	ada.sees("Changed pages", "Battery")
	ada.press("e")
	want := strings.Replace(h.markdown(), "Nobody opens", "Only we open", 1) + "\n\nThe end, without a newline."
	ada.edits(func(string) string { return want })
	ada.kill()
	ada.again(h.arguments()...)
	ada.sees("Changed pages", "✎")
	held := w.gate.hold("POST", "/content", true)
	ada.press("p")
	ada.sees("Not sent yet", "not saved")
	ada.press("Enter")
	ada.sees("the editor has a file")
	ada.press("Enter")
	held.wait(t)
	ada.kill()
	w.restart()
	ada.again(h.arguments()...)
	ada.sees("Changed pages", "Only we open")
	if got := h.markdown(); got != want {
		t.Errorf("the page is %q, want %q", got, want)
	}
	if n := h.revisions() - before; n != 1 {
		t.Errorf("%d revisions", n)
	}
}

// revisions are how many the request has.
func (h *handbook) revisions() (n int) {
	h.w.Helper()
	for _, err := range client.All(h.w.Context(), h.w.author.client.ChangeRequests.ListRevisions, api.ChangeRequestRevisionsInput{ChangeRequestRef: h.at}) {
		must(h.w, err)
		n++
	}
	return n
}

// markdown is the text of the first page, as the request has it.
func (h *handbook) markdown() string {
	h.w.Helper()
	page, err := h.w.author.client.ChangeRequestContent.GetPage(h.w.Context(), api.ChangeRequestPageInput{
		ChangeRequestRef: h.at, Page: h.pages["Battery"], PageOptions: api.PageOptions{Format: "markdown"},
	})
	must(h.w, err)
	return *page.Markdown
}
