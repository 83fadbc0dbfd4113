package imports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
)

// baseText is the text of a page as it came, with its blocks. What is lost of it is as if it had not been there.
func (u *update) baseText(ctx context.Context, p *revision.Page) (content.Text, error) {
	t, err := u.draft.Text(ctx, p)
	if rest.IsLost(err) {
		u.lost[p.ID] = true
		return content.Text{}, nil
	}
	if err != nil {
		return t, fmt.Errorf("page %s: %w", p.ID, err)
	}
	return t, nil
}

// base is an arrival's page as its last import brought it: nil for a new one. What is adopted came as it is here.
func (u *update) base(a *arrival) *revision.Page {
	if a.adopted != nil {
		return a.adopted
	}
	return u.before.pages[a.id]
}

// theirs makes the pages that the source has now, in its order. Those that it has not changed are those of the base.
func (u *update) theirs(ctx context.Context) (pages []*revision.Page, err error) {
	orders := u.orders()
	slugs := u.slugs()
	for _, a := range u.pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		was := u.base(a)
		if was != nil && u.unread[a.path] {
			pages = append(pages, was) // it is there, and what it says now is not known
			continue
		}
		p := &revision.Page{ID: a.id, CreatedAt: u.now}
		if was != nil {
			next := *was
			p = &next
		}
		p.Parent, p.Order, p.Slug = a.parentID(), orders[a], slugs[a].slug
		p.Type, p.Title, p.Emoji, p.Description = api.PageDocument, u.line(a, "title", a.Title), api.CleanLine(a.Emoji), u.line(a, "description", a.Description)
		if err := u.text(ctx, p, a, was); err != nil {
			return nil, err
		}
		p.Origin = u.origin(p, a, slugs[a].wished)
		if was != nil && p.Origin.Repeats(was.Origin) {
			p = was
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// text gives a page the text that came. A text that cannot be a page's does not stop the import: the page comes in
// without it, or stays as it was, and that is said.
func (u *update) text(ctx context.Context, p *revision.Page, a *arrival, was *revision.Page) error {
	if a.Group {
		p.Type, p.Description, p.Text, p.Blocks, p.Derived = api.PageGroup, "", "", "", ""
		return nil
	}
	previous, err := u.baseText(ctx, p)
	if err != nil {
		return err
	}
	if was := u.pieces[p.ID]; was != nil {
		previous = was.base
	}
	t, err := content.Parse(p.ID, a.markdown, previous)
	if wrong, ok := errors.AsType[*content.TextError](err); ok {
		u.fetched.Imported--
		u.note("%s came in without its text: %s", a.Source, wrong.Error())
		return nil
	}
	if err != nil {
		return fmt.Errorf("page %s: %w", p.ID, err)
	}
	if err := u.draft.SetText(p, t.WithAliases(a.aliases)); err != nil {
		return err
	}
	if p.Title == p.Derived {
		p.Title = "" // the text says it
	}
	if was == nil || was.Text != p.Text {
		p.UpdatedAt = u.now
	}
	return nil
}

// origin says of a page where it lies in the source, and how it came.
func (u *update) origin(p *revision.Page, a *arrival, wished string) *revision.Origin {
	o := &revision.Origin{
		Source: u.source.ID, Path: a.path, Part: a.part, OID: cmp.Or(a.OID, content.BlobID(nil)), At: u.now, Text: p.Text, Blocks: p.Blocks, Place: revision.PlaceOf(p),
	}
	if wished != p.Slug {
		o.Place.Wished = wished
	}
	if was := u.before.pages[p.ID]; was != nil {
		o.At = after(was.Origin.At, u.now)
	}
	return o
}

// after is a time that is later than that of the import before, whatever the clock says: of two imports of a page the
// later one is its base.
func after(before, now api.Time) api.Time {
	if now.After(before.Time) {
		return now
	}
	return api.At(before.Add(time.Millisecond))
}

// line is a text of one line as it is kept. What is taken out of it is said.
func (u *update) line(a *arrival, what, text string) string {
	clean := api.CleanLine(text)
	if clean != text {
		u.note("%s: characters that change how other texts are shown were taken out of its %s", a.Source, what)
	}
	return clean
}

// slugged is the slug of a page, and the one that its source would give it.
type slugged struct{ slug, wished string }

// slugs finds the slugs of what came. A page keeps its own as long as the source wishes it another one: a number behind
// it goes to pages that come later.
func (u *update) slugs() map[*arrival]slugged {
	found, taken := make(map[*arrival]slugged, len(u.pages)), map[string]map[string]bool{}
	for _, a := range u.pages {
		if taken[a.parentID()] == nil {
			taken[a.parentID()] = u.foreignSlugs(a.parentID())
		}
		was := u.base(a)
		if was == nil || was.Parent != a.parentID() {
			continue
		}
		if wished := wishedBy(was); a.adopted != nil || wished == a.Wish || was.Slug == a.Slug {
			found[a] = slugged{was.Slug, a.Wish}
			taken[was.Parent][was.Slug] = true
		}
	}
	for _, a := range u.partsLast() {
		if _, known := found[a]; known {
			continue
		}
		slug := revision.FreeSlug(a.Wish, func(slug string) bool { return taken[a.parentID()][slug] })
		found[a] = slugged{slug, a.Wish}
		taken[a.parentID()][slug] = true
	}
	return found
}

// wishedBy is the slug that the source would have given a page the last time.
func wishedBy(p *revision.Page) string {
	if p.Origin == nil || p.Origin.Place == nil {
		return p.Slug
	}
	return cmp.Or(p.Origin.Place.Wished, p.Origin.Place.Slug)
}

// foreignSlugs are the slugs below a page that are not the source's.
func (u *update) foreignSlugs(parent string) map[string]bool {
	taken := map[string]bool{}
	for _, id := range u.draft.Start.Children(parent) {
		if _, known := u.before.pages[id]; !known && !u.adopted[id] {
			taken[u.draft.Start.Page(id).Slug] = true
		}
	}
	return taken
}
