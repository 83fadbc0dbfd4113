package review

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/text/merge"
)

// kindReusable is a reusable content as a whole; to the merge it is a page that is deleted.
const kindReusable = "reusable-content"

// navigation is the place of conflicts about where pages stand.
const navigation = "Table of contents"

// changedIt is what a side did with what the other one deleted.
const changedIt = "changed it"

// movedPage is a page that both sides moved, or put elsewhere among its siblings.
func (t *teller) movedPage(w *told, c merge.Conflict) {
	var places [3]string
	for version := range places {
		places[version] = "not there yet"
		if t.page(version, c.Page) != nil {
			places[version] = standing(t.tree(version), c.Page)
		}
	}
	w.Place = navigation
	w.Base = &api.ConflictSide{Value: capital(places[inBase])}
	w.Ours, w.Theirs = api.ConflictSide{Value: capital(places[inOurs])}, api.ConflictSide{Value: capital(places[inTheirs])}
	did := "moved " + Quoted(w.Title) + " to different places"
	if c.Kind == merge.KindOrder {
		did = "put " + Quoted(w.Title) + " in different places among the pages beside it"
	}
	w.Summary = t.alike(did)
	w.answer(api.TakeOurs, Quoted(w.Title)+" is "+t.standingThen(inOurs, c.Page))
	w.answer(api.TakeTheirs, Quoted(w.Title)+" is "+t.standingThen(inTheirs, c.Page))
	w.traces = [2]trace{placeOf(c.Page), placeOf(c.Page)}
}

// standingThen says where a page stands in the result when it is put where a version has it: its neighbours may be others
// by then.
func (t *teller) standingThen(version int, id string) string {
	there := t.page(version, id)
	if there == nil || there.Parent != "" && t.Draft.Tree.Page(there.Parent) == nil {
		return standing(t.tree(version), id)
	}
	then := t.Draft.Tree.Next()
	then.Put(&revision.Page{ID: id, Parent: there.Parent, Order: there.Order, Title: there.Name()})
	return standing(then, id)
}

// deletedPage is a page or reusable content that one side deleted, and the other changed or built upon.
func (t *teller) deletedPage(ctx context.Context, w *told, c merge.Conflict) error {
	kept, deleted := inOurs, inTheirs
	if c.Ours == nil {
		kept, deleted = inTheirs, inOurs
	}
	what := Quoted(w.Title)
	w.Place = navigation
	if w.ReusableContent != "" {
		w.Kind, w.Place, what = kindReusable, "Reusable contents", "the reusable content "+what
	}
	below := t.below(inBase, c.Page)
	w.Base = &api.ConflictSide{Value: t.whole(inBase, c.Page) + pagesBelow("", len(below))}
	changed, did, err := t.changed(ctx, kept, c.Page)
	if err != nil {
		return err
	}
	lost, staying := []string{}, []string{}
	for _, id := range below {
		if t.Draft.Tree.Page(id) == nil {
			lost = append(lost, t.title(id))
		}
	}
	for _, id := range t.Draft.Tree.Children(c.Page) {
		staying = append(staying, t.Draft.Tree.Page(id).Name())
	}
	gone := api.ConflictSide{Value: "Deleted" + pagesBelow("the ", t.deletedBelow(deleted, below)) + ".", Absent: true}
	sides := map[int]*api.ConflictSide{inOurs: &w.Ours, inTheirs: &w.Theirs}
	*sides[kept], *sides[deleted] = changed, gone
	lasting := staysDeleted(lost)
	if titles := t.addedBelow(kept, c.Page); len(titles) > 0 {
		lasting = ", with " + named(titles) + " below it" + lasting
	}
	t.deletion(w, c, deletion{
		what: what, did: did, stays: what, with: "as it is", changed: did == changedIt,
		gone: t.afterDeletion(c.Page, staying), lasting: lasting,
	})
	w.traces[kept-1], w.traces[deleted-1] = t.changeOf(kept, c.Page), isThere(c.Page)
	return nil
}

// whole is what a page is called with the pages above it.
func (t *teller) whole(version int, id string) string {
	if path := titlePath(t.tree(version), id); path != "" {
		return path
	}
	return t.title(id)
}

// below are the pages below a page in a version.
func (t *teller) below(version int, id string) []string { return t.tree(version).Under(id)[1:] }

// deletedBelow counts the pages that a version does not have any more.
func (t *teller) deletedBelow(version int, pages []string) (n int) {
	for _, id := range pages {
		if t.page(version, id) == nil {
			n++
		}
	}
	return n
}

// staysDeleted says that pages which were below one that comes back do not come back with it.
func staysDeleted(titles []string) string {
	switch len(titles) {
	case 0:
		return ""
	case 1:
		return "; " + named(titles) + ", which was below it, stays deleted"
	}
	return "; " + named(titles) + ", which were below it, stay deleted"
}

// afterDeletion says where the pages go that are below one which is to be deleted.
func (t *teller) afterDeletion(id string, titles []string) string {
	if len(titles) == 0 {
		return ""
	}
	where := "to the top level"
	if p := t.Draft.Tree.Page(id); p != nil && p.Parent != "" {
		where = "to " + Quoted(titlePath(t.Draft.Tree, p.Parent))
	}
	return "; " + named(titles) + " below it " + goes(len(titles)) + " " + where
}

func goes(n int) string {
	if n == 1 {
		return "goes"
	}
	return "go"
}

// changed is what a version made of a page since base, in words and with an excerpt of its text.
func (t *teller) changed(ctx context.Context, version int, id string) (side api.ConflictSide, did string, err error) {
	was, is := t.page(inBase, id), t.page(version, id)
	if was == nil || is == nil {
		return api.ConflictSide{Value: "There."}, "kept it", nil
	}
	if titles := t.addedBelow(version, id); len(titles) > 0 && !differs(was, is) {
		return api.ConflictSide{Value: "Put below it: " + named(titles) + "."}, "put " + named(titles) + " below it", nil
	}
	var what []string
	if was.Text != is.Text {
		what = append(what, "the text")
		if side.Runs, err = t.excerpt(ctx, version, id); err != nil {
			return side, "", err
		}
	}
	if was.Parent != is.Parent || was.Order != is.Order {
		what = append(what, "its place, now "+standing(t.tree(version), id))
	}
	before, after := revision.Attributes(was), revision.Attributes(is)
	for _, name := range differing(before, after) {
		what = append(what, fmt.Sprintf("%s, now %s", labelOf(name), t.settingWords(name, after[name])))
	}
	side.Value = "Changed: " + joined(what) + "."
	return side, changedIt, nil
}

// differs reports whether anything of a page that merges differs.
func differs(was, is *revision.Page) bool {
	return was.Text != is.Text || was.Parent != is.Parent || was.Order != is.Order || len(differing(revision.Attributes(was), revision.Attributes(is))) > 0
}

// differing are the attributes that differ.
func differing(before, after map[string]string) (names []string) {
	for name, value := range after {
		if before[name] != value {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, there := after[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// addedBelow are the pages that a version has put below a page.
func (t *teller) addedBelow(version int, id string) (titles []string) {
	for _, child := range t.tree(version).Children(id) {
		if was := t.tree(inBase).Page(child); was == nil || was.Parent != id {
			titles = append(titles, t.tree(version).Page(child).Name())
		}
	}
	return titles
}

// changeOf is what is searched for in the history of the side that did not delete a page.
func (t *teller) changeOf(version int, id string) trace {
	was, is := t.page(inBase, id), t.page(version, id)
	if was == nil || is == nil || differs(was, is) {
		return wholePage(id)
	}
	for _, child := range t.tree(version).Children(id) {
		if was := t.tree(inBase).Page(child); was == nil || was.Parent != id {
			return placeOf(child)
		}
	}
	return wholePage(id)
}

// maxExcerptBytes bounds the texts that are compared for excerpts.
const maxExcerptBytes = 16 << 20

// excerpt is what a version changed in the text of a page, as far as it fits.
func (t *teller) excerpt(ctx context.Context, version int, id string) (runs []api.TextRun, err error) {
	was, err := t.textOf(ctx, inBase, id)
	if err != nil {
		return nil, err
	}
	is, err := t.textOf(ctx, version, id)
	if err != nil {
		return nil, err
	}
	if t.excerpts += len(was.Markdown) + len(is.Markdown); t.excerpts > maxExcerptBytes {
		return nil, nil
	}
	left := 3 * excerptRunes
	for _, block := range diff.Text(ctx, was.Text, is.Text) {
		if block.Change == api.BlockSame || left <= 0 {
			continue
		}
		for _, run := range block.Runs {
			text := []rune(run.Text)
			if run.Change == api.TextSame && len(text) > excerptRunes/2 {
				text = append([]rune("…"), text[len(text)-excerptRunes/2:]...)
			}
			if len(text) > left {
				text = append(text[:max(left, 0)], '…')
			}
			if left -= len(text); len(text) > 0 {
				run.Text = string(text)
				runs = append(runs, run)
			}
		}
	}
	return runs, ctx.Err()
}

// slugNumber is the number that makes a slug a free one.
var slugNumber = regexp.MustCompile(`-[0-9]+$`)

// slug is a page that would have the address of another one.
func (t *teller) slug(w *told, c merge.Conflict) {
	free := plain(c.Proposed)
	taken := slugNumber.ReplaceAllString(free, "")
	var other, parent string
	if p := t.Draft.Tree.Page(c.Page); p != nil {
		parent = p.Parent
	}
	for _, id := range t.Draft.Tree.Children(parent) {
		if id != c.Page && t.Draft.Tree.Page(id).Slug == taken {
			other = id
		}
	}
	above := ""
	if parent != "" {
		above = t.Draft.Tree.Path(parent) + "/"
	}
	address := Quoted(above + taken)
	holds := func(version int) (holder string, side api.ConflictSide) {
		for _, id := range []string{c.Page, other} {
			if p := t.page(version, id); p != nil && p.Parent == parent && p.Slug == taken {
				return id, api.ConflictSide{Value: Quoted(p.Name()) + " has the address " + address + "."}
			}
		}
		return "", api.ConflictSide{Value: "No page has the address " + address + ".", Absent: true}
	}
	var holders [2]string
	holders[0], w.Ours = holds(inOurs)
	holders[1], w.Theirs = holds(inTheirs)
	w.Place, w.Attribute, w.AttributeLabel, w.Proposed = "Settings", c.Attribute, labelOf(c.Attribute), new(free)
	w.Summary = sentence(fmt.Sprintf("two pages would have the address %s: %s and %s", address, t.of(0, holders), t.of(1, holders)))
	take, whose := api.TakeTheirs, 1
	if holders[0] == c.Page {
		take, whose = api.TakeOurs, 0
	}
	w.answer(take, t.of(whose, holders)+" gets the address "+Quoted(above+free)+", and the other page keeps "+address)
	w.answer(api.TakeText, "What you write is the last part of the address of "+t.of(whose, holders)+", and the other page keeps "+address)
	w.traces = [2]trace{slugOf(holders[0]), slugOf(holders[1])}
}

// of is the page that holds something on a side, with whose it is.
func (t *teller) of(side int, holders [2]string) string {
	title := t.title(holders[side])
	if p := t.page(side+1, holders[side]); p != nil {
		title = p.Name()
	}
	return Quoted(title) + " of " + t.Names[side]
}

// cycle is pages that both sides together put below each other.
func (t *teller) cycle(w *told, c merge.Conflict) {
	pages := t.inCycle(c.Page)
	w.Place = navigation
	w.Base = &api.ConflictSide{Value: t.stand(inBase, pages)}
	w.Ours, w.Theirs = api.ConflictSide{Value: t.stand(inOurs, pages)}, api.ConflictSide{Value: t.stand(inTheirs, pages)}
	w.Summary = t.alike("put " + named(t.titles(pages)) + " below each other, and only one of them can be")
	w.answer(api.TakeOurs, w.Ours.Value)
	w.answer(api.TakeTheirs, w.Theirs.Value)
	for side, version := range []int{inOurs, inTheirs} {
		moved := c.Page
		for _, id := range pages {
			if was, is := t.page(inBase, id), t.page(version, id); was != nil && is != nil && was.Parent != is.Parent {
				moved = id
				break
			}
		}
		w.traces[side] = placeOf(moved)
	}
}

// inCycle are the pages that are above a page on one side and below it on the other, the page first.
func (t *teller) inCycle(id string) []string {
	pages := []string{id}
	for _, sides := range [][2]int{{inOurs, inTheirs}, {inTheirs, inOurs}} {
		for _, above := range t.above(sides[0], id) {
			if slices.Contains(t.above(sides[1], above), id) && !slices.Contains(pages, above) {
				pages = append(pages, above)
			}
		}
	}
	return pages
}

// above are the pages above a page in a version, the nearest first.
func (t *teller) above(version int, id string) (ids []string) {
	tree := t.tree(version)
	for p := tree.Page(id); p != nil && p.Parent != "" && len(ids) < revision.MaxPageDepth; p = tree.Page(p.Parent) {
		ids = append(ids, p.Parent)
	}
	return ids
}

// stand says where pages stand in a version.
func (t *teller) stand(version int, pages []string) string {
	var list []string
	for _, id := range pages {
		if p := t.page(version, id); p != nil {
			list = append(list, Quoted(p.Name())+" is "+under(t.tree(version), p))
		}
	}
	return sentence(joined(list))
}

// under says below which page one stands.
func under(t *revision.Tree, p *revision.Page) string {
	if above := t.Page(p.Parent); above != nil {
		return "below " + Quoted(above.Name())
	}
	return "at the top level"
}

func (t *teller) titles(pages []string) []string {
	titles := make([]string, len(pages))
	for i, id := range pages {
		titles[i] = t.title(id)
	}
	return titles
}
