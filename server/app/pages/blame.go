package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// blamer attributes the blocks of a page to revisions. It follows each block back through the history, and through
// merges into their change requests, until its text changes.
type blamer struct {
	service *Service
	content *objects.Content
	page    string
	scanned int
	origins map[string]origin // by block id
}

// origin is the revision in which a block got its present text.
type origin struct {
	revision.HistoricalRevision
	request string // id of the change request, "" if there is none
}

func (s *Service) blamePage(ctx context.Context, r *rest.Request, b *txn.Batch, in api.BlamePageInput) rest.Finish[api.PageBlame] {
	target := revision.Target{Space: in.Space}
	p := s.Revisions.ReadTarget(r.Org, b, target)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.PageBlame], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		f := &blamer{service: s, content: s.Store.Content(in.Space), page: in.Page, origins: map[string]origin{}}
		now, err := f.textInTree(ctx, head.Pages)
		if err != nil {
			return none, err
		}
		if now == nil {
			return none, api.NotFound()
		}
		work, err := s.Slow.Begin(ctx, len(now.text.Markdown)*budgets.BlameFactor)
		if err != nil {
			return none, err
		}
		defer work.End()
		pending := map[string]string{}
		for _, block := range now.text.Blocks {
			pending[block.ID] = block.Hash
		}
		if err := f.trace(ctx, head.Revision, "", pending); err != nil {
			return none, err
		}
		r, err := s.encodeBlame(ctx, c, target, in.Page, now.text, f.origins)
		return r.WithVersion(version), err
	}
}

// pageText is the text of a page in a revision.
type pageText struct {
	id   string // id of the text and its block table
	text content.Text
}

// textInTree returns the page's text in a page tree. It returns nil if the tree does not contain the page.
func (b *blamer) textInTree(ctx context.Context, root string) (*pageText, error) {
	entries, err := b.content.Get(ctx, root, b.page)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", b.page, err)
	}
	e, ok := entries[b.page]
	if !ok {
		return nil, nil //nolint:nilnil // absent
	}
	p, err := revision.DecodePage(b.page, e)
	if err != nil {
		return nil, err
	}
	text, err := revision.ReadText(ctx, b.content, p.Text, p.Blocks)
	return &pageText{p.TextID(), text}, err
}

// textInRevision returns the page's text in a revision, or nil if the revision does not contain the page.
func (b *blamer) textInRevision(ctx context.Context, revision string) (*pageText, error) {
	r, err := b.service.Revisions.Revision(ctx, b.content, revision)
	if err != nil {
		return nil, err
	}
	return b.textInTree(ctx, r.Pages)
}

// trace sets the origins of the pending blocks, a map of block id to hash, starting at a revision that contains all
// of them unchanged.
func (b *blamer) trace(ctx context.Context, id, request string, pending map[string]string) error {
	for b.scanned++; len(pending) > 0 && b.scanned <= maxHistory; b.scanned++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := b.service.Revisions.Revision(ctx, b.content, id)
		if err != nil {
			return err
		}
		left := pending
		var older map[string]string
		for n, parent := range r.Parents {
			var had map[string]string
			if had, left, err = b.partition(ctx, parent, left); err != nil {
				return err
			}
			if n == 0 {
				older = had
			} else if err := b.trace(ctx, parent, r.MergedFrom, had); err != nil {
				return err
			}
		}
		for block := range left {
			b.origins[block] = origin{revision.HistoricalRevision{ID: id, Revision: r}, cmp.Or(r.MergedFrom, request)}
		}
		if len(r.Parents) == 0 {
			return nil
		}
		id, pending = r.Parents[0], older
	}
	return nil
}

// partition divides the pending blocks into those that are the same in a revision and those that differ.
func (b *blamer) partition(ctx context.Context, revision string, pending map[string]string) (had, left map[string]string, err error) {
	if len(pending) == 0 {
		return nil, nil, nil
	}
	then, err := b.textInRevision(ctx, revision)
	if objects.IsLost(err) {
		return nil, pending, nil // older history is not available
	}
	if err != nil || then == nil {
		return nil, pending, err
	}
	was := map[string]string{}
	for _, block := range then.text.Blocks {
		was[block.ID] = block.Hash
	}
	had, left = map[string]string{}, map[string]string{}
	for id, hash := range pending {
		if was[id] == hash {
			had[id] = hash
		} else {
			left[id] = hash
		}
	}
	return had, left, nil
}

func (s *Service) encodeBlame(ctx context.Context, c *rest.Call, target revision.Target, page string, text content.Text,
	found map[string]origin,
) (rest.Result[api.PageBlame], error) {
	ids := map[string]bool{}
	for _, from := range found {
		if from.request != "" {
			ids[from.request] = true
		}
	}
	requests, err := s.View.ReadRequests(ctx, c, target.Space, ids)
	if err != nil {
		return rest.Result[api.PageBlame]{}, err
	}
	blocks := make([]*rest.Object, len(text.Blocks))
	c.Access(func(model *access.Model) {
		for i, block := range text.Blocks {
			o := rest.ObjectOf(api.Block{ID: block.ID, Kind: block.Kind, Start: block.Start, End: block.End}).Set("preview",
				view.Preview(text.Bytes(block)))
			if from, known := found[block.ID]; known {
				author, appliedBy := from.BlockAuthor(page, block.ID)
				o.Set("revision", from.ID).Set("author", s.View.Person(model, author)).Set("createdAt", api.At(from.CreatedAt)).
					SetIf(appliedBy != "", "appliedBy", s.View.Person(model, appliedBy)).
					SetIf(requests[from.request] != nil, "changeRequest", requests[from.request]).
					SetIf(from.Source != nil, "source", from.Source)
			}
			blocks[i] = o
		}
	})
	list := []byte{'['}
	for i, o := range blocks {
		data, e := o.Bytes()
		if err = errors.Join(err, e); i > 0 {
			list = append(list, ',')
		}
		list = append(list, data...)
	}
	if err != nil {
		return rest.Result[api.PageBlame]{}, err
	}
	return rest.Result[api.PageBlame]{JSON: append(append([]byte(`{"blocks":`), list...), ']', '}')}, nil
}
