package terminal

import (
	"fmt"
	"strings"
	"testing"
)

// TestKeysOfTasks counts the keys of what reviewers do all day, without the texts that they write: each takes at most one key
// more than it could at best.
func TestKeysOfTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handbook()
	rob := w.reader.open("rob")
	rob.sees("Firmware 2.4", "Battery")
	for _, task := range []struct {
		name  string
		ideal int
		do    func()
	}{
		{"from the first screen to the changes", 1, func() {
			rob.press("Enter")
			rob.sees("Changed pages", "Battery")
			rob.press("Space")
			rob.sees("Battery (1 of 3)", "Nobody opens", "change 1 of")
		}},
		{"the next page that is not read", 1, func() {
			rob.press("Space")
			rob.sees("Sensors (2 of 3)", "read 1/3", "cups")
		}},
		{"the page before", 1, func() {
			rob.press("K")
			rob.sees("Battery (1 of 3)", "Nobody opens")
		}},
		{"comment on a phrase", 4, func() {
			rob.press("]", "v", "c")
			rob.composes("six", phrase)
		}},
		{"suggest, with a key that ends the editor", 3, func() {
			rob.press("]")
			rob.sees("▌ ~ The gateway")
			rob.keys = 0 // the way there is none of it
			rob.suggests("three", "two", "")
		}},
		{"send what was said, with changes requested", 2, func() {
			rob.press("S")
			rob.sees("2 not sent")
			rob.press("BTab", "C-s")
			rob.sees("Battery (1 of 3)", "!✎", "with 2 comments")
		}},
		{"approve from the changes", 2, func() {
			rob.press("J")
			rob.sees("Sensors (2 of 3)", "cups")
			rob.keys = 0 // the way there is none of it
			rob.press("a")
			rob.sees("(•) approve")
			rob.press("C-s", "C-s") // the first says what is not read yet
			rob.sees("✓ approved")
		}},
		{"from a list of threads to the place in the changes", 1, func() {
			rob.press("C")
			rob.sees("2 open, 0 resolved")
			rob.press("G")
			rob.sees("▏ “six”")
			rob.keys = 0 // the way there is none of it
			rob.press("Enter")
			rob.sees("Battery (1 of 3)", phrase, "lasts")
		}},
	} {
		rob.counts(task.name, task.ideal, task.do)
	}
	h.verdicts(2)
}

// TestKeysOfConflicts counts those of an author whose change request collides with the space in seven sentences.
func TestKeysOfConflicts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.handbook()
	h.disputed()
	ada := w.author.open("ada")
	ada.sees("Waiting for others")
	ada.press("Enter") // unfolds them
	ada.sees("WAITING FOR OTHERS", "⏎ folds the group")
	ada.press("j")
	ada.sees("⏎ review")
	ada.press("Enter")
	ada.sees("Changed pages")
	ada.counts("a change request by its number", 3, func() {
		ada.press(":", "4")
		ada.sees("▌               #4 In feet")
		ada.press("Enter")
		ada.sees("In feet", "7 conflicts")
	})
	ada.press("U")
	ada.sees("yes")
	ada.press("y")
	ada.sees("conflict 1 of 7")
	ada.counts("seven conflicts, all as in the request", 3, func() {
		ada.press("!")
		ada.sees("as in the request: 7 conflicts")
		ada.press("2", "A")
		ada.sees("updated with your decisions")
	})
}

// disputed makes a change request that collides with the space in seven sentences.
func (h *handbook) disputed() {
	h.w.Helper()
	mast := func(unit string) string {
		var out strings.Builder
		for _, part := range []string{"pole", "arm", "stay", "foot", "box", "rod", "cable"} {
			fmt.Fprintf(&out, "The %s is measured in %s. ", part, unit)
		}
		return strings.TrimSpace(out.String()) + "\n"
	}
	h.merge(h.request(h.at.Space, "Units", h.text("Mast", mast("metres"))))
	feet := h.request(h.at.Space, "In feet", h.text("Mast", mast("feet")))
	h.opens(feet)
	h.merge(h.request(h.at.Space, "In yards", h.text("Mast", mast("yards"))))
}

// counts holds that a task takes at most one key more than it could at best.
func (s *screen) counts(task string, ideal int, do func()) {
	s.w.Helper()
	s.keys = 0
	do()
	if s.w.Logf("%s: %d keys, %d at best", task, s.keys, ideal); s.keys > ideal+1 {
		s.w.Errorf("%s takes %d keys, %d at best", task, s.keys, ideal)
	}
}
