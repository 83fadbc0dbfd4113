package reader

import (
	"context"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// IncludedLinks returns the links of a reusable content including those it includes. It reports false if the content
// does not exist. The targets depend on the including page.
func (v *View) IncludedLinks(ctx context.Context, id string) (links revision.PageLinks, there bool, err error) {
	include := []byte(content.IncludeExpression(id))
	texts, err := v.includedTexts(ctx, include)
	if err != nil || texts[id] == nil {
		return links, false, err
	}
	whole, _ := content.Evaluate(include, content.Scope{Space: v.Revision.Variables, Reusable: texts})
	return revision.ExtractLinks(content.Text{Markdown: whole}), true, nil
}

// GeneratedLinks returns the links of a generated page.
func (v *View) GeneratedLinks(id string) revision.PageLinks {
	return revision.ExtractLinks(content.Text{Markdown: v.generated[id]})
}

// ReaderLinks returns the links of a page as its readers see it.
func (v *View) ReaderLinks(ctx context.Context, id string) (revision.PageLinks, error) {
	if v.IsGenerated(id) {
		return v.GeneratedLinks(id), nil
	}
	stored, err := v.Links(ctx, id)
	p := v.Tree.Page(id)
	if err != nil || p == nil || len(stored.Names) == 0 {
		return stored, err
	}
	read, err := v.Read(ctx, p)
	return revision.ExtractLinks(read.Text), err
}

// Unreplaced returns the expressions of a page that are not replaced because of a size limit. The text is read only if
// there may be any.
func (v *View) Unreplaced(ctx context.Context, p *revision.Page, stored revision.PageLinks) ([]content.Expression, error) {
	added, err := costs{view: v, reusables: v.sizes}.total(ctx, p, stored.Names)
	if err != nil || stored.Size > 0 && stored.Size+added <= v.maxSize(stored.Size) {
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
