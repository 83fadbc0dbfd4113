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

	random     *rand.Rand
	n          int
	source     map[string][]string // path -> paragraphs
	people     map[string]bool     // words that people wrote and did not take out
	out        map[string]bool     // words of the source that people took out
	conflicted map[string]bool     // paths of pages that were in conflict: the answer decides about the source's words
	large      bool                // pages are split
	loose      map[string]bool     // paths that may be those of new pages: what people took out of the old one may be there
}

func newHistory(w *servertest.World, seed uint64, large bool) *history {
	h := &history{
		folder: newFolder(w, map[string]string{}), large: large, random: rand.New(rand.NewPCG(seed, 1)),
		source: map[string][]string{}, people: map[string]bool{}, out: map[string]bool{}, loose: map[string]bool{}, conflicted: map[string]bool{},
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
		h.conflicted[strings.Replace(path, "file", "renamed", 1)] = h.conflicted[path]
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
	last := h.texts
	h.texts = map[string]string{"README.md": "# Home\n"}
	for path, paragraphs := range h.source {
		h.texts[path] = strings.Join(paragraphs, "\n\n") + "\n"
		if last[path] == "" && !slices.Contains(slices.Collect(maps.Values(last)), h.texts[path]) {
			h.loose[path] = true // new; or renamed and edited at once, perhaps so much that it counts as new
		}
	}
	options := func(i *api.Import) { i.Force, i.Delete = true, h.random.IntN(3) == 0 }
	done := h.again(options)
	for _, r := range done.Conflicting {
		h.conflicted[r.Path] = true
	}
	if len(done.Conflicts) > 0 && h.random.IntN(2) == 0 {
		done = h.again(func(i *api.Import) {
			options(i)
			for _, c := range done.Conflicts {
				take := api.TakeOurs
				if c.Kind == "text" && h.random.IntN(2) == 0 {
					take = api.TakeBoth
				}
				i.Resolutions = append(i.Resolutions, api.Resolution{Conflict: c.ID, Take: take})
			}
		})
		for _, r := range done.Conflicting {
			h.conflicted[r.Path] = true
		}
	}
}

// holds checks the space against what is known of its sentences.
func (h *history) holds() {
	t := h.w.T
	var all strings.Builder
	texts := map[string]string{}
	for _, p := range h.pages() {
		text := h.w.Text(h.space, p.ID)
		texts[p.Git.Path] += text
		all.WriteString(text)
	}
	for word := range h.people {
		if n := strings.Count(all.String(), word); n != 1 {
			t.Errorf("the people's %s is there %d times", word, n)
		}
	}
	for path, paragraphs := range h.source {
		if h.conflicted[path] {
			continue
		}
		for _, paragraph := range paragraphs[1:] {
			word := strings.Fields(paragraph)[1]
			if h.loose[path] && h.out[word] {
				continue
			}
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
