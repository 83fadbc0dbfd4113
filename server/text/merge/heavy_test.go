package merge

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/storetest"
)

// TestDivergedMergesKeepWordsCampaign checks that merges of heavily diverged histories of several pages lose no word, and that
// at most three in a thousand end in a conflict over a whole page. It counts the outcomes.
func TestDivergedMergesKeepWordsCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "heavy", 200, 10_000)
	counts := map[string]int{}
	for run := range runs {
		h := newDivergedHistory(seed, run)
		result := h.merge(t, nil)
		counts[h.widestScope(result.Conflicts)]++
		if lost := h.unaccountedWords(result); len(lost) > 0 {
			t.Fatalf("history %d of seed %d: %v", run, seed, lost)
		}
		h.resolveRandomly(t, result)
	}
	t.Logf("%d histories, seed %d: %v", runs, seed, counts)
	if counts["page"]*1000 > 3*max(runs, 1000) {
		t.Errorf("%d of %d histories leave a conflict over a whole page", counts["page"], runs)
	}
}

// divergedHistory is a history of some pages in which both sides made many changes.
type divergedHistory struct {
	random *rand.Rand
	number int
	trees  [3]Tree
	texts  map[string]content.Text // by Page.Text
}

// historyPage is a page under construction.
type historyPage struct {
	paragraphs []string
	text       content.Text
}

func newDivergedHistory(seed uint64, run int) *divergedHistory {
	h := &divergedHistory{random: rand.New(rand.NewPCG(seed, uint64(run))), texts: map[string]content.Text{}}
	base := Tree{}
	for i := range 2 + h.random.IntN(6) {
		id := fmt.Sprintf("p%d", i)
		paragraphs := make([]string, 10+h.random.IntN(31))
		for k := range paragraphs {
			paragraphs[k] = h.paragraph("b")
		}
		base[id] = Page{
			Order: fmt.Sprintf("a%d", i), Attributes: map[string]string{
				SlugAttribute: fmt.Sprintf(`"%s"`, id), "title": fmt.Sprintf(`"%s"`, id),
			},
			Text: h.store(id, historyPage{paragraphs: paragraphs}),
		}
	}
	h.trees[inBase] = base
	shared := fmt.Sprintf("p%d", h.random.IntN(len(base)))
	h.trees[inOurs], h.trees[inTheirs] = h.editPages(base, "o", shared), h.editPages(base, "t", shared)
	return h
}

// store stores the text of a page and returns its name in a tree.
func (h *divergedHistory) store(id string, p historyPage) string {
	text, err := content.Parse(id, []byte(strings.Join(p.paragraphs, "\n\n")+"\n"), p.text)
	if err != nil {
		panic(err)
	}
	name := fmt.Sprintf("%s/%d", id, len(h.texts))
	h.texts[name] = text
	return name
}

func (h *divergedHistory) word(prefix string) string {
	h.number++
	return fmt.Sprintf("%s%d", prefix, h.number)
}

func (h *divergedHistory) sentence(prefix string) string {
	words := make([]string, 4+h.random.IntN(9))
	for i := range words {
		words[i] = h.word(prefix)
	}
	return strings.Join(words, " ") + "."
}

// paragraph returns prose, sometimes a table or a list.
func (h *divergedHistory) paragraph(prefix string) string {
	switch h.random.IntN(8) {
	case 0:
		lines := []string{"| " + h.word(prefix) + " | " + h.word(prefix) + " |", "|---|---|"}
		for range 2 + h.random.IntN(5) {
			lines = append(lines, h.row(prefix))
		}
		return strings.Join(lines, "\n")
	case 1:
		var lines []string
		for range 2 + h.random.IntN(5) {
			lines = append(lines, "- "+h.sentence(prefix))
		}
		return strings.Join(lines, "\n")
	}
	sentences := make([]string, 1+h.random.IntN(6))
	for i := range sentences {
		sentences[i] = h.sentence(prefix)
	}
	return strings.Join(sentences, " ")
}

func (h *divergedHistory) row(prefix string) string {
	return "| " + h.word(prefix) + " | " + h.word(prefix) + " |"
}

// editPages edits the pages as one side, in several revisions; the shared page is always changed.
func (h *divergedHistory) editPages(base Tree, prefix, shared string) Tree {
	tree, pages := maps.Clone(base), map[string]historyPage{}
	open := func(id string) historyPage {
		if p, ok := pages[id]; ok {
			return p
		}
		text := h.texts[tree[id].Text]
		return historyPage{paragraphs: strings.Split(strings.TrimSuffix(string(text.Markdown), "\n"), "\n\n"), text: text}
	}
	commit := func() {
		for _, id := range slices.Sorted(maps.Keys(pages)) {
			page := tree[id]
			page.Text = h.store(id, pages[id])
			tree[id] = page
		}
		clear(pages)
	}
	for i := range 5 + h.random.IntN(21) {
		id, to := h.randomPage(tree), h.randomPage(tree)
		if i == 0 {
			id = shared
		}
		if i > 0 && h.random.IntN(12) == 0 {
			h.changePage(tree, id, to, prefix)
			continue
		}
		p, q := open(id), open(to)
		if i > 0 && id != to && len(p.paragraphs) > 1 && h.random.IntN(9) == 0 {
			at, place := h.random.IntN(len(p.paragraphs)), h.random.IntN(len(q.paragraphs)+1)
			q.paragraphs = slices.Insert(slices.Clone(q.paragraphs), place, p.paragraphs[at])
			p.paragraphs = slices.Delete(slices.Clone(p.paragraphs), at, at+1)
			pages[to] = q
		} else {
			p.paragraphs = h.edit(slices.Clone(p.paragraphs), prefix)
		}
		pages[id] = p
		if h.random.IntN(4) == 0 {
			commit()
		}
	}
	commit()
	return tree
}

func (h *divergedHistory) randomPage(tree Tree) string {
	ids := slices.Sorted(maps.Keys(tree))
	return ids[h.random.IntN(len(ids))]
}

// changePage renames a page or moves it below another.
func (h *divergedHistory) changePage(tree Tree, id, to, prefix string) {
	page := tree[id]
	if h.random.IntN(2) == 0 {
		page.Attributes = maps.Clone(page.Attributes)
		page.Attributes["title"] = fmt.Sprintf("%q", h.word(prefix))
	} else {
		page.Parent = to
	}
	addPage(tree, id, page)
}

// edit changes one paragraph, or moves it within its page.
func (h *divergedHistory) edit(list []string, prefix string) []string {
	at := h.random.IntN(len(list))
	switch h.random.IntN(9) {
	case 0:
		return slices.Insert(list, at, h.paragraph(prefix))
	case 1:
		if len(list) > 1 {
			return slices.Delete(list, at, at+1)
		}
	case 2:
		block := list[at]
		list = slices.Delete(list, at, at+1)
		return slices.Insert(list, h.random.IntN(len(list)+1), block)
	case 3:
		if before, after, ok := strings.Cut(list[at], ". "); ok && isProse(list[at]) {
			return slices.Replace(list, at, at+1, before+".", after)
		}
	case 4:
		if at+1 < len(list) && isProse(list[at]) && isProse(list[at+1]) {
			return slices.Replace(list, at, at+2, list[at]+" "+list[at+1])
		}
	case 5:
		list[at] = h.addSentence(list[at], prefix)
		return list
	}
	w := &wordEditor{random: h.random}
	list[at] = w.replace(list[at], h.word(prefix))
	return list
}

func isProse(block string) bool {
	return !strings.HasPrefix(block, "|") && !strings.HasPrefix(block, "- ")
}

// addSentence adds a sentence, a row or an item somewhere in a block.
func (h *divergedHistory) addSentence(block, prefix string) string {
	switch {
	case strings.HasPrefix(block, "|"):
		lines := strings.Split(block, "\n")
		return strings.Join(slices.Insert(lines, 2+h.random.IntN(len(lines)-1), h.row(prefix)), "\n")
	case strings.HasPrefix(block, "- "):
		lines := strings.Split(block, "\n")
		return strings.Join(slices.Insert(lines, h.random.IntN(len(lines)+1), "- "+h.sentence(prefix)), "\n")
	}
	sentences := strings.SplitAfter(block, ". ")
	if at := h.random.IntN(len(sentences) + 1); at < len(sentences) {
		sentences[at] = h.sentence(prefix) + " " + sentences[at]
		return strings.Join(sentences, "")
	}
	return block + " " + h.sentence(prefix)
}

// wordEditor edits single words.
type wordEditor struct{ random *rand.Rand }

// replace replaces one word of a block, deletes it, or inserts before it.
func (s *wordEditor) replace(block, word string) string {
	found := wordPattern.FindAllStringIndex(block, -1)
	span := found[s.random.IntN(len(found))]
	switch s.random.IntN(3) {
	case 0:
		word = block[span[0]:span[1]] + " " + word
	case 1:
		if len(found) > 4 && strings.HasPrefix(block[span[1]:], " ") && !strings.HasPrefix(block, "|") {
			return block[:span[0]] + block[span[1]+1:]
		}
	}
	return block[:span[0]] + word + block[span[1]:]
}

// merge merges the sides with resolutions of an earlier merge.
func (h *divergedHistory) merge(t *testing.T, answers Resolutions) Result {
	t.Helper()
	result, err := Pages(t.Context(), changedPages(h.trees[inBase], h.trees[inOurs], h.trees[inTheirs]), Input{
		Base: view(h.trees[inBase]), Ours: view(h.trees[inOurs]), Theirs: view(h.trees[inTheirs]),
		Load:        func(_, name string) (content.Text, error) { return h.texts[name], nil },
		Resolutions: answers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// widestScope returns the scope of the widest conflict, from "clean" for none to "page".
func (h *divergedHistory) widestScope(conflicts []Conflict) string {
	wide := 0
	names := []string{"clean", "sentence", "settings", "block", "page"}
	for _, c := range conflicts {
		at := slices.Index(names, "block")
		switch {
		case c.Kind == KindText && c.Block == "":
			at = slices.Index(names, "page")
		case c.Kind == KindText && !strings.Contains(text(c.Base)+text(c.Ours)+text(c.Theirs), "\n\n"):
			at = slices.Index(names, "sentence")
		case c.Kind == KindAttribute, c.Block == "" && (c.Kind == KindMoved || c.Kind == KindOrder), c.Kind == KindCycle:
			at = slices.Index(names, "settings")
		}
		wide = max(wide, at)
	}
	return names[wide]
}

// unaccountedWords returns the inserted or deleted words that the result does not account for.
func (h *divergedHistory) unaccountedWords(result Result) (lost []string) {
	named := conflictWords(result.Conflicts)
	for id, page := range result.Set {
		merged, ok := result.NewTexts[id]
		if !ok {
			merged = h.texts[page.Text]
		}
		before, after := wordsOf(string(h.texts[h.trees[inBase][id].Text].Markdown)), wordsOf(string(merged.Markdown))
		for _, side := range []int{inOurs, inTheirs} {
			now := wordsOf(string(h.texts[h.trees[side][id].Text].Markdown))
			for word := range now {
				if !before[word] && !after[word] && !named[word] {
					lost = append(lost, id+": "+word+" is lost")
				}
			}
			for word := range before {
				if !now[word] && after[word] && !named[word] {
					lost = append(lost, id+": "+word+" is back")
				}
			}
		}
	}
	return lost
}

// resolveRandomly resolves all conflicts at random and checks that none is left.
func (h *divergedHistory) resolveRandomly(t *testing.T, result Result) {
	t.Helper()
	answers := Resolutions{}
	for _, c := range result.Conflicts {
		answers[c.ID] = []*string{c.Ours, c.Theirs, c.Proposed}[h.random.IntN(3)]
	}
	for range 4 {
		again := h.merge(t, answers)
		if len(again.Conflicts) == 0 {
			return
		}
		for _, c := range again.Conflicts { // conflicts caused by a resolution
			if _, ok := answers[c.ID]; ok {
				t.Fatalf("%s is answered and comes back", summary(c))
			}
			answers[c.ID] = c.Ours
		}
	}
	t.Fatal("conflicts without an end")
}
