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

// blame finds where the words of a page's blocks come from: it goes back from revision to revision, and through
// merges into their change requests, and ends where a block is not what it was before.
type blame struct {
	service *Service
	content *objects.Content
	page    string
	looked  int
	found   map[string]origin // by block
}

// origin is where the words of a block come from.
type origin struct {
	revision.Numbered
	request string // id of the change request
}

func (s *Service) blamePage(ctx context.Context, c *rest.Call, b *txn.Batch, in api.BlamePageInput) rest.Finish[api.PageBlame] {
	at := revision.Target{Space: in.Space}
	p := s.Revisions.Placed(c, b, at)
	return func(ctx context.Context) (none rest.Result[api.PageBlame], err error) {
		head, version, err := p.Get()
		if err != nil {
			return none, err
		}
		f := &blame{service: s, content: s.Store.Content(in.Space), page: in.Page, found: map[string]origin{}}
		now, err := f.textIn(ctx, head.Pages)
		if err != nil {
			return none, err
		}
		if now == nil {
			return none, api.NotFound()
		}
		turn, err := s.Slow.Begin(ctx, len(now.text.Markdown)*budgets.BlamedFactor)
		if err != nil {
			return none, err
		}
		defer turn.End()
		pending := map[string]string{}
		for _, block := range now.text.Blocks {
			pending[block.ID] = block.Hash
		}
		if err := f.follow(ctx, head.Revision, "", pending); err != nil {
			return none, err
		}
		r, err := s.blameAnswer(ctx, c, at, in.Page, now.text, f.found)
		return r.Versioned(version), err
	}
}

// pageText is the text of a page in a revision.
type pageText struct {
	id   string // names it with its block table
	text content.Text
}

// textIn reads the page's text, nil where there is no such page.
func (f *blame) textIn(ctx context.Context, root string) (*pageText, error) {
	entries, err := f.content.Get(ctx, root, f.page)
	if err != nil {
		return nil, fmt.Errorf("page %s: %w", f.page, err)
	}
	e, ok := entries[f.page]
	if !ok {
		return nil, nil //nolint:nilnil // absent
	}
	p, err := revision.DecodePage(f.page, e)
	if err != nil {
		return nil, err
	}
	text, err := revision.ReadText(ctx, f.content, p.Text, p.Blocks)
	return &pageText{p.TextID(), text}, err
}

// textOf is the page's text in a revision.
func (f *blame) textOf(ctx context.Context, revision string) (*pageText, error) {
	r, err := f.service.Revisions.Revision(ctx, f.content, revision)
	if err != nil {
		return nil, err
	}
	return f.textIn(ctx, r.Pages)
}

// follow finds the origin of blocks, given by id and hash, that a revision has as they are.
func (f *blame) follow(ctx context.Context, id, request string, pending map[string]string) error {
	for f.looked++; len(pending) > 0 && f.looked <= maxHistory; f.looked++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := f.service.Revisions.Revision(ctx, f.content, id)
		if err != nil {
			return err
		}
		left := pending
		var older map[string]string
		for n, parent := range r.Parents {
			var had map[string]string
			if had, left, err = f.split(ctx, parent, left); err != nil {
				return err
			}
			if n == 0 {
				older = had
			} else if err := f.follow(ctx, parent, r.MergedFrom, had); err != nil {
				return err
			}
		}
		for block := range left {
			f.found[block] = origin{revision.Numbered{ID: id, Revision: r}, cmp.Or(r.MergedFrom, request)}
		}
		if len(r.Parents) == 0 {
			return nil
		}
		id, pending = r.Parents[0], older
	}
	return nil
}

// split tells the blocks that a revision has as they are from those that are left.
func (f *blame) split(ctx context.Context, revision string, pending map[string]string) (had, left map[string]string, err error) {
	if len(pending) == 0 {
		return nil, nil, nil
	}
	then, err := f.textOf(ctx, revision)
	if rest.IsLost(err) {
		return nil, pending, nil // as far back as can be seen
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

func (s *Service) blameAnswer(ctx context.Context, c *rest.Call, at revision.Target, page string, text content.Text, found map[string]origin) (rest.Result[api.PageBlame], error) {
	ids := map[string]bool{}
	for _, from := range found {
		if from.request != "" {
			ids[from.request] = true
		}
	}
	requests, err := s.View.RequestsNamed(ctx, c, at.Space, ids)
	if err != nil {
		return rest.Result[api.PageBlame]{}, err
	}
	blocks := make([]*rest.Object, len(text.Blocks))
	c.Access(func(model *access.Model) {
		for i, block := range text.Blocks {
			o := rest.ObjectOf(api.Block{ID: block.ID, Kind: block.Kind, Start: block.Start, End: block.End}).Set("preview", view.Preview(text.Bytes(block)))
			if from, known := found[block.ID]; known {
				author, appliedBy := from.WriterOf(page, block.ID)
				o.Set("revision", from.ID).Set("author", s.View.Person(model, author)).Set("createdAt", api.At(from.At)).
					SetIf(appliedBy != "", "appliedBy", s.View.Person(model, appliedBy)).
					SetIf(requests[from.request] != nil, "changeRequest", requests[from.request])
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
