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

// TestKilledScreenLosesNoText kills the screen at every stage of a text: in the composer, as a draft, while the
// review is sent, before its response arrives, and in the editor. After a restart, each text reaches the server
// exactly once.
func TestKilledScreenLosesNoText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	rob := w.reviewer.open("rob", h.arguments()...)
	var texts []string
	for _, kill := range []func(rob *screen, text string){h.killInComposer, h.killBeforeSubmit, h.killBeforeRequest, h.killBeforeResponse} {
		text := fmt.Sprintf("Remark number %d.", len(texts)+1)
		texts = append(texts, text)
		kill(rob, text)
		h.wantSent(rob, texts...)
	}
	h.killInEditor(rob)
	h.wantSent(rob, append(texts, blockComment)...)
	h.wantReviews(1)
}

// arguments returns the arguments of wsctl tui that open the change request.
func (h *handbook) arguments() []string {
	return []string{"--space", h.ref.Space, "--change-request", h.ref.ChangeRequest}
}

// wantSent waits until no drafts are left and checks the texts on the server.
func (h *handbook) wantSent(rob *screen, texts ...string) {
	h.w.Helper()
	rob.wantTexts("Changed pages", "!✎", "!on its way")
	h.wantTexts(texts...)
}

// startComment types a comment on the change request and leaves it in the composer.
func (s *screen) startComment(text string) {
	s.w.Helper()
	s.wantTexts("Changed pages")
	s.press("c")
	s.wantTexts("comment on the change request", "█")
	s.write(text)
	s.wantTexts(text)
	if !eventually(func() bool { return s.hasDraft(text) }) {
		s.w.Fatalf("%s: %q is not on disk", s.window, text)
	}
}

// hasDraft reports whether a draft file contains text.
func (s *screen) hasDraft(text string) bool {
	files, _ := filepath.Glob(filepath.Join(s.home, "drafts", "*", "*.json"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), text) {
			return true
		}
	}
	return false
}

// submitReview submits the review without further edits.
func (s *screen) submitReview() {
	s.w.Helper()
	s.press("S")
	s.wantTexts("Your review of")
	s.press("C-s")
}

func (h *handbook) killInComposer(rob *screen, text string) {
	h.w.Helper()
	rob.startComment(text)
	rob.kill()
	rob.restart(h.arguments()...)
	rob.wantTexts("Changed pages", text) // the text is still in the composer
	rob.submitReview()
}

func (h *handbook) killBeforeSubmit(rob *screen, text string) {
	h.w.Helper()
	rob.startComment(text)
	rob.press("C-s")
	rob.wantTexts("!█", "✎ 1 draft")
	rob.press("S")
	rob.wantTexts("1 not sent", text)
	rob.press("BTab")
	rob.wantTexts("(•) request changes")
	rob.kill()
	rob.restart(h.arguments()...)
	rob.wantTexts("Changed pages")
	rob.press("S")
	rob.wantTexts("(•) request changes", "1 not sent", text)
	rob.press("C-s")
}

// killBeforeRequest kills the screen before its request reaches the server.
func (h *handbook) killBeforeRequest(rob *screen, text string) {
	h.w.Helper()
	h.killDuringSubmit(rob, text, false)
	rob.restart(h.arguments()...)
}

// killBeforeResponse kills the screen and the server after the review is stored and before its response arrives.
func (h *handbook) killBeforeResponse(rob *screen, text string) {
	h.w.Helper()
	h.killDuringSubmit(rob, text, true)
	h.w.restart()
	rob.restart(h.arguments()...)
}

// killDuringSubmit submits a review and kills the screen while the request or, with answered, the response is held.
func (h *handbook) killDuringSubmit(rob *screen, text string, answered bool) {
	h.w.Helper()
	rob.startComment(text)
	rob.press("C-s")
	rob.wantTexts("!█", "✎ 1 draft")
	held := h.w.proxy.hold("PUT", "/submissions/", answered)
	rob.submitReview()
	held.wait(h.w.T)
	rob.kill()
}

// killInEditor kills the screen after the editor has written a suggestion.
func (h *handbook) killInEditor(rob *screen) {
	h.w.Helper()
	rob.press("Enter")
	rob.gotoFirstChange()
	rob.openSuggestion()
	rob.editFile(func(was string) string { return strings.Replace(was, "six years", "seven years", 1) })
	rob.kill()
	rob.restart(h.arguments()...)
	rob.wantTexts("Changed pages", "✎")
	rob.press("p")
	rob.wantTexts("in the editor")
	rob.press("Enter")
	rob.wantTexts("the editor has a file") // the file has the text as written
	rob.press("Enter")
	rob.wantTexts("suggests", "seven")
	rob.compose("suggestion", blockComment)
	rob.submitReview()
}

// wantReviews checks the number of reviews on the server.
func (h *handbook) wantReviews(want int) {
	h.w.Helper()
	n := 0
	for _, err := range client.All(h.w.Context(), h.w.author.client.ChangeRequestReviews.List,
		api.ListReviewsInput{ChangeRequestRef: h.ref}) {
		must(h.w, err)
		n++
	}
	if n != want {
		h.w.Errorf("%d verdicts, want %d", n, want)
	}
}

// TestPageEditIsSavedOnce kills the author's screen while a page is in the editor, and the server while it saves the
// page.
func TestPageEditIsSavedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	ada := w.author.open("ada", h.arguments()...)
	before := h.revisionCount()
	ada.wantTexts("Changed pages", "Battery")
	ada.press("e")
	want := strings.Replace(h.markdown(), "Nobody opens", "Only we open", 1) + "\n\nThe end, without a newline."
	ada.editFile(func(string) string { return want })
	ada.kill()
	ada.restart(h.arguments()...)
	ada.wantTexts("Changed pages", "✎")
	held := w.proxy.hold("POST", "/content", true)
	ada.press("p")
	ada.wantTexts("Not sent yet", "not saved")
	ada.press("Enter")
	ada.wantTexts("the editor has a file")
	ada.press("Enter")
	held.wait(t)
	ada.kill()
	w.restart()
	ada.restart(h.arguments()...)
	ada.wantTexts("Changed pages", "Only we open")
	if got := h.markdown(); got != want {
		t.Errorf("the page is %q, want %q", got, want)
	}
	if n := h.revisionCount() - before; n != 1 {
		t.Errorf("%d revisions", n)
	}
}

// revisionCount returns the number of revisions of the change request.
func (h *handbook) revisionCount() (n int) {
	h.w.Helper()
	for _, err := range client.All(h.w.Context(), h.w.author.client.ChangeRequests.ListRevisions,
		api.ChangeRequestRevisionsInput{ChangeRequestRef: h.ref}) {
		must(h.w, err)
		n++
	}
	return n
}

// markdown returns the text of the first page in the change request.
func (h *handbook) markdown() string {
	h.w.Helper()
	page, err := h.w.author.client.ChangeRequestContent.GetPage(h.w.Context(), api.ChangeRequestPageInput{
		ChangeRequestRef: h.ref, Page: h.pages["Battery"], PageOptions: api.PageOptions{Format: "markdown"},
	})
	must(h.w, err)
	return *page.Markdown
}
