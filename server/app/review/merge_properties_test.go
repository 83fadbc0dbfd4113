package review_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// No word written by either of two people is lost in a merge: it is in the space afterwards or in a reported
// conflict.
//
//wsd:serial
func TestMergeLosesNoWords(t *testing.T) {
	t.Parallel()
	servertest.CheckProperty(t, func(r *rapid.T, w *servertest.World, space string) {
		pages := servertest.ReplacePages(w, space)
		wrote, have := map[string]bool{}, map[string]bool{}
		first, second := editRandomly(w, r, "a", space, pages, wrote), editRandomly(w, r, "b", space, pages, wrote)
		for _, ref := range []api.ChangeRequestRef{first, second} {
			for _, c := range mergeConflicts(w, ref) {
				for _, side := range []*api.ConflictSide{c.Base, &c.Ours, &c.Theirs} {
					if side != nil {
						collectWords(have, &side.Value)
					}
				}
			}
			// A change that was not merged is still in the change request.
			if ref.Space != "" && w.ReadRequest(ref).Status != api.StatusMerged {
				for _, p := range w.Pages(ref) {
					collectWords(have, w.DraftPage(ref, p.ID).Markdown)
				}
			}
		}
		for _, p := range servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages {
			collectWords(have, w.ReadPage(space, p.ID).Markdown)
		}
		for word := range wrote {
			if !have[word] {
				r.Errorf("the word %q is gone", word)
			}
		}
	})
}

// mergeConflicts merges a change request and returns the conflicts. A request without changes has none.
func mergeConflicts(w *servertest.World, ref api.ChangeRequestRef) []api.Conflict {
	w.T.Helper()
	if ref.Space == "" {
		return nil
	}
	a := servertest.Try(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref})
	var result api.MergeResult
	switch {
	case a.Status == http.StatusConflict && a.Error().Reason == api.ReasonState:
		return nil
	case a.Status != http.StatusOK:
		w.T.Fatalf("merge: %d %s", a.Status, a.Body)
	}
	w.Must(json.Unmarshal(a.Body, &result))
	return result.Conflicts
}

func collectWords(have map[string]bool, text *string) {
	if text == nil {
		return
	}
	for _, word := range servertest.Words(*text) {
		have[word] = true
	}
}

// editRandomly makes up to three edits in a new change request and records the words that they add. It creates no
// change request if there are no edits.
func editRandomly(w *servertest.World, r *rapid.T, who, space string, pages []string, wrote map[string]bool) (ref api.ChangeRequestRef) {
	n := rapid.IntRange(0, 3).Draw(r, who+" edits")
	if n == 0 {
		return ref
	}
	ref = w.NewRequest("editor", space)
	alive := slices.Clone(pages)
	for i := range n {
		page := rapid.SampledFrom(alive).Draw(r, "page")
		word := fmt.Sprintf("%s%d", who, i)
		text := *w.DraftPage(ref, page).Markdown
		switch rapid.SampledFrom([]string{"sentence", "paragraph", "delete", "replace"}).Draw(r, "edit") {
		case "sentence":
			parts := strings.SplitAfter(text, ". ")
			at := rapid.IntRange(0, len(parts)).Draw(r, "at")
			text = strings.Join(slices.Insert(parts, at, word+". "), "")
		case "paragraph":
			text = text + "\n" + word + "\n"
		case "replace":
			all := servertest.Words(text)
			text = strings.Replace(text, rapid.SampledFrom(all).Draw(r, "word"), word, 1)
		case "delete":
			if len(alive) == 1 {
				continue
			}
			w.Change(ref, servertest.DeletePage(page))
			alive = slices.DeleteFunc(alive, func(id string) bool { return id == page })
			continue
		}
		w.Change(ref, servertest.Write(page, text))
	}
	for _, page := range alive {
		for _, word := range servertest.Words(*w.DraftPage(ref, page).Markdown) {
			if strings.HasPrefix(word, who) && len(word) == 2 {
				wrote[word] = true
			}
		}
	}
	return ref
}
