package reader

import (
	"context"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// IncludedLinks are the links of a reusable content with all that it includes; there is false if there is none. Where
// they lead depends on the page.
func (v *View) IncludedLinks(ctx context.Context, id string) (links revision.PageLinks, there bool, err error) {
	include := []byte(content.Include(id))
	texts, err := v.included(ctx, include)
	if err != nil || texts[id] == nil {
		return links, false, err
	}
	whole, _ := content.Evaluate(include, content.Scope{Space: v.Revision.Variables, Reusable: texts})
	return revision.LinksOf(content.Text{Markdown: whole}), true, nil
}

// MadeLinks are the links of the text of a page that is made.
func (v *View) MadeLinks(id string) revision.PageLinks {
	return revision.LinksOf(content.Text{Markdown: v.made[id]})
}

// LinksRead are the links of a page as its readers see it.
func (v *View) LinksRead(ctx context.Context, id string) (revision.PageLinks, error) {
	if v.IsMade(id) {
		return v.MadeLinks(id), nil
	}
	stored, err := v.Links(ctx, id)
	p := v.Tree.Page(id)
	if err != nil || p == nil || len(stored.Names) == 0 {
		return stored, err
	}
	read, err := v.Read(ctx, p)
	return revision.LinksOf(read.Text), err
}

// Left are the expressions of a page that stay as they are written for want of room. The text is read only if it may
// be that there are some.
func (v *View) Left(ctx context.Context, p *revision.Page, stored revision.PageLinks) ([]content.Expression, error) {
	added, err := costs{view: v, reusables: v.sizes}.of(ctx, p, stored.Names)
	if err != nil || stored.Size > 0 && stored.Size+added <= v.right(stored.Size) {
		return nil, err
	}
	if stored.Size+added <= content.MaxTextBytes {
		if fits, err := v.fits(ctx); err != nil || fits {
			return nil, err
		}
	}
	text, err := v.content.Object(ctx, p.Text)
	if err != nil {
		return nil, err
	}
	_, left, err := v.Markdown(ctx, p, text)
	return left, err
}
