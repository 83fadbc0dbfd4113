package imports

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// removeGone finds what the source does not have any more and, where the request says so, takes it out. What somebody
// here would miss stays, with the reason. An import that was cut short, or that is of one document, knows of nothing that
// it is gone.
func (s *Service) removeGone(ctx context.Context, c *rest.Call, at revision.Target, u *update) error {
	behind, err := u.behindUnread(ctx)
	if err != nil {
		return err
	}
	pages, files := u.gone(behind)
	if u.body.Delete && !u.complete() {
		u.note("nothing was taken out, as not all of the source was read")
	}
	out, outFiles := pages, files
	if !u.body.Delete {
		out, outFiles = slices.DeleteFunc(slices.Clone(pages), func(id string) bool { return !u.dissolved(id) }), nil
	}
	reasons := map[string]string{}
	if len(out)+len(outFiles) > 0 {
		if err := s.reasons(ctx, c, at, u, out, outFiles, reasons); err != nil {
			return err
		}
	}
	for _, id := range pages {
		u.noteGone(api.ImportedResource{Page: id, Title: u.draft.Tree.Page(id).Name(), Path: u.before.pages[id].Origin.Path, Reason: reasons[id]})
	}
	for _, id := range files {
		f := u.before.files[id]
		u.noteGone(api.ImportedResource{File: id, Title: f.Name, Path: f.Origin.Path, Reason: reasons[id]})
	}
	u.takeOut(out, outFiles, reasons)
	return nil
}

// gone lists what is here of the source and was not found again, although all that led there was read: pages with those
// below first.
func (u *update) gone(behind map[string]bool) (pages, files []string) {
	missing := func(id, at string) bool {
		return !u.before.taken[id] && !u.before.removed[id] && !u.unread[at] && !behind[id]
	}
	for _, id := range u.draft.Tree.Reading("") {
		if p := u.before.pages[id]; p != nil && missing(id, p.Origin.Path) && !u.waits(id) && (u.complete() || u.dissolved(id)) {
			pages = append(pages, id)
		}
	}
	slices.Reverse(pages)
	if !u.complete() {
		return pages, nil
	}
	for _, id := range slices.Sorted(maps.Keys(u.before.files)) {
		if missing(id, u.before.files[id].Origin.Path) {
			files = append(files, id)
		}
	}
	return pages, files
}

func (u *update) noteGone(r api.ImportedResource) {
	if r.Reason != "" {
		u.answer.Kept = append(u.answer.Kept, r)
	} else {
		u.answer.Gone = append(u.answer.Gone, r)
	}
}

// takeOut removes what nobody misses. The next import does not look for it.
func (u *update) takeOut(pages, files []string, reasons map[string]string) {
	for _, id := range pages {
		if reasons[id] == "" {
			u.draft.Drop(id)
			u.draft.Forget(id)
		}
	}
	for _, id := range files {
		if reasons[id] == "" {
			u.draft.Gone[id] = true
			u.draft.Forget(id)
		}
	}
}

// reasons finds out why some of what is gone in the source stays here.
func (s *Service) reasons(ctx context.Context, c *rest.Call, at revision.Target, u *update, pages, files []string, reasons map[string]string) error {
	for _, id := range pages {
		if u.edited(u.draft.Tree.Page(id)) {
			reasons[id] = "It was edited here."
		}
	}
	if err := s.discussed(ctx, c, at, pages, reasons); err != nil {
		return err
	}
	if err := s.used(ctx, u, slices.Concat(pages, files), reasons); err != nil {
		return err
	}
	goes := map[string]bool{}
	for _, id := range pages { // those below first
		below := slices.ContainsFunc(u.draft.Tree.Children(id), func(child string) bool { return !goes[child] })
		if below && reasons[id] == "" {
			reasons[id] = "Pages that stay lie below it."
		}
		goes[id] = reasons[id] == ""
	}
	return nil
}

// edited reports whether a page differs from what its last import brought.
func (u *update) edited(p *revision.Page) bool {
	came := u.before.pages[p.ID]
	fresh := revision.Page{Type: came.Type, Title: came.Title, Slug: came.Slug, Emoji: came.Emoji, Description: came.Description}
	return p.Text != came.Text || p.Parent != came.Parent || !maps.Equal(revision.Attributes(p), revision.Attributes(&fresh))
}

// discussed finds the pages with open comments.
func (s *Service) discussed(ctx context.Context, c *rest.Call, at revision.Target, pages []string, reasons map[string]string) error {
	b := s.Store.Pipeline()
	var open, on []*txn.Reply[[]string]
	for _, where := range slices.Compact([]string{at.HeadID(), at.Space}) {
		open = append(open, b.Range(store.CommentsKey(c.Org, where, string(api.CommentOpen)), "", -1, false))
		for _, id := range pages {
			on = append(on, b.Range(store.CommentsKey(c.Org, where, store.PageFilter(id)), "", -1, false))
		}
	}
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read comments: %w", err)
	}
	waiting := map[string]bool{}
	for _, ids := range open {
		for _, id := range ids.Value() {
			waiting[id] = true
		}
	}
	for i, ids := range on {
		page := pages[i%len(pages)]
		if reasons[page] == "" && slices.ContainsFunc(ids.Value(), func(id string) bool { return waiting[id] }) {
			reasons[page] = "It has open comments."
		}
	}
	return nil
}

// used finds the pages and files that something of another origin leads to: a link, an image, a cover, a link page.
func (s *Service) used(ctx context.Context, u *update, gone []string, reasons map[string]string) error {
	g, err := s.graph(ctx, u)
	if err != nil {
		return err
	}
	isGone := map[string]bool{}
	for _, id := range gone {
		isGone[id] = true
	}
	for from, found := range g.Pages {
		if p := u.draft.Tree.Page(from); p == nil || p.Origin != nil && p.Origin.Source == u.source.ID {
			continue
		}
		for _, l := range found {
			for _, id := range []string{l.Target.Page, l.Target.File} {
				if isGone[id] && reasons[id] == "" {
					reasons[id] = fmt.Sprintf("The page %q uses it.", u.draft.Tree.Page(from).Name())
				}
			}
		}
	}
	return nil
}

// graph resolves the links of the worktree as it is.
func (s *Service) graph(ctx context.Context, u *update) (*reader.Graph, error) {
	head, err := u.draft.Preview(ctx, revision.Revision{Type: api.RevisionEdits, At: u.now.Time})
	if err != nil {
		return nil, fmt.Errorf("links of an import: %w", err)
	}
	return s.Links.Graph(ctx, u.draft.Content, head)
}

// brokenLinks counts the links of the source's pages that lead nowhere.
func (s *Service) brokenLinks(ctx context.Context, u *update) (map[string]int, error) {
	counts := map[string]int{}
	g, err := s.graph(ctx, u)
	if err != nil {
		return nil, err
	}
	for from, found := range g.Pages {
		if p := u.draft.Tree.Page(from); p == nil || p.Origin == nil || p.Origin.Source != u.source.ID {
			continue
		}
		for _, l := range found {
			if l.Status == api.LinkBroken {
				counts[string(l.Problem)]++
			}
		}
	}
	return counts, nil
}
