package imports

import (
	"context"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// givenBase is the revision that the content of an import is based on. With it, the pages and files of that revision are the base of
// the merge, in the place of those of the last import.
type givenBase struct {
	tree  *revision.Tree
	files map[string]revision.File
}

// readBase reads the base that an import names, nil if it names none.
func (s *Service) readBase(ctx context.Context, c *rest.Call, space string, head store.Head, id string) (*givenBase, error) {
	if id == "" {
		return nil, nil
	}
	r, err := s.Reviews.Ancestor(ctx, c.Org, space, head, id)
	if err != nil {
		return nil, err
	}
	content := s.Store.Content(space)
	base := &givenBase{files: map[string]revision.File{}}
	if base.tree, err = s.Revisions.Tree(ctx, content, r.Pages); err != nil {
		return nil, s.Reviews.BaseError(err)
	}
	files, err := s.Revisions.Files(ctx, content, r.Files)
	if err != nil {
		return nil, s.Reviews.BaseError(err)
	}
	for _, f := range files {
		base.files[f.ID] = f
	}
	return base, nil
}

// page returns a page of the source as it was in the base, without a text if it was not there.
func (b *givenBase) page(p *revision.Page) *revision.Page {
	was, there := *p, b.tree.Page(p.ID)
	origin := *p.Origin
	if there == nil {
		origin.OID, origin.Text, origin.Blocks = "", "", ""
	} else {
		if there.Origin != nil && there.Origin.Source == origin.Source {
			origin.Path, origin.Part, origin.State, origin.OID = there.Origin.Path, there.Origin.Part, there.Origin.State, there.Origin.OID
		}
		if there.Origin == nil || there.Text != there.Origin.Text {
			origin.OID = "" // of other bytes
		}
		origin.Text, origin.Blocks = there.Text, there.Blocks
		was.DerivedTitle = there.DerivedTitle
	}
	was.Origin = &origin
	return &was
}

// file returns a file of the source as it was in the base, without a hash if it was not there.
func (b *givenBase) file(f revision.File) revision.File {
	origin, there := *f.Origin, b.files[f.ID]
	origin.OID = ""
	if there.Origin != nil && there.Origin.Source == origin.Source {
		origin.Path, origin.OID = there.Origin.Path, there.Origin.OID
	}
	if there.ID != "" {
		f = there
	}
	f.Origin = &origin
	return f
}

// addBase adds what the source had in the base and what is neither in the tree nor among what users removed: an import has taken it
// out since. It counts as removed, so that content that was not changed since the base does not come back.
func (l lastImport) addBase() {
	for _, id := range l.base.tree.ReadingOrder("") {
		if p := l.base.tree.Page(id); l.pages[id] == nil && p.Origin != nil {
			l.removed[id] = l.addPage(p)
		}
	}
	for id, f := range l.base.files {
		if _, known := l.files[id]; !known && !l.fileIDs[id] && f.Origin != nil {
			l.removed[id] = l.addFile(f)
		}
	}
}

// isLater reports whether a page or file came into the space after the base, so that the content of the import cannot have it.
func (l lastImport) isLater(id string) bool {
	if l.base == nil {
		return false
	}
	_, isFile := l.base.files[id]
	return !isFile && l.base.tree.Page(id) == nil
}

// equalImport reports whether an incoming page is the same as in the base of the merge.
func (u *update) equalImport(p, was *revision.Page) bool {
	if u.last.base == nil || was.Origin == nil {
		return p.Origin.EqualImport(was.Origin)
	}
	known := *was.Origin
	if known.OID == "" {
		known.OID = p.Origin.OID
	}
	return p.Origin.EqualImport(&known)
}

// keepPath gives an incoming page whose path is that of the base the path that it got in the source since, unless another incoming
// page has that.
func (u *update) keepPath(p, was *revision.Page) {
	now := u.draft.BaseTree.Page(p.ID)
	if u.last.base == nil || now == nil || now.Origin == nil || !now.Origin.SameSource(was.Origin) || p.Origin.Path != was.Origin.Path {
		return
	}
	for _, a := range u.pages {
		if a.path == now.Origin.Path {
			return
		}
	}
	p.Origin.Path = now.Origin.Path
}

// decideFile decides a file that both the source and others have changed since the base. It reports whether the bytes of the source
// are to be taken.
func (u *update) decideFile(was, made revision.File) (bool, error) {
	now, there := u.current[made.ID]
	switch {
	case u.last.base == nil || !there || now.Origin == nil || now.Origin.OID == was.Origin.OID:
		return true, nil
	case now.Origin.OID == made.Origin.OID:
		return false, nil
	}
	base := fileValue(was)
	if u.last.isLater(made.ID) {
		base = map[string]string{}
	}
	return u.resolveFile(made, base, fileValue(now))
}
