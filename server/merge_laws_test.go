package server_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

// words splits at everything that is neither letter nor digit.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Whatever two people do at the same time, no word that one of them wrote gets lost: it is in the space afterwards,
// or in a conflict that was named.
func TestMergeLosesNoWord(t *testing.T) {
	t.Parallel()
	once(t, func(t *testing.T, w *world) {
		rapid.Check(t, func(r *rapid.T) {
			space := w.newSpace().ID
			seed := w.newRequest("editor", space)
			var pages []string
			for i := range 3 {
				pages = append(pages, w.insertPage(seed, newPage(fmt.Sprintf("Page %d", i), "Alpha beta. Gamma delta.\n\nEpsilon zeta. Eta theta.\n")))
			}
			w.merged(seed)
			wrote := map[string]bool{}
			first, second := w.history(r, "a", space, pages, wrote), w.history(r, "b", space, pages, wrote)
			have := map[string]bool{}
			for _, ref := range []api.ChangeRequestRef{first, second} {
				if ref.Space == "" {
					continue
				}
				for _, c := range w.attempt(ref).Conflicts {
					for _, side := range []*string{c.Base, c.Ours, c.Theirs} {
						w.collect(have, side)
					}
				}
			}
			for _, p := range do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages {
				text := w.text(space, p.ID)
				w.collect(have, &text)
			}
			if second.Space != "" && w.shown(second).Status != api.StatusMerged {
				return // all of it is still in the change request, and the conflicts say where
			}
			for word := range wrote {
				if !have[word] {
					r.Errorf("the word %q is gone", word)
				}
			}
		})
	})
}

func (w *world) collect(have map[string]bool, text *string) {
	if text == nil {
		return
	}
	for _, word := range words(*text) {
		have[word] = true
	}
}

// history lets somebody make up to three edits in a change request and notes the words that are in it at the end and
// were not there before. Without an edit there is no change request.
func (w *world) history(r *rapid.T, who, space string, pages []string, wrote map[string]bool) (ref api.ChangeRequestRef) {
	n := rapid.IntRange(0, 3).Draw(r, who+" edits")
	if n == 0 {
		return ref
	}
	ref = w.newRequest("editor", space)
	alive := slices.Clone(pages)
	for i := range n {
		page := rapid.SampledFrom(alive).Draw(r, "page")
		word := fmt.Sprintf("%s%d", who, i)
		text := *w.draftPage(ref, page).Markdown
		switch rapid.SampledFrom([]string{"sentence", "paragraph", "delete", "replace"}).Draw(r, "edit") {
		case "sentence":
			parts := strings.SplitAfter(text, ". ")
			at := rapid.IntRange(0, len(parts)).Draw(r, "at")
			text = strings.Join(slices.Insert(parts, at, word+". "), "")
		case "paragraph":
			text = text + "\n" + word + "\n"
		case "replace":
			all := words(text)
			text = strings.Replace(text, rapid.SampledFrom(all).Draw(r, "word"), word, 1)
		case "delete":
			if len(alive) == 1 {
				continue
			}
			w.change(ref, remove(page))
			alive = slices.DeleteFunc(alive, func(id string) bool { return id == page })
			continue
		}
		w.change(ref, write(page, text))
	}
	for _, page := range alive {
		for _, word := range words(*w.draftPage(ref, page).Markdown) {
			if strings.HasPrefix(word, who) && len(word) == 2 {
				wrote[word] = true
			}
		}
	}
	return ref
}
