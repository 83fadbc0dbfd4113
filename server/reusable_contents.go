package server

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

const (
	reusablePrefix = "rc_"
	maxReusables   = 1000 // of a space
)

// A reusable content is kept as a page that stands nowhere: it has a title and a text with blocks, and merges as
// pages do. readReusables reads some of them, or all; those that are not there are left out.
func readReusables(ctx context.Context, c *objects.Content, root string, ids ...string) (map[string]*page, error) {
	var entries map[string]objects.Entry
	var err error
	if len(ids) > 0 {
		entries, err = c.Get(ctx, root, ids...)
	} else {
		entries, err = c.All(ctx, root)
	}
	if err != nil {
		return nil, fmt.Errorf("reusable contents of %s: %w", c.Space(), err)
	}
	found := make(map[string]*page, len(entries))
	for id, e := range entries {
		if found[id], err = decodePage(id, e); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// reusable is a reusable content as the draft has it, nil if it has none of that id.
func (d *draft) reusable(ctx context.Context, id string) (*page, error) {
	if p, known := d.reusables[id]; known {
		return p, nil
	}
	found, err := readReusables(ctx, d.content, d.was.Reusables, id)
	return found[id], err
}

// reusableAnswer is a reusable content as it is on the wire, without its text.
func reusableAnswer(p *page, times bool) api.ReusableContent {
	answer := api.ReusableContent{ID: p.ID, Title: p.name(), Document: p.Text}
	if times {
		answer.CreatedAt, answer.UpdatedAt = p.CreatedAt, p.UpdatedAt
	}
	return answer
}

// reusableAnswers are all reusable contents of a revision, by id.
func reusableAnswers(ctx context.Context, c *objects.Content, root string, times bool) ([]api.ReusableContent, error) {
	found, err := readReusables(ctx, c, root)
	if err != nil {
		return nil, err
	}
	answers := make([]api.ReusableContent, 0, len(found))
	for _, id := range slices.Sorted(maps.Keys(found)) {
		answers = append(answers, reusableAnswer(found[id], times))
	}
	return answers, nil
}

func (s *Server) showReusable(ctx context.Context, c *rest.Call, b *txn.Batch, at place, id string, o api.ReusableContentOptions) rest.Finish[api.ReusableContent] {
	p := s.placed(ctx, c, b, at)
	return func(ctx context.Context) (rest.Result[api.ReusableContent], error) {
		var none rest.Result[api.ReusableContent]
		head, version, err := p.get()
		if err != nil {
			return none, err
		}
		objects := s.store.Content(at.space)
		r, err := s.revision(ctx, objects, head.Revision)
		if err != nil {
			return none, err
		}
		found, err := readReusables(ctx, objects, r.Reusables, id)
		if err != nil || found[id] == nil {
			return none, rest.Missing(err)
		}
		answer := reusableAnswer(found[id], withTimes(api.ContentOptions{Metadata: o.Metadata}))
		if o.Format != "" {
			text, err := readText(ctx, objects, found[id].Text, found[id].Blocks)
			if err != nil {
				return none, err
			}
			answer.Markdown = new(string(text.Markdown))
		}
		result, err := rest.Value(answer)
		return result.Versioned(version), err
	}
}

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
