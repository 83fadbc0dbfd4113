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
	"docspace.dev/wsd/store/objects"
)

// baseText returns the last imported text of a page with its blocks. A lost text is treated as absent.
func (u *update) baseText(ctx context.Context, p *revision.Page) (content.Text, error) {
	t, err := u.draft.Text(ctx, p)
	if objects.IsLost(err) {
		u.lost[p.ID] = true
		return content.Text{}, nil
	}
	if err != nil {
		return t, fmt.Errorf("page %s: %w", p.ID, err)
	}
	return t, nil
}

// basePage returns the page as last imported, or nil for a new page. An adopted page counts as imported in its current
// form.
func (u *update) basePage(a *incomingPage) *revision.Page {
	if a.adopted != nil {
		return a.adopted
	}
	return u.last.pages[a.id]
}

// incomingPages returns the pages of the source in its order. Unchanged pages are those of the base.
func (u *update) incomingPages(ctx context.Context) (pages []*revision.Page, err error) {
	orders := u.orderKeys()
	slugs := u.slugs()
	for _, a := range u.pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		was := u.basePage(a)
		if was != nil && u.unread[a.path] {
			pages = append(pages, was) // the page exists, but its present text is unknown
			continue
		}
		p := &revision.Page{ID: a.id, CreatedAt: u.now}
		if was != nil {
			next := *was
			p = &next
		}
		p.Parent, p.Order, p.Slug = a.parentID(), orders[a], slugs[a].slug
		p.Type, p.Title, p.Emoji, p.Description = api.PageDocument, u.cleanLine(a, "title", a.Title), api.CleanLine(a.Emoji),
			u.cleanLine(a, "description", a.Description)
		if err := u.setText(ctx, p, a, was); err != nil {
			return nil, err
		}
		p.Origin = u.origin(p, a, slugs[a].suggested)
		if was != nil && u.equalImport(p, was) {
			p = was
		} else if was != nil {
			u.keepPath(p, was)
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// setText sets the incoming text of a page. An invalid text does not stop the import: the page gets no text or keeps
// its old one, and the result reports it.
func (u *update) setText(ctx context.Context, p *revision.Page, a *incomingPage, was *revision.Page) error {
	if a.Group {
		p.Type, p.Description, p.Text, p.Blocks, p.DerivedTitle = api.PageGroup, "", "", "", ""
		return nil
	}
	previous, err := u.baseText(ctx, p)
	if err != nil {
		return err
	}
	if was := u.partTexts[p.ID]; was != nil {
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
	if p.Title == p.DerivedTitle {
		p.Title = "" // the text contains the title
	}
	if was == nil || was.Text != p.Text {
		p.UpdatedAt = u.now
	}
	return nil
}

// origin returns the origin record of an incoming page.
func (u *update) origin(p *revision.Page, a *incomingPage, wished string) *revision.Origin {
	o := &revision.Origin{
		Source: u.source.ID, Path: a.path, Part: a.part, OID: cmp.Or(a.OID, content.BlobID(nil)), CreatedAt: u.now, Text: p.Text,
		Blocks: p.Blocks,
		State:  revision.OriginStateOf(p),
	}
	if wished != p.Slug {
		o.State.RequestedSlug = wished
	}
	if was := u.last.pages[p.ID]; was != nil {
		o.CreatedAt = laterTime(was.Origin.CreatedAt, u.now)
	}
	return o
}

// laterTime returns a time after that of the last import even if the clock went back: the later import of a page is its
// base.
func laterTime(before, now api.Time) api.Time {
	if now.After(before.Time) {
		return now
	}
	return api.At(before.Add(time.Millisecond))
}

// cleanLine returns a single-line text in its stored form and adds a note if that removes anything.
func (u *update) cleanLine(a *incomingPage, what, text string) string {
	clean := api.CleanLine(text)
	if clean != text {
		u.note("%s: characters that change how other texts are shown were taken out of its %s", a.Source, what)
	}
	return clean
}

// slugChoice is the slug of a page and the slug that its source suggests.
type slugChoice struct{ slug, suggested string }

// slugs assigns slugs to the incoming pages. A page keeps its slug until the source suggests another one. If slugs are equal,
// those of later pages get a number.
func (u *update) slugs() map[*incomingPage]slugChoice {
	found, taken := make(map[*incomingPage]slugChoice, len(u.pages)), map[string]map[string]bool{}
	for _, a := range u.pages {
		if taken[a.parentID()] == nil {
			taken[a.parentID()] = u.foreignSlugs(a.parentID())
		}
		was := u.basePage(a)
		if was == nil || was.Parent != a.parentID() {
			continue
		}
		if wished := suggestedSlug(was); a.adopted != nil || wished == a.RequestedSlug || was.Slug == a.Slug {
			found[a] = slugChoice{was.Slug, a.RequestedSlug}
			taken[was.Parent][was.Slug] = true
		}
	}
	for _, a := range u.slugOrder() {
		if _, known := found[a]; known {
			continue
		}
		slug := revision.UniqueSlug(a.RequestedSlug, func(slug string) bool { return taken[a.parentID()][slug] })
		found[a] = slugChoice{slug, a.RequestedSlug}
		taken[a.parentID()][slug] = true
	}
	return found
}

// suggestedSlug returns the slug that the source suggested in the last import, or the current slug of a page that was not
// imported.
func suggestedSlug(p *revision.Page) string {
	if p.Origin == nil || p.Origin.State == nil {
		return p.Slug
	}
	return cmp.Or(p.Origin.State.RequestedSlug, p.Origin.State.Slug)
}

// foreignSlugs returns the slugs of the children of a page that do not belong to this source.
func (u *update) foreignSlugs(parent string) map[string]bool {
	taken := map[string]bool{}
	for _, id := range u.draft.BaseTree.Children(parent) {
		if _, known := u.last.pages[id]; !known && !u.adopted[id] {
			taken[u.draft.BaseTree.Page(id).Slug] = true
		}
	}
	return taken
}
