package imports_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// history is a source and a space under random changes. It records the author of every sentence and whether it was removed.
// Every sentence has a unique word.
type history struct {
	*folder

	random   *rand.Rand
	n        int
	source   map[string][]string // path -> paragraphs
	imported map[string][]string // last imported paragraphs by path
	// paths whose pages have been in conflict since, so that some of their imported paragraphs may be older
	uncertain     map[string]bool
	userWords     map[string]bool // words that users wrote and did not remove
	removedWords  map[string]bool // words of the source that users removed
	inConflict    map[string]bool // paths of pages in conflict, which stay unchanged
	disputedWords map[string]bool // words of the source in conflicts, which depend on the resolutions
	large         bool            // pages are split
}

func newHistory(w *servertest.World, seed uint64, large bool) *history {
	h := &history{
		folder: newFolder(w, map[string]string{}), large: large, random: rand.New(rand.NewPCG(seed, 1)),
		source: map[string][]string{}, imported: map[string][]string{}, uncertain: map[string]bool{},
		userWords: map[string]bool{}, removedWords: map[string]bool{}, inConflict: map[string]bool{}, disputedWords: map[string]bool{},
	}
	for range 3 + h.random.IntN(3) {
		h.newFile()
	}
	return h
}

// newWord returns a unique word that begins with of.
func (h *history) newWord(of string) string { h.n++; return fmt.Sprintf("%s%dx", of, h.n) }

func (h *history) newParagraph() string {
	topics := []string{"gateways", "sensors", "batteries", "antennas", "firmware", "seasons", "maps", "rivers"}
	return fmt.Sprintf("The %s says about %s and %s what nobody else says.", h.newWord("src"), topics[h.random.IntN(len(topics))],
		topics[h.random.IntN(len(topics))])
}

func (h *history) newFile() {
	path := fmt.Sprintf("%s/file%d.md", []string{"guide", "reference"}[h.random.IntN(2)], h.n)
	h.n++
	paragraphs := []string{"# Page " + h.newWord("src")}
	for range 2 + h.random.IntN(5) {
		paragraphs = append(paragraphs, h.newParagraph())
		if h.large && h.random.IntN(2) == 0 {
			paragraphs = append(paragraphs, "## "+h.newWord("src")+" in short", h.newParagraph())
		}
	}
	h.source[path] = paragraphs
}

// pick returns a random key, or "" if there is none.
func (h *history) pick(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return keys[h.random.IntN(len(keys))]
}

// changeSource makes a random change to the source: it adds, deletes, renames or edits a document.
func (h *history) changeSource() {
	path := h.pick(slices.Sorted(maps.Keys(h.source)))
	paragraphs := slices.Clone(h.source[path])
	at := 1 + h.random.IntN(max(len(paragraphs)-1, 1))
	switch step := h.random.IntN(10); {
	case step == 0 || path == "":
		h.newFile()
	case step == 1 && len(h.source) > 3:
		delete(h.source, path)
	case step == 2:
		delete(h.source, path)
		h.source[strings.Replace(path, "file", "renamed", 1)] = paragraphs
	case step < 6:
		h.source[path] = slices.Insert(paragraphs, min(at, len(paragraphs)), h.newParagraph())
	case step < 8 && len(paragraphs) > 3:
		h.source[path] = slices.Delete(paragraphs, at, at+1)
	case at < len(paragraphs):
		words := strings.Fields(paragraphs[at])
		words[1] = h.newWord("src")
		paragraphs[at] = strings.Join(words, " ")
		h.source[path] = paragraphs
	}
}

// pages returns the documents of the space by source path and, for parts, heading id.
func (h *history) pages() map[string]api.RevisionPage {
	found := map[string]api.RevisionPage{}
	servertest.EachPage(servertest.Do(h.w, "reader", api.ListContentPages, api.GetContentInput{Space: h.space}).Pages,
		func(p api.RevisionPage) {
			if p.Git != nil && p.Type == api.PageDocument {
				at := p.Git.Path + "#" + p.Git.Part
				if other, twice := found[at]; twice {
					h.w.T.Errorf("%s and %s are both %s", other.ID, p.ID, at)
				}
				found[at] = p
			}
		})
	return found
}

// editAtRandom makes a random change to the space, as a user would.
func (h *history) editAtRandom() {
	pages := h.pages()
	p := pages[h.pick(slices.Sorted(maps.Keys(pages)))]
	if p.ID == "" {
		return
	}
	paragraphs := strings.Split(strings.TrimSpace(h.w.PageText(h.space, p.ID)), "\n\n")
	at := 1 + h.random.IntN(max(len(paragraphs)-1, 1))
	switch step := h.random.IntN(10); {
	case step == 0:
		h.edit(api.ContentChange{Operation: api.UpdatePage, Page: p.ID, Title: api.Some("Title " + h.newWord("ppl"))})
		return
	case step == 1:
		for _, other := range pages {
			if other.ID == p.ID || p.Git.Part == "" && other.Git.Path == p.Git.Path { // parts are below the first one
				h.recordRemoval(h.w.PageText(h.space, other.ID))
			}
		}
		h.edit(servertest.DeletePage(p.ID))
		return
	case step < 5:
		paragraphs = slices.Insert(paragraphs, min(at, len(paragraphs)), "People know "+h.newUserWord()+" and say so.")
	case step < 8 && at < len(paragraphs):
		paragraphs[at] += " People add " + h.newUserWord() + "."
	case at < len(paragraphs):
		h.recordRemoval(paragraphs[at])
		paragraphs = slices.Delete(paragraphs, at, at+1)
	default:
		return
	}
	h.edit(servertest.Write(p.ID, strings.Join(paragraphs, "\n\n")+"\n"))
}

func (h *history) newUserWord() string {
	word := h.newWord("ppl")
	h.userWords[word] = true
	return word
}

func (h *history) recordRemoval(paragraph string) {
	for word := range strings.FieldsSeq(paragraph) {
		word = strings.Trim(word, ".#")
		delete(h.userWords, word)
		if strings.HasPrefix(word, "src") {
			h.removedWords[word] = true
		}
	}
}

// importSource imports the source in its present state and resolves some conflicts.
func (h *history) importSource() {
	h.texts = map[string]string{"README.md": "# Home\n"}
	for path, paragraphs := range h.source {
		h.texts[path] = strings.Join(paragraphs, "\n\n") + "\n"
	}
	fresh := h.possiblyNewPaths()
	options := func(i *api.Import) { i.Force, i.Delete = true, h.random.IntN(3) == 0 }
	done := h.record(h.reimport(options))
	if len(done.Conflicts) > 0 && h.random.IntN(2) == 0 {
		done = h.record(h.reimport(func(i *api.Import) {
			options(i)
			for _, c := range done.Conflicts {
				take := api.TakeOurs
				if c.Kind == "text" && h.random.IntN(2) == 0 {
					take = api.TakeBoth
				}
				i.Resolutions = append(i.Resolutions, api.Resolution{Conflict: c.ID, Take: take})
			}
		}))
	}
	h.readOutcome(fresh)
}

// possiblyNewPaths returns the paths of pages that may be imported as new ones although the source only renamed and edited
// them at once: too little is unchanged, or another page is equally similar.
func (h *history) possiblyNewPaths() map[string]bool {
	fresh, alike, claims := map[string]bool{}, map[string][]string{}, map[string]int{}
	for path, paragraphs := range h.source {
		if h.imported[path] != nil {
			continue
		}
		fresh[path] = true
		for old, was := range h.imported {
			if h.source[old] == nil && (h.uncertain[old] || areSimilar(was, paragraphs)) {
				alike[path] = append(alike[path], old)
				claims[old]++
			}
		}
	}
	for path, found := range alike {
		old := found[0]
		same := slices.Equal(h.imported[old], h.source[path])
		if len(found) == 1 && !h.uncertain[old] && (same || claims[old] == 1) {
			delete(fresh, path)
		}
	}
	return fresh
}

// areSimilar reports whether two documents have 60 % of the blocks of either in common.
func areSimilar(a, b []string) bool {
	counts, common := map[string]int{}, 0
	for _, paragraph := range a {
		counts[paragraph]++
	}
	for _, paragraph := range b {
		if counts[paragraph] > 0 {
			counts[paragraph]--
			common++
		}
	}
	return 100*common >= 60*max(len(a), len(b))
}

// record updates the history with the conflicts and removals that an import reports. It returns done.
func (h *history) record(done api.ImportResult) api.ImportResult {
	h.inConflict = map[string]bool{}
	for _, r := range done.Conflicting {
		h.inConflict[r.Path], h.uncertain[r.Path] = true, true
	}
	for _, c := range done.Conflicts {
		for _, side := range []*api.ConflictSide{c.Base, &c.Ours, &c.Theirs} {
			if side != nil {
				h.addDisputedWords(side.Value)
			}
		}
		if c.Kind == "deleted" {
			for path := range h.inConflict {
				h.addDisputedWords(h.texts[path])
			}
		}
	}
	for _, r := range done.Gone {
		delete(h.imported, r.Path)
	}
	for path, paragraphs := range h.source {
		if !h.inConflict[path] {
			h.imported[path] = paragraphs
			delete(h.uncertain, path)
		}
	}
	return done
}

func (h *history) addDisputedWords(text string) {
	for word := range strings.FieldsSeq(text) {
		h.disputedWords[strings.Trim(word, ".#")] = true
	}
}

// readOutcome reads from the space which words of resolved conflicts were kept, and which removed words were restored
// by pages imported as new.
func (h *history) readOutcome(fresh map[string]bool) {
	texts, _ := h.currentTexts()
	for path, paragraphs := range h.source {
		if h.inConflict[path] {
			continue
		}
		for _, paragraph := range paragraphs[1:] {
			word := strings.Fields(paragraph)[1]
			has := strings.Contains(texts[path], word)
			switch {
			case h.disputedWords[word]:
				h.removedWords[word] = !has
			case fresh[path] && has:
				h.removedWords[word] = false
			}
		}
	}
}

// currentTexts returns the text of each document of the space, and all of them concatenated.
func (h *history) currentTexts() (texts map[string]string, all string) {
	texts = map[string]string{}
	for _, p := range h.pages() {
		text := h.w.PageText(h.space, p.ID)
		texts[p.Git.Path] += text
		all += text
	}
	return texts, all
}

// check compares the space with the recorded sentences.
func (h *history) check() {
	t := h.w.T
	texts, all := h.currentTexts()
	for word := range h.userWords {
		if n := strings.Count(all, word); n != 1 {
			t.Errorf("the people's %s is there %d times", word, n)
		}
	}
	for path, paragraphs := range h.source {
		if h.inConflict[path] {
			continue
		}
		for _, paragraph := range paragraphs[1:] {
			word := strings.Fields(paragraph)[1]
			if has := strings.Contains(texts[path], word); has == h.removedWords[word] {
				t.Errorf("%s has the source's %s: %v, and people have taken it out: %v", path, word, has, h.removedWords[word])
			}
		}
	}
}

// TestRepeatedImportsKeepEditsCampaign changes a source and a space at random. No sentence of a user may be lost,
// duplicated or undone, changes of the source are imported, removed sentences stay removed, no page is duplicated, and
// an unchanged source changes nothing.
func TestRepeatedImportsKeepEditsCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "imports", 12, 500)
	for run := range runs {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			t.Parallel()
			w := servertest.NewWorld(t, storetest.Memory())
			large := run%2 == 1
			if large {
				setSplitLimit(w, 300)
			}
			h := newHistory(w, seed+uint64(run), large)
			h.importSource()
			for range 6 {
				for range h.random.IntN(4) {
					h.editAtRandom()
				}
				for range h.random.IntN(4) {
					h.changeSource()
				}
				h.importSource()
				h.check()
				first := h.reimport(func(i *api.Import) { i.Force = true })
				if again := h.reimport(func(i *api.Import) { i.Force = true }); again.Revision != first.Revision {
					t.Errorf("an unchanged source made a revision: %+v", again)
				}
				if t.Failed() {
					return
				}
			}
			h.w.Fsck()
		})
	}
}
