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

// history is a source and a space that both change, and what the test knows of every sentence: who wrote it, and whether
// somebody took it out. A sentence has a word of its own.
type history struct {
	*folder

	random   *rand.Rand
	n        int
	source   map[string][]string // path -> paragraphs
	brought  map[string][]string // what the space has of the source, as it came: path -> paragraphs
	unsure   map[string]bool     // paths of brought that were in conflict since: some of it may be older
	people   map[string]bool     // words that people wrote and did not take out
	out      map[string]bool     // words of the source that people took out
	open     map[string]bool     // paths of pages in conflict, which stay as they are
	disputed map[string]bool     // words of the source in conflicts: the answers decide about them
	large    bool                // pages are split
}

func newHistory(w *servertest.World, seed uint64, large bool) *history {
	h := &history{
		folder: newFolder(w, map[string]string{}), large: large, random: rand.New(rand.NewPCG(seed, 1)),
		source: map[string][]string{}, brought: map[string][]string{}, unsure: map[string]bool{},
		people: map[string]bool{}, out: map[string]bool{}, open: map[string]bool{}, disputed: map[string]bool{},
	}
	for range 3 + h.random.IntN(3) {
		h.newFile()
	}
	return h
}

// word makes a word that only one sentence has.
func (h *history) word(of string) string { h.n++; return fmt.Sprintf("%s%dx", of, h.n) }

func (h *history) paragraph() string {
	topics := []string{"gateways", "sensors", "batteries", "antennas", "firmware", "seasons", "maps", "rivers"}
	return fmt.Sprintf("The %s says about %s and %s what nobody else says.", h.word("src"), topics[h.random.IntN(len(topics))], topics[h.random.IntN(len(topics))])
}

func (h *history) newFile() {
	path := fmt.Sprintf("%s/file%d.md", []string{"guide", "reference"}[h.random.IntN(2)], h.n)
	h.n++
	paragraphs := []string{"# Page " + h.word("src")}
	for range 2 + h.random.IntN(5) {
		paragraphs = append(paragraphs, h.paragraph())
		if h.large && h.random.IntN(2) == 0 {
			paragraphs = append(paragraphs, "## "+h.word("src")+" in short", h.paragraph())
		}
	}
	h.source[path] = paragraphs
}

// anyOf picks one of some keys, "" without any.
func (h *history) anyOf(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	return keys[h.random.IntN(len(keys))]
}

// develop changes the source.
func (h *history) develop() {
	path := h.anyOf(slices.Sorted(maps.Keys(h.source)))
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
		h.source[path] = slices.Insert(paragraphs, min(at, len(paragraphs)), h.paragraph())
	case step < 8 && len(paragraphs) > 3:
		h.source[path] = slices.Delete(paragraphs, at, at+1)
	case at < len(paragraphs):
		words := strings.Fields(paragraphs[at])
		words[1] = h.word("src")
		paragraphs[at] = strings.Join(words, " ")
		h.source[path] = paragraphs
	}
}

// pages are the documents of the space by their path in the source, with what the parts begin at.
func (h *history) pages() map[string]api.RevisionPage {
	found := map[string]api.RevisionPage{}
	servertest.EachPage(servertest.Do(h.w, "reader", api.ListContentPages, api.GetContentInput{Space: h.space}).Pages, func(p api.RevisionPage) {
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

// work lets people change the space.
func (h *history) work() {
	pages := h.pages()
	p := pages[h.anyOf(slices.Sorted(maps.Keys(pages)))]
	if p.ID == "" {
		return
	}
	paragraphs := strings.Split(strings.TrimSpace(h.w.Text(h.space, p.ID)), "\n\n")
	at := 1 + h.random.IntN(max(len(paragraphs)-1, 1))
	switch step := h.random.IntN(10); {
	case step == 0:
		h.edit(api.ContentChange{Operation: api.UpdatePage, Page: p.ID, Title: api.Some("Title " + h.word("ppl"))})
		return
	case step == 1:
		for _, other := range pages {
			if other.ID == p.ID || p.Git.Part == "" && other.Git.Path == p.Git.Path { // parts lie below the first
				h.takeOut(h.w.Text(h.space, other.ID))
			}
		}
		h.edit(servertest.Remove(p.ID))
		return
	case step < 5:
		paragraphs = slices.Insert(paragraphs, min(at, len(paragraphs)), "People know "+h.own()+" and say so.")
	case step < 8 && at < len(paragraphs):
		paragraphs[at] += " People add " + h.own() + "."
	case at < len(paragraphs):
		h.takeOut(paragraphs[at])
		paragraphs = slices.Delete(paragraphs, at, at+1)
	default:
		return
	}
	h.edit(servertest.Write(p.ID, strings.Join(paragraphs, "\n\n")+"\n"))
}

func (h *history) own() string { word := h.word("ppl"); h.people[word] = true; return word }

func (h *history) takeOut(paragraph string) {
	for word := range strings.FieldsSeq(paragraph) {
		word = strings.Trim(word, ".#")
		delete(h.people, word)
		if strings.HasPrefix(word, "src") {
			h.out[word] = true
		}
	}
}

// bring imports the source as it is now, and decides some conflicts.
func (h *history) bring() {
	h.texts = map[string]string{"README.md": "# Home\n"}
	for path, paragraphs := range h.source {
		h.texts[path] = strings.Join(paragraphs, "\n\n") + "\n"
	}
	fresh := h.fresh()
	options := func(i *api.Import) { i.Force, i.Delete = true, h.random.IntN(3) == 0 }
	done := h.told(h.again(options))
	if len(done.Conflicts) > 0 && h.random.IntN(2) == 0 {
		done = h.told(h.again(func(i *api.Import) {
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
	h.settle(fresh)
}

// fresh are the paths of what may be new pages, although the source has only renamed them and edited them at once: too
// little is as it was, or another page is as much alike.
func (h *history) fresh() map[string]bool {
	fresh, alike, claims := map[string]bool{}, map[string][]string{}, map[string]int{}
	for path, paragraphs := range h.source {
		if h.brought[path] != nil {
			continue
		}
		fresh[path] = true
		for old, was := range h.brought {
			if h.source[old] == nil && (h.unsure[old] || mostlyAlike(was, paragraphs)) {
				alike[path] = append(alike[path], old)
				claims[old]++
			}
		}
	}
	for path, found := range alike {
		old := found[0]
		same := slices.Equal(h.brought[old], h.source[path])
		if len(found) == 1 && !h.unsure[old] && (same || claims[old] == 1) {
			delete(fresh, path)
		}
	}
	return fresh
}

// mostlyAlike reports whether two documents are one that was edited: 60 % of the blocks of either are in both.
func mostlyAlike(a, b []string) bool {
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

// told notes what an import says of conflicts, and of what it took out.
func (h *history) told(done api.ImportResult) api.ImportResult {
	h.open = map[string]bool{}
	for _, r := range done.Conflicting {
		h.open[r.Path], h.unsure[r.Path] = true, true
	}
	for _, c := range done.Conflicts {
		for _, side := range []*api.ConflictSide{c.Base, &c.Ours, &c.Theirs} {
			if side != nil {
				h.dispute(side.Value)
			}
		}
		if c.Kind == "deleted" {
			for path := range h.open {
				h.dispute(h.texts[path])
			}
		}
	}
	for _, r := range done.Gone {
		delete(h.brought, r.Path)
	}
	for path, paragraphs := range h.source {
		if !h.open[path] {
			h.brought[path] = paragraphs
			delete(h.unsure, path)
		}
	}
	return done
}

func (h *history) dispute(text string) {
	for word := range strings.FieldsSeq(text) {
		h.disputed[strings.Trim(word, ".#")] = true
	}
}

// settle takes from the space what only it can say: what became of words in conflicts that are decided, and which of what
// people took out has come back with a page that is new.
func (h *history) settle(fresh map[string]bool) {
	texts, _ := h.now()
	for path, paragraphs := range h.source {
		if h.open[path] {
			continue
		}
		for _, paragraph := range paragraphs[1:] {
			word := strings.Fields(paragraph)[1]
			has := strings.Contains(texts[path], word)
			switch {
			case h.disputed[word]:
				h.out[word] = !has
			case fresh[path] && has:
				h.out[word] = false
			}
		}
	}
}

// now is the text of each document of the space, and of all of it.
func (h *history) now() (texts map[string]string, all string) {
	texts = map[string]string{}
	for _, p := range h.pages() {
		text := h.w.Text(h.space, p.ID)
		texts[p.Git.Path] += text
		all += text
	}
	return texts, all
}

// holds checks the space against what is known of its sentences.
func (h *history) holds() {
	t := h.w.T
	texts, all := h.now()
	for word := range h.people {
		if n := strings.Count(all, word); n != 1 {
			t.Errorf("the people's %s is there %d times", word, n)
		}
	}
	for path, paragraphs := range h.source {
		if h.open[path] {
			continue
		}
		for _, paragraph := range paragraphs[1:] {
			word := strings.Fields(paragraph)[1]
			if has := strings.Contains(texts[path], word); has == h.out[word] {
				t.Errorf("%s has the source's %s: %v, and people have taken it out: %v", path, word, has, h.out[word])
			}
		}
	}
}

// However a source and a space go on, beside each other: no sentence of people is lost, doubled or undone, what the source
// says comes in, what people took out stays out, no page is there twice, and where nothing has changed nothing happens.
func TestImportHistoriesCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "imports", 12, 500)
	for run := range runs {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			t.Parallel()
			w := servertest.NewWorld(t, storetest.Memory())
			large := run%2 == 1
			if large {
				splitting(w, 300)
			}
			h := newHistory(w, seed+uint64(run), large)
			h.bring()
			for range 6 {
				for range h.random.IntN(4) {
					h.work()
				}
				for range h.random.IntN(4) {
					h.develop()
				}
				h.bring()
				h.holds()
				first := h.again(func(i *api.Import) { i.Force = true })
				if again := h.again(func(i *api.Import) { i.Force = true }); again.Revision != first.Revision {
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
