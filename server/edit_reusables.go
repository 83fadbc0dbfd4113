package server

import (
	"context"
	"maps"

	"docspace.dev/wsd/client/api"
)

func (e *contentEditor) insertReusable(ctx context.Context, id string, change api.ContentChange) error {
	p := &page{ID: id, CreatedAt: e.now}
	if err := e.setReusable(ctx, p, change); err != nil {
		return err
	}
	all, err := readReusables(ctx, e.draft.content, e.draft.was.Reusables)
	if err != nil {
		return err
	}
	maps.Copy(all, e.draft.reusables)
	maps.DeleteFunc(all, func(_ string, p *page) bool { return p == nil })
	if len(all) > maxReusables {
		return api.InvalidField("operation", "would make %d reusable contents; a space has at most %d", len(all), maxReusables)
	}
	e.reusableEffect("created_reusable_content", change.Ref, id)
	return nil
}

func (e *contentEditor) updateReusable(ctx context.Context, change api.ContentChange) error {
	p, err := e.reusable(ctx, change)
	if err != nil {
		return err
	}
	if err := e.setReusable(ctx, p, change); err != nil {
		return err
	}
	e.reusableEffect("updated_reusable_content", "", p.ID)
	return nil
}

func (e *contentEditor) deleteReusable(ctx context.Context, change api.ContentChange) error {
	p, err := e.reusable(ctx, change)
	if err != nil {
		return err
	}
	e.draft.reusables[p.ID] = nil
	e.reusableEffect("deleted_reusable_content", "", p.ID)
	return nil
}

// reusable finds the reusable content that an operation names.
func (e *contentEditor) reusable(ctx context.Context, change api.ContentChange) (*page, error) {
	p, err := e.draft.reusable(ctx, e.resolve(change.ReusableContent))
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, api.InvalidField("reusableContent", "is not a reusable content of the change request")
	}
	next := *p
	return &next, nil
}

// setReusable gives a reusable content its title and text.
func (e *contentEditor) setReusable(ctx context.Context, p *page, change api.ContentChange) error {
	before := *p
	change.Title.Apply(&p.Title)
	if change.Document != nil {
		if err := e.setMarkdown(ctx, p, change.Document.Markdown); err != nil {
			return err
		}
	}
	if p.UpdatedAt.IsZero() || changed(before, *p) {
		p.UpdatedAt = notBefore(p.CreatedAt, e.now.Time)
		e.draft.reusables[p.ID] = p
	}
	return nil
}

func (e *contentEditor) reusableEffect(object, ref, id string) {
	e.effects = append(e.effects, api.ContentEffect{Object: object, Ref: ref, ReusableContent: &api.ReusableContentRef{
		Object: "reusable-content", ID: id,
		URLs: api.LocationURLs{Location: e.server.placeURL(e.place) + "/content/reusable-contents/" + id},
	}})
}
