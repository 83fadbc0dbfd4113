package terminal

import (
	"fmt"
	"strings"
	"testing"
)

// TestReviewKeyCounts counts the keys of common review tasks, without the text that is typed. Each may take at most
// one key more than the ideal.
func TestReviewKeyCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	rob := w.reviewer.open("rob")
	rob.wantTexts("Firmware 2.4", "Battery")
	for _, task := range []struct {
		name  string
		ideal int
		do    func()
	}{
		{"from the first screen to the changes", 1, func() {
			rob.press("Enter")
			rob.wantTexts("Changed pages", "Battery")
			rob.press("Space")
			rob.wantTexts("Battery (1 of 3)", "Nobody opens", "change 1 of")
		}},
		{"the next page that is not read", 1, func() {
			rob.press("Space")
			rob.wantTexts("Sensors (2 of 3)", "read 1/3", "cups")
		}},
		{"the page before", 1, func() {
			rob.press("K")
			rob.wantTexts("Battery (1 of 3)", "Nobody opens")
		}},
		{"comment on a phrase", 4, func() {
			rob.press("]", "v", "c")
			rob.compose("six", phraseComment)
		}},
		{"suggest another wording of a line", 3, func() {
			rob.press("]")
			rob.wantTexts("▌ ~ The gateway")
			rob.keys = 0 // navigation does not count
			rob.press("s")
			rob.wantTexts("─ suggestion for", "tab goes to the comment")
			rob.press("C-u")
			rob.write("Two weeks.")
			rob.wantTexts("Two weeks.")
			rob.press("C-s")
			rob.wantTexts("✎ draft", "suggests")
		}},
		{"send what was said, with changes requested", 2, func() {
			rob.press("S")
			rob.wantTexts("2 not sent")
			rob.press("BTab", "C-s")
			rob.wantTexts("Battery (1 of 3)", "!✎", "with 2 comments")
		}},
		{"approve from the changes", 2, func() {
			rob.press("J")
			rob.wantTexts("Sensors (2 of 3)", "cups")
			rob.keys = 0 // navigation does not count
			rob.press("a")
			rob.wantTexts("(•) approve")
			rob.press("C-s")
			rob.wantTexts("not read: ctrl+s again approves anyway")
			rob.press("C-s")
			rob.wantTexts("✓ approved")
		}},
		{"from a list of threads to the place in the changes", 1, func() {
			rob.press("C")
			rob.wantTexts("2 open, 0 resolved")
			rob.press("g")
			rob.wantTexts("▌ “six”")
			rob.keys = 0 // navigation does not count
			rob.press("Enter")
			rob.wantTexts("Battery (1 of 3)", phraseComment, "lasts")
		}},
	} {
		rob.checkKeys(task.name, task.ideal, task.do)
	}
	h.wantReviews(2)
}

// TestConflictKeyCounts counts the keys to resolve seven conflicts of a change request with its space.
func TestConflictKeyCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.newHandbook()
	h.createConflicts()
	ada := w.author.open("ada")
	ada.wantTexts("Waiting for others")
	ada.press("Enter") // unfolds the group
	ada.wantTexts("WAITING FOR OTHERS", "⏎ folds the group")
	ada.press("j")
	ada.wantTexts("⏎ review")
	ada.press("Enter")
	ada.wantTexts("Changed pages")
	ada.checkKeys("a change request by its number", 3, func() {
		ada.press(":", "4")
		ada.wantTexts("▌ #4 In feet")
		ada.press("Enter")
		ada.wantTexts("In feet", "7 conflicts")
	})
	ada.press("U")
	ada.wantTexts("▌ no")
	ada.press("Tab", "Enter")
	ada.wantTexts("conflict 1 of 7")
	ada.checkKeys("seven conflicts, all as in the request", 5, func() {
		ada.press("!")
		ada.wantTexts("as in the request: 7 conflicts")
		ada.press("2", "A")
		ada.wantTexts("Update the request with your 7 decisions?")
		ada.press("Tab", "Enter")
		ada.wantTexts("updated with your decisions")
	})
}

// createConflicts creates a change request with seven conflicts.
func (h *handbook) createConflicts() {
	h.w.Helper()
	mast := func(unit string) string {
		var out strings.Builder
		for _, part := range []string{"pole", "arm", "stay", "foot", "box", "rod", "cable"} {
			fmt.Fprintf(&out, "The %s is measured in %s. ", part, unit)
		}
		return strings.TrimSpace(out.String()) + "\n"
	}
	h.merge(h.createRequest(h.ref.Space, "Units", h.textChange("Mast", mast("metres"))))
	feet := h.createRequest(h.ref.Space, "In feet", h.textChange("Mast", mast("feet")))
	h.openRequest(feet)
	h.merge(h.createRequest(h.ref.Space, "In yards", h.textChange("Mast", mast("yards"))))
}

// checkKeys fails the test if a task takes more than one key above the ideal.
func (s *screen) checkKeys(task string, ideal int, do func()) {
	s.w.Helper()
	s.keys = 0
	do()
	if s.w.Logf("%s: %d keys, %d at best", task, s.keys, ideal); s.keys > ideal+1 {
		s.w.Errorf("%s takes %d keys, %d at best", task, s.keys, ideal)
	}
}
