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

// arrival is a page that the source brings now, with the ids of here.
type arrival struct {
	*importer.Page

	id       string
	parent   *arrival // nil at the top
	below    string   // the page that the top is below; "" = the root
	path     string
	part     string // what it begins at, of a page that was split; empty for the first
	markdown []byte // with the ids of here in its links
	aliases  []content.Alias
	adopted  *revision.Page // that it takes over
}

func (a *arrival) parentID() string {
	if a.parent == nil {
		return a.below
	}
	return a.parent.id
}

// fileArrival is a file that the source brings now.
type fileArrival struct {
	*importer.File

	id, path string
	adopted  *revision.File
}

// minAlike is the share of blocks, in percent, that a page of a new path has in common with one whose path is gone, for
// both to be one page.
const minAlike = 60

// identify finds out which pages and files of here are those that the source brings now: by their path, then, where an
// old path is gone, by their bytes, then by what most of their blocks say. What is none of them is new. Of pages that are
// split the whole is compared, then, where it is none of here, each part.
func (u *update) identify(ctx context.Context) error {
	u.arrive(nil, u.fetched.Pages)
	for _, f := range u.fetched.Files {
		u.files = append(u.files, &fileArrival{File: f, id: f.ID, path: sourcePath(f.Path)})
	}
	same := map[string]string{} // ids of the import -> ids of here
	u.filesByPath(same)
	u.filesByBytes(same)
	u.adoptFiles(same)
	u.pagesByPath(same)
	u.knownOfUnread(same)
	if u.complete() {
		u.pagesByBytes(same)
	}
	u.rename(same)
	if u.complete() {
		if err := u.documentsByText(ctx, same); err != nil {
			return err
		}
	}
	if err := u.splitPages(ctx, same); err != nil {
		return err
	}
	if u.complete() {
		if err := u.pagesByText(ctx, same); err != nil {
			return err
		}
	}
	u.rename(same)
	if u.body.Adopt {
		if err := u.adoptPages(ctx, same); err != nil {
			return err
		}
	}
	u.nameNew(same)
	u.rename(same)
	return nil
}

// arrive lists pages, parents first.
func (u *update) arrive(parent *arrival, pages []*importer.Page) {
	for _, p := range pages {
		a := &arrival{Page: p, id: p.ID, parent: parent, below: u.below, path: sourcePath(p.Path), markdown: p.Markdown, aliases: p.Aliases}
		u.pages = append(u.pages, a)
		u.arrive(a, p.Children)
	}
}

func (u *update) filesByPath(same map[string]string) {
	for _, f := range u.files {
		if id, ok := u.before.take(u.before.filePaths[f.path]); ok {
			same[f.ID], f.id = id, id
		}
	}
}

// filesByBytes finds files that have another path in the source now.
func (u *update) filesByBytes(same map[string]string) {
	gone := map[string][]string{} // by the hash of their bytes
	for _, id := range slices.Sorted(maps.Keys(u.before.files)) {
		if f := u.before.files[id]; !u.before.taken[id] && !u.unread[f.Origin.Path] && u.complete() {
			gone[f.Origin.OID] = append(gone[f.Origin.OID], id)
		}
	}
	for _, f := range u.files {
		if f.id != f.ID {
			continue
		}
		if id, ok := u.before.take(gone[f.OID]); ok {
			same[f.ID], f.id = id, id
		}
	}
}

func (u *update) pagesByPath(same map[string]string) {
	for _, a := range u.pages {
		if id, ok := u.before.take(u.before.pagePaths[a.path]); ok {
			same[a.ID], a.id = id, id
		}
	}
}

// knownOfUnread lets links to what could not be read lead to what is known by its path, or else to where it is.
func (u *update) knownOfUnread(same map[string]string) {
	for _, missed := range u.fetched.Unread {
		at := sourcePath(missed.Path)
		if missed.ID == "" {
			continue
		}
		same[missed.ID] = missed.Address
		if ids := u.before.pagePaths[at]; len(ids) > 0 && u.before.pages[ids[0]].Type == api.PageDocument {
			same[missed.ID] = pageLink + ids[0]
		} else if ids := u.before.filePaths[at]; len(ids) > 0 {
			same[missed.ID] = fileLink + ids[0]
		}
	}
}

// rename writes the ids of here into the links of the texts that came.
func (u *update) rename(same map[string]string) {
	for _, a := range u.pages {
		a.markdown = renamed(a.markdown, same)
	}
}

// gonePages are the pages that were not found again, whose path is in the source no more.
func (b brought) gonePages(unread map[string]bool) (gone []*revision.Page) {
	for _, id := range slices.Sorted(maps.Keys(b.pages)) {
		if p := b.pages[id]; !b.taken[id] && !unread[p.Origin.Path] && p.Text != "" {
			gone = append(gone, p)
		}
	}
	return gone
}

// isNew reports whether a page with a text was not found to be one of here.
func (a *arrival) isNew() bool { return a.id == a.ID && len(a.markdown) > 0 }

// pagesByBytes finds pages that have another path in the source now.
func (u *update) pagesByBytes(same map[string]string) {
	byBytes := map[string][]string{}
	for _, p := range u.before.gonePages(u.unread) {
		if p.Origin.Part == "" {
			byBytes[p.Origin.OID] = append(byBytes[p.Origin.OID], p.ID)
		}
	}
	for _, a := range u.pages {
		if !a.isNew() {
			continue
		}
		if id, ok := u.before.take(byBytes[a.OID]); ok {
			same[a.ID], a.id = id, id
		}
	}
}

// documentsByText finds pages that have another path and other bytes in the source now, before they are split.
func (u *update) documentsByText(ctx context.Context, same map[string]string) error {
	var gone [][]*revision.Page
	for _, p := range u.before.gonePages(u.unread) {
		if p.Origin.Part == "" {
			gone = append(gone, append([]*revision.Page{p}, u.before.partsOf(p.Origin.Path)...))
		}
	}
	return u.pagesByBlocks(ctx, same, u.newPages(), gone)
}

// pagesByText finds pages that have another path and other bytes in the source now, parts of others among them.
func (u *update) pagesByText(ctx context.Context, same map[string]string) error {
	return u.pagesByBlocks(ctx, same, u.newPages(), single(u.before.gonePages(u.unread)))
}

// newPages are those with a text that were not found to be one of here.
func (u *update) newPages() []*arrival {
	return slices.DeleteFunc(slices.Clone(u.pages), func(a *arrival) bool { return !a.isNew() })
}

// single are pages each of which is compared by itself.
func single(pages []*revision.Page) (each [][]*revision.Page) {
	for _, p := range pages {
		each = append(each, []*revision.Page{p})
	}
	return each
}

// pagesByBlocks finds pages that were renamed and edited in the source: they have most blocks in common with one page
// only, which has them in common with no other. A page of here may be split; it is found by its first part.
func (u *update) pagesByBlocks(ctx context.Context, same map[string]string, fresh []*arrival, gone [][]*revision.Page) error {
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
			if alike(was[i], is) {
				candidates[n] = append(candidates[n], i)
				claims[i]++
			}
		}
	}
	for n, a := range fresh {
		if len(candidates[n]) == 1 && claims[candidates[n][0]] == 1 {
			id := gone[candidates[n][0]][0].ID
			u.before.taken[id], same[a.ID], a.id = true, id, id
		}
	}
	return nil
}

// countBlocks counts the blocks of a text by what they say.
func countBlocks(t content.Text, counts map[string]int) {
	for _, b := range t.Blocks {
		if said := bytes.TrimSpace(t.Bytes(b)); len(said) > 0 {
			counts[string(said)]++
		}
	}
}

// alike reports whether two texts have enough blocks in common.
func alike(a, b map[string]int) bool {
	common, inA, inB := 0, 0, 0
	for said, n := range a {
		inA += n
		common += min(n, b[said])
	}
	for _, n := range b {
		inB += n
	}
	return common > 0 && 100*common >= minAlike*max(inA, inB)
}

// adoptFiles takes over files of no source that are what the source brings now: the name, the type and the bytes.
func (u *update) adoptFiles(same map[string]string) {
	if !u.body.Adopt {
		return
	}
	free := map[string]*revision.File{}
	for i := range u.before.others {
		free[u.before.others[i].Manifest] = &u.before.others[i]
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

// adoptPages takes over pages of no source that stand where the source has a page now, with the same text. Links between
// such pages are compared as if all of them were taken over.
func (u *update) adoptPages(ctx context.Context, same map[string]string) error {
	standing, ids := map[*arrival]*revision.Page{}, maps.Clone(same)
	for _, a := range u.pages {
		p, ok := u.draft.Start.ByPath(a.slugs())
		if ok && p.Origin == nil && a.id == a.ID && (p.Type == api.PageGroup) == a.Group {
			standing[a], ids[a.ID] = p, p.ID
		}
	}
	for _, a := range u.pages {
		p := standing[a]
		if p == nil {
			continue
		}
		t, err := u.draft.Text(ctx, p)
		if err != nil {
			return fmt.Errorf("page %s: %w", p.ID, err)
		}
		if bytes.Equal(t.Markdown, renamed(a.markdown, ids)) {
			a.adopted, u.adopted[p.ID] = p, true
			same[a.ID], a.id = p.ID, p.ID
		}
	}
	u.rename(same)
	for a := range standing {
		if a.adopted != nil {
			a.markdown = renamed(a.Markdown, ids)
		}
	}
	return nil
}

// slugs is the path of the page by what the source would call it and those above it.
func (a *arrival) slugs() string {
	if a.parent == nil {
		return a.Slug
	}
	return a.parent.slugs() + "/" + a.Slug
}

// Stable links to pages and files.
const (
	pageLink = "/pages/"
	fileLink = "/files/"
)

// linkPrefixes begin the links whose ids renamed replaces.
var linkPrefixes = [][]byte{[]byte(pageLink), []byte(fileLink)}

// renamed replaces ids in the links of a text, or the links, by what they lead to instead. Ids of an import are new, so
// that what looks like one is one.
func renamed(markdown []byte, same map[string]string) []byte {
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
			if strings.Contains(to, "/") { // a link of its own
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
