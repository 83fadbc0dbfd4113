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

// removeMissing finds the objects that the source no longer contains and, if requested, removes them. Objects that users
// edited, discuss or use are kept, with the reason. After a partial import, or the import of one document, nothing counts as
// missing.
func (s *Service) removeMissing(ctx context.Context, c *rest.Call, target revision.Target, u *update) error {
	unreachable, err := u.findUnreachable(ctx)
	if err != nil {
		return err
	}
	pages, files := u.findMissing(unreachable)
	if u.body.Delete && !u.isComplete() {
		u.note("nothing was taken out, as not all of the source was read")
	}
	out, outFiles := pages, files
	if !u.body.Delete {
		out, outFiles = slices.DeleteFunc(slices.Clone(pages), func(id string) bool { return !u.isDissolved(id) }), nil
	}
	reasons, err := s.reasonsToKeep(ctx, c, target, u, missingObjects{pages: out, files: outFiles})
	if err != nil {
		return err
	}
	for _, id := range pages {
		u.noteMissing(api.ImportedResource{
			Page: id, Title: u.draft.Tree.Page(id).Name(), Path: u.last.pages[id].Origin.Path, Reason: reasons[id],
		})
	}
	for _, id := range files {
		f := u.last.files[id]
		u.noteMissing(api.ImportedResource{File: id, Title: f.Name, Path: f.Origin.Path, Reason: reasons[id]})
	}
	u.remove(out, outFiles, reasons)
	return nil
}

// findMissing lists the pages and files of the source that were not matched, except the unreachable ones. Descendants precede
// their pages.
func (u *update) findMissing(unreachable map[string]bool) (pages, files []string) {
	missing := func(id, at string) bool {
		return !u.last.claimed[id] && !u.last.removed[id] && !u.last.isLater(id) && !u.unread[at] && !unreachable[id]
	}
	for _, id := range u.draft.Tree.ReadingOrder("") {
		if p := u.last.pages[id]; p != nil && missing(id, p.Origin.Path) && !u.isHeldPart(id) && (u.isComplete() || u.isDissolved(id)) {
			pages = append(pages, id)
		}
	}
	slices.Reverse(pages)
	if !u.isComplete() {
		return pages, nil
	}
	for _, id := range slices.Sorted(maps.Keys(u.last.files)) {
		if missing(id, u.last.files[id].Origin.Path) {
			files = append(files, id)
		}
	}
	return pages, files
}

func (u *update) noteMissing(r api.ImportedResource) {
	if r.Reason != "" {
		u.result.Kept = append(u.result.Kept, r)
	} else {
		u.result.Gone = append(u.result.Gone, r)
	}
}

// remove deletes the pages and files without an entry in reasons, a map from the id of an object to the reason to keep it. The
// next import of their source creates them again.
func (u *update) remove(pages, files []string, reasons map[string]string) {
	for _, id := range pages {
		if reasons[id] == "" {
			u.draft.Drop(id)
			u.draft.ForgetRemoved(id)
		}
	}
	for _, id := range files {
		if reasons[id] == "" {
			u.draft.RemovedFiles[id] = true
			u.draft.ForgetRemoved(id)
		}
	}
}

// missingObjects holds the ids of the objects to remove. Descendants precede their pages.
type missingObjects struct{ pages, files []string }

// reasonsToKeep returns the reasons to keep objects that are missing in the source, by id.
func (s *Service) reasonsToKeep(
	ctx context.Context, c *rest.Call, target revision.Target, u *update, m missingObjects,
) (map[string]string, error) {
	reasons := map[string]string{}
	if len(m.pages)+len(m.files) == 0 {
		return reasons, nil
	}
	for _, id := range m.pages {
		if u.isEdited(u.draft.Tree.Page(id)) {
			reasons[id] = "It was edited here."
		}
	}
	if err := s.addCommentReasons(ctx, c, target, m.pages, reasons); err != nil {
		return nil, err
	}
	if err := s.addReferenceReasons(ctx, u, slices.Concat(m.pages, m.files), reasons); err != nil {
		return nil, err
	}
	goes := map[string]bool{}
	for _, id := range m.pages { // descendants first
		below := slices.ContainsFunc(u.draft.Tree.Children(id), func(child string) bool { return !goes[child] })
		if below && reasons[id] == "" {
			reasons[id] = "Pages that stay lie below it."
		}
		goes[id] = reasons[id] == ""
	}
	return reasons, nil
}

// isEdited reports whether a page differs from its last import.
func (u *update) isEdited(p *revision.Page) bool {
	came := u.last.pages[p.ID]
	fresh := revision.Page{Type: came.Type, Title: came.Title, Slug: came.Slug, Emoji: came.Emoji, Description: came.Description}
	return p.Text != came.Text || p.Parent != came.Parent || !maps.Equal(revision.Attributes(p), revision.Attributes(&fresh))
}

// addCommentReasons sets the reason of pages with open comments.
func (s *Service) addCommentReasons(ctx context.Context, c *rest.Call, target revision.Target, pages []string,
	reasons map[string]string,
) error {
	b := s.Store.NewBatch()
	var open, on []*txn.Reply[[]string]
	for _, where := range slices.Compact([]string{target.HeadID(), target.Space}) {
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

// addReferenceReasons sets the reason of pages and files that objects of another origin refer to: by a link, an image, a
// cover, or a link page.
func (s *Service) addReferenceReasons(ctx context.Context, u *update, gone []string, reasons map[string]string) error {
	g, err := s.linkGraph(ctx, u)
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

// linkGraph resolves the links of the worktree.
func (s *Service) linkGraph(ctx context.Context, u *update) (*reader.Graph, error) {
	head, err := u.draft.Preview(ctx, revision.Revision{Type: api.RevisionEdits, CreatedAt: u.now.Time})
	if err != nil {
		return nil, fmt.Errorf("links of an import: %w", err)
	}
	return s.Links.Graph(ctx, u.draft.Content, head)
}

// brokenLinks counts the broken links of the source's pages by problem.
func (s *Service) brokenLinks(ctx context.Context, u *update) (map[string]int, error) {
	counts := map[string]int{}
	g, err := s.linkGraph(ctx, u)
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
