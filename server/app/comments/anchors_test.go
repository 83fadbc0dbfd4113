package comments_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
)

// sampleAnchor is an anchor on a block of a page, or on a sentence of it, with its units.
type sampleAnchor struct {
	page   int
	units  []*unit // of the edited model
	anchor content.Anchor
}

// sampleAnchors returns an anchor for every block of the given pages, or of all pages, and for the last sentence of
// paragraphs with several sentences.
func sampleAnchors(m *model, pages ...int) (list []sampleAnchor) {
	for i, p := range m.pages {
		if len(pages) > 0 && !slices.Contains(pages, i) {
			continue
		}
		units := map[int][]*unit{}
		for _, b := range p.blocks {
			for _, u := range b.units {
				units[u.block] = append(units[u.block], u)
			}
		}
		for k, block := range p.text.Blocks {
			of := units[k]
			if len(of) == 0 {
				continue
			}
			a, _ := content.NewAnchor(p.text, block, "")
			list = append(list, sampleAnchor{i, of, a})
			last := of[len(of)-1]
			if a, found := content.NewAnchor(p.text, block, last.text); found == 1 && len(of) > 1 && block.Kind == content.KindParagraph {
				list = append(list, sampleAnchor{i, []*unit{last}, a})
			}
		}
	}
	return list
}

// expectedRange returns the byte range of the units of an anchor. whole reports whether they are unchanged and
// adjacent in one block.
func (m *model) expectedRange(units []*unit, stands map[*unit]position) (page, start, end int, whole bool) {
	first, ok := stands[units[0]]
	if !ok || first.index+len(units) > len(first.block.units) ||
		!slices.Equal(first.block.units[first.index:first.index+len(units)], units) {
		return 0, 0, 0, false
	}
	start, end = units[0].start, units[len(units)-1].end
	p := m.pages[first.page]
	changed := slices.ContainsFunc(units, func(u *unit) bool { return u.edited })
	return first.page, start, end, !changed && p.blockAt(start) == p.blockAt(end-1)
}

// overlaps reports whether one of the units is in a range of a page.
func overlaps(units []*unit, stands map[*unit]position, page, start, end int) bool {
	return slices.ContainsFunc(units, func(u *unit) bool {
		at, ok := stands[u]
		return ok && at.page == page && u.start < end && start < u.end
	})
}

// anchorCounts counts the outcomes of anchors.
type anchorCounts struct {
	surviving, found, wrong int
	states                  map[content.State]int
}

func (t *anchorCounts) add(z anchorCounts) {
	t.surviving, t.found, t.wrong = t.surviving+z.surviving, t.found+z.found, t.wrong+z.wrong
	if t.states == nil {
		t.states = map[content.State]int{}
	}
	for s, n := range z.states {
		t.states[s] += n
	}
}

func (t anchorCounts) String() string {
	percent := 100.0
	if t.surviving > 0 {
		percent = 100 * float64(t.found) / float64(t.surviving)
	}
	return fmt.Sprintf("%6d quotes survive in one block, kept %.2f %%, wrong %d; exact %d, shifted %d, fuzzy %d, moved %d, orphaned %d",
		t.surviving, percent, t.wrong,
		t.states[content.Exact], t.states[content.Shifted], t.states[content.Fuzzy], t.states[content.Moved], t.states[content.Orphaned])
}

// evaluate locates all anchors in the current texts and compares the result with the model.
func evaluate(t *testing.T, base []content.Text, now *model, list []sampleAnchor) anchorCounts {
	t.Helper()
	versions := make([]*content.Versions, len(now.pages))
	changed := map[int]bool{}
	for i, p := range now.pages {
		versions[i] = &content.Versions{Page: pageName(i), Now: p.text}
		if i < len(base) {
			versions[i].Then = base[i]
		}
		changed[i] = string(versions[i].Then.Markdown) != string(p.text.Markdown)
	}
	var y anchorCounts
	stands := now.positions()
	states := map[content.State]int{}
	for _, a := range list {
		var others []*content.Versions
		for i, v := range versions {
			if changed[i] && i != a.page {
				others = append(others, v)
			}
		}
		found := a.anchor.LocateElsewhere(a.anchor.Locate(versions[a.page]), versions[a.page], others)
		states[found.State]++
		page, start, end, whole := now.expectedRange(a.units, stands)
		if whole {
			y.surviving++
		}
		if found.State == content.Orphaned {
			continue
		}
		index := slices.IndexFunc(versions, func(v *content.Versions) bool { return v.Page == found.Page })
		quoted := strings.Fields(string(versions[index].Now.Markdown[found.Start:found.End]))
		switch {
		case whole && index == page && found.Start < end && start < found.End:
			y.found++
		case whole || !overlaps(a.units, stands, index, found.Start, found.End):
			y.wrong++
			t.Logf("%s: %q is at %q", found.State, a.anchor.Quote, strings.Join(quoted, " "))
		}
		if exact := found.State != content.Fuzzy && found.Score == 100; exact && !slices.Equal(quoted, strings.Fields(a.anchor.Quote)) {
			t.Errorf("%s: %q is not %q", found.State, quoted, a.anchor.Quote)
		}
	}
	y.states = states
	return y
}

// TestAnchorsFollowEdits edits real pages and compares the locations of anchors on every block with the model: at least
// 95 % of the quotes that survive in one block must be located, and none in a wrong position.
//
//wsd:serial
func TestAnchorsFollowEdits(t *testing.T) {
	t.Parallel()
	texts := documentationTexts(t)
	held := newModel(texts[len(texts)-1:])
	texts = texts[:len(texts)-1]
	var fresh []string
	for _, b := range held.pages[0].blocks {
		if text := b.units[0].text; isParagraph(b) && len(strings.Fields(text)) > 8 {
			fresh = append(fresh, text)
		}
	}
	base := newModel(texts)
	base.fillMissingKinds()
	base.resetOrigins(t)
	var initial []content.Text
	blocks := 0
	for _, p := range base.pages {
		initial = append(initial, p.text)
		blocks += len(p.text.Blocks)
	}
	t.Logf("%d pages, %d blocks, %d anchors", len(initial), blocks, len(sampleAnchors(base)))
	sum := anchorCounts{}
	for kind := range (&editor{}).edits() {
		var y anchorCounts
		for page := range initial {
			e := &editor{model: base.clone(), random: rand.New(rand.NewPCG(uint64(kind), uint64(page))), newParagraphs: fresh}
			list := sampleAnchors(e.model, page)
			if !e.edits()[kind].make(page) {
				t.Errorf("%s: not possible on %s", e.edits()[kind].name, documentationPages()[page])
			}
			e.render(t)
			y.add(evaluate(t, initial, e.model, list))
		}
		t.Logf("%-22s %v", (&editor{}).edits()[kind].name, y)
		sum.add(y)
	}
	t.Logf("%-22s %v", "each edit alone", sum)
	sum.add(evaluateSequence(t, base, initial, fresh))
	if sum.wrong > 0 || 100*sum.found < 95*sum.surviving {
		t.Errorf("in all: %v", sum)
	}
}

// evaluateSequence makes the ten edits in sequence on every page of one space, and evaluates the anchors of the first
// revision after the first, fourth, seventh and last edit.
func evaluateSequence(t *testing.T, base *model, texts []content.Text, fresh []string) anchorCounts {
	t.Helper()
	e := &editor{model: base.clone(), random: rand.New(rand.NewPCG(7, 7)), newParagraphs: fresh}
	list := sampleAnchors(e.model)
	var sum anchorCounts
	kinds := len(e.edits())
	for round := range kinds {
		for page := range texts {
			e.edits()[(round+page)%kinds].make(page)
		}
		e.render(t)
		if round%3 != 0 {
			continue
		}
		y := evaluate(t, texts, e.model, list)
		t.Logf("%-22s %v", fmt.Sprintf("%d edits in turn", round+1), y)
		sum.add(y)
	}
	return sum
}
