package pages

import (
	"context"
	"maps"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/writeback"
)

func (e *contentEditor) insertReusable(ctx context.Context, id string, change api.ContentChange) error {
	p := &revision.Page{ID: id, CreatedAt: e.now}
	if err := e.setReusable(ctx, p, change); err != nil {
		return err
	}
	all, err := revision.ReadReusables(ctx, e.draft.Content, e.draft.BaseRevision.Reusables)
	if err != nil {
		return err
	}
	maps.Copy(all, e.draft.Reusables)
	maps.DeleteFunc(all, func(_ string, p *revision.Page) bool { return p == nil })
	if len(all) > revision.MaxReusables {
		return api.InvalidField("operation", "would make %d reusable contents; a space has at most %d", len(all), revision.MaxReusables)
	}
	e.addReusableEffect("created_reusable_content", change.Ref, id)
	return nil
}

func (e *contentEditor) updateReusable(ctx context.Context, change api.ContentChange) error {
	p, err := e.findReusable(ctx, change)
	if err != nil {
		return err
	}
	if err := e.setReusable(ctx, p, change); err != nil {
		return err
	}
	e.addReusableEffect("updated_reusable_content", "", p.ID)
	return nil
}

func (e *contentEditor) deleteReusable(ctx context.Context, change api.ContentChange) error {
	p, err := e.findReusable(ctx, change)
	if err != nil {
		return err
	}
	e.draft.Reusables[p.ID] = nil
	e.addReusableEffect("deleted_reusable_content", "", p.ID)
	return nil
}

// findReusable returns the reusable content named by an operation.
func (e *contentEditor) findReusable(ctx context.Context, change api.ContentChange) (*revision.Page, error) {
	p, err := e.draft.Reusable(ctx, e.resolve(change.ReusableContent))
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, api.InvalidField("reusableContent", "is not a reusable content of the change request")
	}
	next := *p
	return &next, nil
}

// setReusable sets the title and text of a reusable content.
func (e *contentEditor) setReusable(ctx context.Context, p *revision.Page, change api.ContentChange) error {
	before := *p
	change.Title.Apply(&p.Title)
	if change.Document != nil {
		text, given, err := writeback.Text(change.Document.Markdown, change.Document.Document, "document")
		if err != nil {
			return err
		}
		if given {
			if err := e.setMarkdown(ctx, p, text); err != nil {
				return err
			}
		}
	}
	if p.UpdatedAt.IsZero() || pageChanged(before, *p) {
		p.UpdatedAt = revision.ChangeTime(p.CreatedAt, e.now.Time)
		e.draft.Reusables[p.ID] = p
	}
	return nil
}

func (e *contentEditor) addReusableEffect(object, ref, id string) {
	e.effects = append(e.effects, api.ContentEffect{Object: object, Ref: ref, ReusableContent: &api.ReusableContentRef{
		Object: "reusable-content", ID: id,
		URLs: api.LocationURLs{Location: e.service.View.TargetURL(e.target) + "/content/reusable-contents/" + id},
	}})
}
