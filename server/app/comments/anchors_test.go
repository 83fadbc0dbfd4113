package comments_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/text/content"
)

// mark is a comment's anchor on a block of a page, or on a sentence of it, with the units that it was made on.
type mark struct {
	page   int
	units  []*unit // in the model that is edited
	anchor content.Anchor
}

// marks makes an anchor on every block of the pages, or of all pages, and on the last sentence of those that have several. The
// units are those of the model as it is edited.
func marks(m *model, pages ...int) (list []mark) {
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
			list = append(list, mark{i, of, a})
			last := of[len(of)-1]
			if a, found := content.NewAnchor(p.text, block, last.text); found == 1 && len(of) > 1 && block.Kind == content.KindParagraph {
				list = append(list, mark{i, []*unit{last}, a})
			}
		}
	}
	return list
}

// home is where the record has the units of an anchor: whole, if all of them stand in one block as they were, one
// behind the other.
func (m *model) home(units []*unit, stands map[*unit]standing) (page, start, end int, whole bool) {
	first, ok := stands[units[0]]
	if !ok || first.at+len(units) > len(first.block.units) || !slices.Equal(first.block.units[first.at:first.at+len(units)], units) {
		return 0, 0, 0, false
	}
	start, end = units[0].start, units[len(units)-1].end
	p := m.pages[first.page]
	changed := slices.ContainsFunc(units, func(u *unit) bool { return u.edited })
	return first.page, start, end, !changed && p.blockAt(start) == p.blockAt(end-1)
}

// touches reports whether the record has one of the units in a stretch of a page.
func touches(units []*unit, stands map[*unit]standing, page, start, end int) bool {
	return slices.ContainsFunc(units, func(u *unit) bool {
		at, ok := stands[u]
		return ok && at.page == page && u.start < end && start < u.end
	})
}

// tally is what became of anchors.
type tally struct {
	survive, kept, wrong int
	states               map[content.State]int
}

func (y *tally) add(z tally) {
	y.survive, y.kept, y.wrong = y.survive+z.survive, y.kept+z.kept, y.wrong+z.wrong
	if y.states == nil {
		y.states = map[content.State]int{}
	}
	for s, n := range z.states {
		y.states[s] += n
	}
}

func (y tally) String() string {
	percent := 100.0
	if y.survive > 0 {
		percent = 100 * float64(y.kept) / float64(y.survive)
	}
	return fmt.Sprintf("%6d quotes survive in one block, kept %.2f %%, wrong %d; exact %d, shifted %d, fuzzy %d, moved %d, orphaned %d", y.survive, percent, y.wrong,
		y.states[content.Exact], y.states[content.Shifted], y.states[content.Fuzzy], y.states[content.Moved], y.states[content.Orphaned])
}

// judge finds every anchor in the texts as they are now, and holds what it finds against the record.
func judge(t *testing.T, base []content.Text, now *model, list []mark) tally {
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
	var y tally
	stands := now.stand()
	states := map[content.State]int{}
	for _, a := range list {
		var others []*content.Versions
		for i, v := range versions {
			if changed[i] && i != a.page {
				others = append(others, v)
			}
		}
		found := a.anchor.Elsewhere(a.anchor.Locate(versions[a.page]), versions[a.page], others)
		states[found.State]++
		page, start, end, whole := now.home(a.units, stands)
		if whole {
			y.survive++
		}
		if found.State == content.Orphaned {
			continue
		}
		at := slices.IndexFunc(versions, func(v *content.Versions) bool { return v.Page == found.Page })
		quoted := strings.Fields(string(versions[at].Now.Markdown[found.Start:found.End]))
		switch {
		case whole && at == page && found.Start < end && start < found.End:
			y.kept++
		case whole || !touches(a.units, stands, at, found.Start, found.End):
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

// TestAnchorsOnProse edits real pages as people do, with an anchor on every block, and holds what becomes of the
// anchors against the record that the edits keep: at least 95 % of the quotes that survive in one block are found,
// and none is found where it is not.
//
//wsd:serial
func TestAnchorsOnProse(t *testing.T) {
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
	base.borrow()
	base.label(t)
	var was []content.Text
	blocks := 0
	for _, p := range base.pages {
		was = append(was, p.text)
		blocks += len(p.text.Blocks)
	}
	t.Logf("%d pages, %d blocks, %d anchors", len(was), blocks, len(marks(base)))
	sum := tally{}
	for kind := range (&editor{}).edits() {
		var y tally
		for page := range was {
			e := &editor{model: base.clone(), random: rand.New(rand.NewPCG(uint64(kind), uint64(page))), fresh: fresh}
			list := marks(e.model, page)
			if !e.edits()[kind].make(page) {
				t.Errorf("%s: not possible on %s", e.edits()[kind].name, documentationPages()[page])
			}
			e.write(t)
			y.add(judge(t, was, e.model, list))
		}
		t.Logf("%-22s %v", (&editor{}).edits()[kind].name, y)
		sum.add(y)
	}
	t.Logf("%-22s %v", "each edit alone", sum)
	sum.add(judgeInTurn(t, base, was, fresh))
	if sum.wrong > 0 || 100*sum.kept < 95*sum.survive {
		t.Errorf("in all: %v", sum)
	}
}

// judgeInTurn makes the ten edits one after the other on every page of one space, and judges the anchors of the
// first revision after the first, the fourth, the seventh and the last.
func judgeInTurn(t *testing.T, base *model, was []content.Text, fresh []string) tally {
	t.Helper()
	e := &editor{model: base.clone(), random: rand.New(rand.NewPCG(7, 7)), fresh: fresh}
	list := marks(e.model)
	var sum tally
	kinds := len(e.edits())
	for round := range kinds {
		for page := range was {
			e.edits()[(round+page)%kinds].make(page)
		}
		e.write(t)
		if round%3 != 0 {
			continue
		}
		y := judge(t, was, e.model, list)
		t.Logf("%-22s %v", fmt.Sprintf("%d edits in turn", round+1), y)
		sum.add(y)
	}
	return sum
}
