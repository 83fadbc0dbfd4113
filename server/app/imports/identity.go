package imports

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
)

// incomingPage is a page of the source together with the id it has in the space.
type incomingPage struct {
	*importer.Page

	id        string
	parent    *incomingPage // nil at the top
	topParent string        // page above the top-level pages; "" for the root
	path      string
	part      string // id of the heading that a part of a split page begins with; empty for the first part
	markdown  []byte // with links to ids of the space
	aliases   []content.Alias
	adopted   *revision.Page // page without a source that it replaces
}

func (p *incomingPage) parentID() string {
	if p.parent == nil {
		return p.topParent
	}
	return p.parent.id
}

// incomingFile is a file of the source together with the id it has in the space.
type incomingFile struct {
	*importer.File

	id, path string
	adopted  *revision.File
}

// minCommonPercent is the percentage of blocks that a page with a new path and a page with a missing path must have
// in common to be the same page.
const minCommonPercent = 60

// matchPages matches incoming pages and files with existing ones: by path, then, for missing paths, by bytes, and
// then by the text of most blocks. Unmatched ones are new. A split page is compared as a whole first, and if that
// fails, part by part.
func (u *update) matchPages(ctx context.Context) error {
	u.addIncoming(nil, u.fetched.Pages)
	for _, f := range u.fetched.Files {
		u.files = append(u.files, &incomingFile{File: f, id: f.ID, path: normalizePath(f.Path)})
	}
	same := map[string]string{} // import id -> id in the space
	u.matchFilesByPath(same)
	u.matchFilesByHash(same)
	u.adoptFiles(same)
	u.matchPagesByPath(same)
	u.resolveUnreadLinks(same)
	if u.isComplete() {
		u.matchPagesByHash(same)
	}
	u.rewriteLinks(same)
	if u.isComplete() {
		if err := u.matchDocumentsByText(ctx, same); err != nil {
			return err
		}
	}
	if err := u.splitPages(ctx, same); err != nil {
		return err
	}
	if u.isComplete() {
		if err := u.matchPagesByText(ctx, same); err != nil {
			return err
		}
	}
	u.adoptGroups(same)
	u.rewriteLinks(same)
	if u.body.Adopt {
		if err := u.adoptPages(ctx, same); err != nil {
			return err
		}
	}
	u.assignIDs(same)
	u.rewriteLinks(same)
	return nil
}

// addIncoming appends pages and their descendants to u.pages, parents first.
func (u *update) addIncoming(parent *incomingPage, pages []*importer.Page) {
	for _, p := range pages {
		a := &incomingPage{
			Page: p, id: p.ID, parent: parent, topParent: u.parent, path: normalizePath(p.Path), markdown: p.Markdown, aliases: p.Aliases,
		}
		u.pages = append(u.pages, a)
		u.addIncoming(a, p.Children)
	}
}

func (u *update) matchFilesByPath(same map[string]string) {
	for _, f := range u.files {
		if id, ok := u.last.claim(u.last.filePaths[f.path]); ok {
			same[f.ID], f.id = id, id
		}
	}
}

// matchFilesByHash matches files whose path has changed in the source.
func (u *update) matchFilesByHash(same map[string]string) {
	gone := map[string][]string{} // missing files by hash
	for _, id := range slices.Sorted(maps.Keys(u.last.files)) {
		if f := u.last.files[id]; !u.last.claimed[id] && !u.unread[f.Origin.Path] && u.isComplete() {
			gone[f.Origin.OID] = append(gone[f.Origin.OID], id)
		}
	}
	for _, f := range u.files {
		if f.id != f.ID {
			continue
		}
		if id, ok := u.last.claim(gone[f.OID]); ok {
			same[f.ID], f.id = id, id
		}
	}
}

func (u *update) matchPagesByPath(same map[string]string) {
	for _, a := range u.pages {
		if id, ok := u.last.claim(u.last.pagePaths[a.path]); ok {
			same[a.ID], a.id = id, id
		}
	}
}

// resolveUnreadLinks resolves links to unread pages to the existing page with that path, or else to its address.
func (u *update) resolveUnreadLinks(same map[string]string) {
	for _, missed := range u.fetched.Unread {
		at := normalizePath(missed.Path)
		if missed.ID == "" {
			continue
		}
		same[missed.ID] = missed.Address
		if ids := u.last.pagePaths[at]; len(ids) > 0 && u.last.pages[ids[0]].Type == api.PageDocument {
			same[missed.ID] = pageLinkPrefix + ids[0]
		} else if ids := u.last.filePaths[at]; len(ids) > 0 {
			same[missed.ID] = fileLinkPrefix + ids[0]
		}
	}
}

// rewriteLinks replaces import ids with ids of the space in the links of the incoming texts.
func (u *update) rewriteLinks(same map[string]string) {
	for _, a := range u.pages {
		a.markdown = replaceIDs(a.markdown, same)
	}
}

// missingPages returns the unmatched pages whose path the source does not contain any more.
func (l lastImport) missingPages(unread map[string]bool) (gone []*revision.Page) {
	for _, id := range slices.Sorted(maps.Keys(l.pages)) {
		if p := l.pages[id]; !l.claimed[id] && !unread[p.Origin.Path] && p.Text != "" {
			gone = append(gone, p)
		}
	}
	return gone
}

// isNew reports whether the page has a text and is not matched with an existing page.
func (p *incomingPage) isNew() bool { return p.id == p.ID && len(p.markdown) > 0 }

// matchPagesByHash matches pages whose path, but not their text, has changed in the source.
func (u *update) matchPagesByHash(same map[string]string) {
	byBytes := map[string][]string{}
	for _, p := range u.last.missingPages(u.unread) {
		if p.Origin.Part == "" {
			byBytes[p.Origin.OID] = append(byBytes[p.Origin.OID], p.ID)
		}
	}
	for _, a := range u.pages {
		if !a.isNew() {
			continue
		}
		if id, ok := u.last.claim(byBytes[a.OID]); ok {
			same[a.ID], a.id = id, id
		}
	}
}

// matchDocumentsByText matches pages whose path and text have changed in the source, before they are split.
func (u *update) matchDocumentsByText(ctx context.Context, same map[string]string) error {
	var gone [][]*revision.Page
	for _, p := range u.last.missingPages(u.unread) {
		if p.Origin.Part == "" {
			gone = append(gone, append([]*revision.Page{p}, u.last.partsOf(p.Origin.Path)...))
		}
	}
	return u.matchPagesByBlocks(ctx, same, u.newPages(), gone)
}

// matchPagesByText matches pages, including parts, whose path and text have changed in the source.
func (u *update) matchPagesByText(ctx context.Context, same map[string]string) error {
	return u.matchPagesByBlocks(ctx, same, u.newPages(), singletons(u.last.missingPages(u.unread)))
}

// newPages returns the unmatched pages with a text.
func (u *update) newPages() []*incomingPage {
	return slices.DeleteFunc(slices.Clone(u.pages), func(a *incomingPage) bool { return !a.isNew() })
}

// singletons returns groups of one page each.
func singletons(pages []*revision.Page) (each [][]*revision.Page) {
	for _, p := range pages {
		each = append(each, []*revision.Page{p})
	}
	return each
}

// matchPagesByBlocks matches renamed and edited pages: those that have most blocks in common with exactly one page,
// which has them in common with no other. Each group of existing pages is one document; it is matched to its first
// part.
func (u *update) matchPagesByBlocks(ctx context.Context, same map[string]string, fresh []*incomingPage, gone [][]*revision.Page) error {
	if len(fresh) == 0 || len(gone) == 0 {
		return nil
	}
	was := make([]map[string]int, len(gone))
	for i, parts := range gone {
		was[i] = map[string]int{}
		for _, p := range parts {
			t, err := u.baseText(ctx, p)
			if err != nil {
				return err
			}
			countBlocks(t, was[i])
		}
	}
	candidates, claims := make([][]int, len(fresh)), make([]int, len(gone))
	for n, a := range fresh {
		if err := ctx.Err(); err != nil {
			return err
		}
		is := map[string]int{}
		countBlocks(content.Text{Markdown: a.markdown, Blocks: content.Blocks(a.markdown)}, is)
		for i := range gone {
			if similar(was[i], is) {
				candidates[n] = append(candidates[n], i)
				claims[i]++
			}
		}
	}
	for n, a := range fresh {
		if len(candidates[n]) == 1 && claims[candidates[n][0]] == 1 {
			id := gone[candidates[n][0]][0].ID
			u.last.claimed[id], same[a.ID], a.id = true, id, id
		}
	}
	return nil
}

// countBlocks adds the number of nonempty blocks of a text to counts, by the text of the block.
func countBlocks(t content.Text, counts map[string]int) {
	for _, b := range t.Blocks {
		if said := bytes.TrimSpace(t.Bytes(b)); len(said) > 0 {
			counts[string(said)]++
		}
	}
}

// similar reports whether two texts have enough blocks in common.
func similar(a, b map[string]int) bool {
	common, inA, inB := 0, 0, 0
	for said, n := range a {
		inA += n
		common += min(n, b[said])
	}
	for _, n := range b {
		inB += n
	}
	return common > 0 && 100*common >= minCommonPercent*max(inA, inB)
}

// adoptFiles matches files without a source that have the name, type and bytes of an incoming file.
func (u *update) adoptFiles(same map[string]string) {
	if !u.body.Adopt {
		return
	}
	free := map[string]*revision.File{}
	for i := range u.last.unowned {
		free[u.last.unowned[i].Manifest] = &u.last.unowned[i]
	}
	for _, f := range u.files {
		made := revision.NewFile(u.draft.Content, f.id, api.CleanLine(f.Name), f.ContentType, f.Data)
		if known := free[made.Manifest]; known != nil && f.id == f.ID {
			f.adopted = known
			same[f.ID], f.id = known.ID, known.ID
			delete(free, made.Manifest)
		}
	}
}

// adoptGroups matches groups without a source that have the place and the title of an incoming group, and a page of the source in it. A
// folder that is pushed makes such groups: they have no path.
func (u *update) adoptGroups(same map[string]string) {
	inside := map[*incomingPage]map[string]bool{} // parents in the space of the matched pages in each group
	for _, a := range u.pages {
		p := u.last.pages[a.id]
		if p == nil || a.parent == nil {
			continue
		}
		if inside[a.parent] == nil {
			inside[a.parent] = map[string]bool{}
		}
		inside[a.parent][p.Parent] = true
	}
	for _, a := range u.pages {
		if !a.Group || a.id != a.ID {
			continue
		}
		for _, id := range u.draft.BaseTree.Children(a.parentID()) {
			p := u.draft.BaseTree.Page(id)
			if p.Type == api.PageGroup && p.Origin == nil && !u.adopted[id] && inside[a][id] && p.Title == api.CleanLine(a.Title) {
				a.adopted, u.adopted[id] = p, true
				same[a.ID], a.id = id, id
				break
			}
		}
	}
}

// adoptPages matches pages without a source that have the path and text of an incoming page. Links between such pages
// are compared as if all of them matched.
func (u *update) adoptPages(ctx context.Context, same map[string]string) error {
	existing, ids := map[*incomingPage]*revision.Page{}, maps.Clone(same)
	for _, a := range u.pages {
		p, ok := u.draft.BaseTree.ByPath(a.slugPath())
		if ok && p.Origin == nil && a.id == a.ID && (p.Type == api.PageGroup) == a.Group {
			existing[a], ids[a.ID] = p, p.ID
		}
	}
	for _, a := range u.pages {
		p := existing[a]
		if p == nil {
			continue
		}
		t, err := u.draft.Text(ctx, p)
		if err != nil {
			return fmt.Errorf("page %s: %w", p.ID, err)
		}
		if bytes.Equal(t.Markdown, replaceIDs(a.markdown, ids)) {
			a.adopted, u.adopted[p.ID] = p, true
			same[a.ID], a.id = p.ID, p.ID
		}
	}
	u.rewriteLinks(same)
	for a := range existing {
		if a.adopted != nil {
			a.markdown = replaceIDs(a.Markdown, ids)
		}
	}
	return nil
}

// slugPath returns the path of the page made of the slugs that the source gives it and its ancestors.
func (p *incomingPage) slugPath() string {
	if p.parent == nil {
		return p.Slug
	}
	return p.parent.slugPath() + "/" + p.Slug
}

// Prefixes of links by id.
const (
	pageLinkPrefix = "/pages/"
	fileLinkPrefix = "/files/"
)

// linkPrefixes are the prefixes of links in which replaceIDs replaces ids.
var linkPrefixes = [][]byte{[]byte(pageLinkPrefix), []byte(fileLinkPrefix)}

// replaceIDs replaces the ids in the links of a text, or whole links with another target. Import ids are random, so a
// match cannot be accidental.
func replaceIDs(markdown []byte, same map[string]string) []byte {
	if len(same) == 0 {
		return markdown
	}
	var made []byte
	from := 0
	for at := range markdown {
		if markdown[at] != '/' {
			continue
		}
		for _, prefix := range linkPrefixes {
			if !bytes.HasPrefix(markdown[at:], prefix) {
				continue
			}
			start := at + len(prefix)
			end := start
			for end < len(markdown) && isIDByte(markdown[end]) {
				end++
			}
			to, ok := same[string(markdown[start:end])]
			if !ok {
				continue
			}
			if strings.Contains(to, "/") { // a complete destination
				start = at
			}
			made = append(append(made, markdown[from:start]...), to...)
			from = end
		}
	}
	if made == nil {
		return markdown
	}
	return append(made, markdown[from:]...)
}

func isIDByte(b byte) bool {
	return b == '_' || b == '-' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
