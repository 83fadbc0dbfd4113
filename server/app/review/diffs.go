package review

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) diffEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.DiffChangeRequest, auth.InSpace(api.RoleComment), func(
			ctx context.Context, r *rest.Request, b *txn.Batch, in api.ChangeRequestDiffInput,
		) rest.Finish[api.ContentDiff] {
			compared := s.Revisions.CompareRequest(r.Org, b, in.ChangeRequestRef, in.Since)
			return func(ctx context.Context, c *rest.Call) (rest.Result[api.ContentDiff], error) {
				of, err := compared(ctx, c.Caller.User)
				return s.showDiff(ctx, c, of, in.DiffOptions, err)
			}
		}),
		rest.Read(api.DiffRevision, auth.InSpace(api.RoleComment), func(
			_ context.Context, r *rest.Request, _ *txn.Batch, in api.RevisionDiffInput,
		) rest.Finish[api.ContentDiff] {
			return func(ctx context.Context, c *rest.Call) (rest.Result[api.ContentDiff], error) {
				of, err := s.Revisions.CompareRevisions(ctx, c.Org, in.RevisionRef, in.Base)
				return s.showDiff(ctx, c, of, in.DiffOptions, err)
			}
		}),
	}
}

// diffBatch is the number of texts read at a time, and maxDiffBytes the total size after which no more batches are
// read.
const (
	diffBatch    = 10
	maxDiffBytes = 4 << 20
)

// textPair holds both versions of a page or reusable content; a version that does not exist is nil.
type textPair struct {
	before, after   *revision.Page
	page            *api.ChangedPage
	reusableContent *api.ChangedReusableContent

	old, new content.Text
}

func (s *Service) showDiff(
	ctx context.Context, c *rest.Call, of revision.DiffSpec, o api.DiffOptions, err error,
) (none rest.Result[api.ContentDiff], _ error) {
	if err != nil {
		return none, err
	}
	if o.Format == api.DiffUnified {
		return s.showPatch(ctx, of, o)
	}
	v, err := s.Revisions.Diff(ctx, of)
	if err != nil {
		return none, err
	}
	all, err := changedTexts(ctx, v, o.Page)
	if err != nil {
		return none, err
	}
	shown := all[:min(o.Size(), len(all))]
	if o.Page != "" {
		shown = all
	}
	if shown, err = readChangedTexts(ctx, v, shown); err != nil {
		return none, err
	}
	permit, err := s.Slow.Begin(ctx, totalSize(shown)*budgets.CompareFactor)
	if err != nil {
		return none, err
	}
	defer permit.End()
	others, err := s.nonTextChanges(ctx, c, v, o.Page)
	if err != nil {
		return none, err
	}
	answer := api.ContentDiff{
		Base: of.Base, Revision: of.Revision, Documents: make([]api.DocumentDiff, len(shown)), Changes: others[:min(o.Size(), len(others))],
	}
	answer.More = len(all) - len(shown) + len(others) - len(answer.Changes)
	for i, t := range shown {
		answer.Documents[i] = t.diff(ctx)
		if err := ctx.Err(); err != nil {
			return none, err
		}
	}
	r, err := rest.Value(answer)
	return r.WithVersion(of.Version), err
}

// nonTextChanges returns the changes that the text diffs do not show. If only is set, it is limited to that page.
func (s *Service) nonTextChanges(ctx context.Context, c *rest.Call, v *revision.Diff, only string) ([]api.SemanticChange, error) {
	all, err := s.semanticChanges(ctx, c, v)
	if err != nil {
		return nil, err
	}
	others := []api.SemanticChange{}
	for _, change := range all {
		_, text := change.Attributes["document"]
		if text {
			change.Attributes = maps.Clone(change.Attributes)
			delete(change.Attributes, "document")
		}
		inTexts := text && len(change.Attributes) == 0
		if change.Page != nil && (change.Type == api.PageCreated || change.Type == api.PageDeleted) {
			inTexts = change.Page.Type == api.PageDocument && change.Attributes == nil
		}
		if change.ReusableContent != nil && change.Attributes == nil {
			inTexts = true
		}
		if !inTexts && (only == "" || change.Page != nil && change.Page.ID == only) {
			others = append(others, change)
		}
	}
	return others, nil
}

// totalSize returns the total size of the texts in bytes.
func totalSize(list []textPair) (size int) {
	for _, t := range list {
		size += len(t.old.Markdown) + len(t.new.Markdown)
	}
	return size
}

// changedTexts returns the pages and reusable contents whose texts differ, without reading the texts. If only is set,
// it returns that page alone.
func changedTexts(ctx context.Context, v *revision.Diff, only string) ([]textPair, error) {
	found, err := v.ChangedEntries(ctx, revision.PagesRoot)
	if err != nil {
		return nil, err
	}
	if only != "" {
		return pageTexts(v, only, found)
	}
	var list []textPair
	for _, id := range v.SortPages(found) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before, after, err := revision.DecodePages(id, found[id])
		if err != nil {
			return nil, err
		}
		if t := (textPair{before: before, after: after, page: v.ChangedPage(id)}); t.differs() {
			list = append(list, t)
		}
	}
	if found, err = v.ChangedEntries(ctx, revision.ReusablesRoot); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(found)) {
		before, after, err := revision.DecodePages(id, found[id])
		if err != nil {
			return nil, err
		}
		shown := after
		if after == nil {
			shown = before
		}
		if t := (textPair{before: before, after: after, reusableContent: revision.NewChangedReusable(shown)}); t.differs() {
			list = append(list, t)
		}
	}
	return list, nil
}

// pageTexts returns the text pair of one page. An unchanged page is compared with itself.
func pageTexts(v *revision.Diff, id string, found map[string]objects.Change) ([]textPair, error) {
	change, counts := found[id]
	if !counts {
		p := v.AfterTree.Page(id)
		if p == nil {
			return nil, api.NotFound()
		}
		return []textPair{{before: p, after: p, page: v.ChangedPage(id)}}, nil
	}
	before, after, err := revision.DecodePages(id, change)
	return []textPair{{before: before, after: after, page: v.ChangedPage(id)}}, err
}

func textHash(p *revision.Page) string {
	if p == nil {
		return ""
	}
	return p.Text
}

// differs reports whether the text was added, removed or changed.
func (t textPair) differs() bool { return textHash(t.before) != textHash(t.after) }

// readChangedTexts reads texts in order until maxDiffBytes is exceeded, and returns those that were read.
func readChangedTexts(ctx context.Context, v *revision.Diff, list []textPair) ([]textPair, error) {
	size := 0
	for at := 0; at < len(list); at += diffBatch {
		if size > maxDiffBytes {
			return list[:at], nil
		}
		batch := list[at:min(at+diffBatch, len(list))]
		var hashes []string
		for _, t := range batch {
			for _, p := range []*revision.Page{t.before, t.after} {
				if textHash(p) != "" {
					hashes = append(hashes, p.Text, p.Blocks)
				}
			}
		}
		objects, err := v.Content.Objects(ctx, hashes)
		if err != nil {
			return nil, fmt.Errorf("texts to compare: %w", err)
		}
		for i := range batch {
			if err := batch[i].decode(objects); err != nil {
				return nil, err
			}
			size += len(batch[i].old.Markdown) + len(batch[i].new.Markdown)
		}
	}
	return list, nil
}

func (t *textPair) decode(objects map[string][]byte) (err error) {
	if hash := textHash(t.before); hash != "" {
		if t.old, err = revision.DecodeText(objects[hash], objects[t.before.Blocks]); err != nil {
			return err
		}
	}
	if hash := textHash(t.after); hash != "" {
		t.new, err = revision.DecodeText(objects[hash], objects[t.after.Blocks])
	}
	return err
}

func (t textPair) diff(ctx context.Context) api.DocumentDiff {
	d := api.DocumentDiff{
		Change: api.DocumentEdited, Page: t.page, ReusableContent: t.reusableContent, Blocks: diff.Text(ctx, t.old, t.new),
	}
	switch {
	case t.before == nil:
		d.Change = api.DocumentCreated
	case t.after == nil:
		d.Change = api.DocumentDeleted
	case !t.differs():
		d.Change = api.DocumentSame
	}
	d.Words = diff.CountWords(d.Blocks)
	d.Formatting = d.Change == api.DocumentEdited && !slices.ContainsFunc(d.Blocks, func(b api.BlockDiff) bool {
		return b.Change != api.BlockSame && (b.Change != api.BlockEdited || !b.Formatting)
	})
	return d
}
