package review

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/server/text/diff"
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// showPatch answers the difference of two revisions as a patch that git applies in the folder of the earlier one, as content.export
// writes it.
func (s *Service) showPatch(ctx context.Context, of revision.DiffSpec, o api.DiffOptions) (none rest.Result[api.ContentDiff], _ error) {
	p := patcher{revisions: s.Revisions, options: o}
	if err := p.load(ctx, of); err != nil {
		return none, err
	}
	if err := p.findChanges(ctx); err != nil {
		return none, err
	}
	if err := p.readTexts(ctx); err != nil {
		return none, err
	}
	p.dropBlocked()
	permit, err := s.Slow.Begin(ctx, p.size*budgets.CompareFactor)
	if err != nil {
		return none, err
	}
	defer permit.End()
	return rest.Result[api.ContentDiff]{JSON: p.write(ctx), Media: api.MediaPatch}.WithVersion(of.Version), ctx.Err()
}

// folderItem is a file of the folder of a revision.
type folderItem struct {
	path  string
	ids   []string         // of the parts of a document, or of the reusable content or file
	pages []*revision.Page // nil for a file
	file  revision.File

	isReusable bool
}

// patchedFile is a file of the folder that differs between two revisions. A version that does not exist has no path.
type patchedFile struct {
	before, after folderItem
	isSummary     bool
	old, new      []byte
}

// patcher compares two revisions as folders.
type patcher struct {
	revisions     *revision.Revisions
	options       api.DiffOptions
	diff          *revision.Diff
	own           map[string]bool // ids of what the compared ranges change; nil if everything counts
	before, after revision.FolderContent
	moved         map[string]bool // ids whose path differs
	relinked      map[string]bool // ids of pages with a link to one of them

	changes []patchedFile
	files   []string // lines about files that are no texts
	blocked []string // paths of changes that were left out
	more    int      // number of further changes
	size    int      // of all texts, in bytes
}

func (p *patcher) load(ctx context.Context, of revision.DiffSpec) (err error) {
	if p.diff, err = p.revisions.Diff(ctx, of); err != nil {
		return err
	}
	if id := p.options.Page; id != "" && p.diff.BeforeTree.Page(id) == nil && p.diff.AfterTree.Page(id) == nil {
		return api.NotFound()
	}
	if p.before, err = p.revisions.FolderContent(ctx, p.diff.Content, p.diff.Before); err != nil {
		return err
	}
	if p.after, err = p.revisions.FolderContent(ctx, p.diff.Content, p.diff.After); err != nil {
		return err
	}
	if len(p.diff.ProposedPairs) == 0 {
		return nil
	}
	p.own = map[string]bool{}
	for _, root := range []func(revision.Revision) string{revision.PagesRoot, revision.ReusablesRoot, revision.FilesRoot} {
		found, err := p.diff.ChangedEntries(ctx, root)
		if err != nil {
			return err
		}
		for id := range found {
			p.own[id] = true
		}
	}
	return nil
}

// folderItems returns the files of a folder without SUMMARY.md: pages in reading order, reusable contents, files.
func folderItems(f revision.FolderContent) (items []folderItem) {
	for _, document := range f.Folder.Documents {
		item := folderItem{path: f.Folder.Paths[document[0].ID], pages: document}
		for _, part := range document {
			item.ids = append(item.ids, part.ID)
		}
		items = append(items, item)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Reusables)) {
		items = append(items, folderItem{
			path: f.Folder.Paths[id], ids: []string{id}, pages: []*revision.Page{f.Reusables[id]}, isReusable: true,
		})
	}
	for _, file := range f.Files {
		items = append(items, folderItem{path: f.Folder.Paths[file.ID], ids: []string{file.ID}, file: file})
	}
	return items
}

// sameBytes reports whether two versions of a file are stored with the same bytes.
func (i folderItem) sameBytes(other folderItem) bool {
	return i.file.Manifest == other.file.Manifest && slices.EqualFunc(i.pages, other.pages, func(a, b *revision.Page) bool {
		return a.Text == b.Text
	})
}

// text returns the text of a file as it is in a folder, nil for one that is no text.
func (i folderItem) text(f revision.Folder, texts map[string][]byte) []byte {
	if i.isReusable {
		return texts[i.pages[0].Text]
	}
	text, _ := f.Document(i.pages, texts)
	return text
}

// has reports whether a file is, or has a part, in ids.
func (i folderItem) has(ids map[string]bool) bool {
	return slices.ContainsFunc(i.ids, func(id string) bool { return ids[id] })
}

// findChanges finds the files that differ: deleted ones first, so that others can take their paths.
func (p *patcher) findChanges(ctx context.Context) error {
	pairs := pairItems(folderItems(p.before), folderItems(p.after))
	if err := p.findRelinked(ctx); err != nil {
		return err
	}
	for _, c := range pairs {
		isWanted := p.options.Page == "" || slices.Contains(c.before.ids, p.options.Page) || slices.Contains(c.after.ids, p.options.Page)
		same := c.before.sameBytes(c.after) && c.before.path != "" && c.after.path != ""
		switch {
		case !isWanted || same && c.before.path == c.after.path && !c.after.has(p.relinked):
		case !same && p.own != nil && !c.before.has(p.own) && !c.after.has(p.own):
		case c.before.pages == nil && c.after.pages == nil && !same:
			p.noteFile(c)
		default:
			p.changes = append(p.changes, c)
		}
	}
	slices.SortStableFunc(p.changes, func(a, b patchedFile) int {
		switch {
		case (a.after.path == "") == (b.after.path == ""):
			return 0
		case a.after.path == "":
			return -1
		}
		return 1
	})
	old, now := p.before.Summary, p.after.Summary
	if p.options.Page == "" && (old.Path != now.Path || !bytes.Equal(old.Text, now.Text)) {
		p.changes = append(p.changes, patchedFile{
			before: folderItem{path: old.Path}, after: folderItem{path: now.Path}, isSummary: true, old: old.Text, new: now.Text,
		})
	}
	return nil
}

// pairItems pairs the files of two folders: those with the same id, and of the others those with the same path. The result has the
// order of after.
func pairItems(before, after []folderItem) (pairs []patchedFile) {
	byID, byPath := map[string]int{}, map[string]int{}
	for i, item := range before {
		byPath[item.path] = i
		for _, id := range item.ids {
			byID[id] = i
		}
	}
	taken := map[int]bool{}
	partner := make([]int, len(after)) // index in before, counted from 1
	pair := func(find func(item folderItem) (int, bool)) {
		for i, item := range after {
			if at, ok := find(item); ok && partner[i] == 0 && !taken[at] {
				partner[i], taken[at] = at+1, true
			}
		}
	}
	find := func(item folderItem, fits func(other folderItem) bool) (int, bool) {
		for _, id := range item.ids {
			if at, ok := byID[id]; ok && !taken[at] && fits(before[at]) {
				return at, true
			}
		}
		return 0, false
	}
	pair(func(item folderItem) (int, bool) {
		return find(item, func(other folderItem) bool { return other.path == item.path })
	})
	pair(func(item folderItem) (int, bool) { return find(item, func(folderItem) bool { return true }) })
	pair(func(item folderItem) (int, bool) {
		at, ok := byPath[item.path]
		return at, ok && (before[at].pages == nil) == (item.pages == nil)
	})
	for i, item := range before {
		if !taken[i] {
			pairs = append(pairs, patchedFile{before: item})
		}
	}
	for i, item := range after {
		c := patchedFile{after: item}
		if partner[i] > 0 {
			c.before = before[partner[i]-1]
		}
		pairs = append(pairs, c)
	}
	return pairs
}

// findRelinked finds the pages whose links are written differently, because they name by id what has another path.
func (p *patcher) findRelinked(ctx context.Context) error {
	p.moved, p.relinked = map[string]bool{}, map[string]bool{}
	for _, paths := range []map[string]string{p.before.Folder.Paths, p.after.Folder.Paths} {
		for id := range paths {
			if p.before.Folder.Paths[id] != p.after.Folder.Paths[id] {
				p.moved[id] = true
			}
		}
	}
	if len(p.moved) == 0 {
		return nil
	}
	after := p.diff.After
	root, err := p.revisions.LinksRoot(ctx, p.diff.Content, store.Head{Pages: after.Pages, Links: after.Links})
	if err != nil {
		return err
	}
	links, err := revision.ReadLinks(ctx, p.diff.Content, root)
	if err != nil {
		return err
	}
	for id, l := range links {
		p.relinked[id] = slices.ContainsFunc(l.Uses, func(use revision.LinkUse) bool {
			target, _, ok := resolve.ParseID(use.To)
			return ok && p.moved[target]
		})
	}
	return nil
}

// noteFile adds a line about a file that is no text, whose bytes are not in the patch.
func (p *patcher) noteFile(c patchedFile) {
	change, name := "changed", c.after.path
	switch {
	case c.before.path == "":
		change = "added"
	case c.after.path == "":
		change, name = "deleted", c.before.path
	}
	p.files = append(p.files, fmt.Sprintf("%s is no text and was %s", name, change))
}

// readTexts reads texts in order until maxDiffBytes is exceeded, and keeps the changes whose texts were read.
func (p *patcher) readTexts(ctx context.Context) error {
	all := p.changes
	if p.options.Page == "" {
		p.changes = all[:min(p.options.Size(), len(all))]
	}
	for at := 0; at < len(p.changes); at += diffBatch {
		if p.size > maxDiffBytes {
			p.changes = p.changes[:at]
			break
		}
		if err := p.readBatch(ctx, p.changes[at:min(at+diffBatch, len(p.changes))]); err != nil {
			return err
		}
	}
	p.more = len(all) - len(p.changes)
	return nil
}

func (p *patcher) readBatch(ctx context.Context, batch []patchedFile) error {
	var hashes []string
	for _, c := range batch {
		for _, page := range slices.Concat(c.before.pages, c.after.pages) {
			if page.Text != "" {
				hashes = append(hashes, page.Text)
			}
		}
	}
	texts, err := p.diff.Content.Objects(ctx, hashes)
	if err != nil {
		return fmt.Errorf("texts of the patch: %w", err)
	}
	for i := range batch {
		c := &batch[i]
		if !c.isSummary {
			c.old, c.new = c.before.text(p.before.Folder, texts), c.after.text(p.after.Folder, texts)
		}
		p.size += len(c.old) + len(c.new)
	}
	return nil
}

// dropBlocked leaves out the changes that git would refuse because a file that the patch neither moves nor deletes is at their path.
func (p *patcher) dropBlocked() {
	occupied := map[string]bool{dialects.FoldPath(p.before.Summary.Path): true}
	for _, item := range folderItems(p.before) {
		occupied[dialects.FoldPath(item.path)] = true
	}
	for dropped := true; dropped; {
		left := map[string]bool{}
		for _, c := range p.changes {
			if c.before.path != c.after.path {
				left[dialects.FoldPath(c.before.path)] = true
			}
		}
		count := len(p.changes)
		p.changes = slices.DeleteFunc(p.changes, func(c patchedFile) bool {
			key := dialects.FoldPath(c.after.path)
			isBlocked := c.after.path != "" && c.before.path != c.after.path && occupied[key] && !left[key]
			if isBlocked {
				p.blocked = append(p.blocked, c.after.path)
			}
			return isBlocked
		})
		dropped = len(p.changes) < count
	}
}

// write writes the patch. Comments at its end, which patch programs ignore, name what is not in it.
func (p *patcher) write(ctx context.Context) []byte {
	out := bytes.NewBuffer([]byte{}) // an empty patch is an answer, too
	for _, c := range p.changes {
		out.WriteString(diff.Unified(ctx, c.before.path, c.after.path, c.old, c.new))
	}
	if p.more > 0 {
		fmt.Fprintf(out, "# %d more texts differ: ask for a higher limit, or for one page\n", p.more)
	}
	for _, name := range p.blocked {
		fmt.Fprintf(out, "# %s is left out: another file is at its path\n", oneLine(name))
	}
	shown := p.files[:min(p.options.Size(), len(p.files))]
	for _, line := range shown {
		fmt.Fprintf(out, "# %s\n", oneLine(line))
	}
	if n := len(p.files) - len(shown); n > 0 {
		fmt.Fprintf(out, "# %d more files that are no texts differ\n", n)
	}
	return out.Bytes()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
