package comments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

const (
	maxSearchedPages = 100     // number of pages searched for a text that left its page, most recently changed first
	maxSearchedBytes = 8 << 20 // total size of their texts; the page that exceeds it is the last one searched
)

// NewLocationCache returns a cache of the locations of comments, limited to budget bytes.
func NewLocationCache(budget int64) *objects.DerivedCache[content.Location] {
	const locationBytes = 192 // without strings
	return objects.NewDerivedCache(budget, func(l content.Location) int { return locationBytes + len(l.Page) + len(l.Block) })
}

// Content holds the head and the page tree in which comments are located.
type Content struct {
	Head       store.Head
	Tree       *revision.Tree
	unreadable bool // the tree could not be read
}

// textID returns an id of the text that was commented on, including its block table.
func textID(p *store.CommentedPage) string { return p.Text + revision.TextSeparator + p.Blocks }

func toAnchor(n *store.CommentedBlock) content.Anchor {
	return content.Anchor{Block: n.ID, Start: n.Start, Quote: n.Quote, Before: n.Before, After: n.After}
}

// locateAll returns the current locations of the texts of comments. A location depends only on the text that was
// commented on and on the current texts; it is cached by their hashes and never stored. Comments on a page or on the
// whole content have no location.
func (s *Service) locateAll(ctx context.Context, space string, now Content, list []store.CommentPrivate) ([]content.Location, error) {
	l := &locator{service: s, content: s.Store.Content(space), current: now, texts: map[string]content.Text{}}
	found := make([]content.Location, len(list))
	var rest []int
	for i, p := range list {
		if p.Node == nil {
			continue
		}
		page := now.Tree.Page(p.Page.ID)
		if page != nil && page.TextID() == textID(p.Page) {
			found[i] = content.Location{
				State: content.Exact, Score: 100, Page: page.ID, Block: p.Node.ID, Start: p.Node.At, End: p.Node.At + len(p.Node.Quote),
			}
			continue
		}
		rest = append(rest, i)
	}
	defer l.release()
	rest, err := l.locateOnOwnPages(ctx, list, found, rest)
	if err != nil || len(rest) == 0 {
		return found, err
	}
	return found, l.locateOnOtherPages(ctx, list, found, rest)
}

// locator locates comments in one content.
type locator struct {
	service *Service
	content *objects.Content
	current Content
	texts   map[string]content.Text // by TextID
	permit  *budgets.Work           // nil until a text is read
}

// reserve waits for a permit to hold the given number of bytes of texts.
func (l *locator) reserve(ctx context.Context, bytes int) (err error) {
	if bytes *= budgets.LocateFactor; l.permit != nil {
		return l.permit.Grow(ctx, bytes)
	}
	l.permit, err = l.service.Slow.Begin(ctx, bytes)
	return err
}

func (l *locator) release() {
	if l.permit != nil {
		l.permit.End()
	}
}

// readTexts reads the texts that are not loaded yet in one round trip.
func (l *locator) readTexts(ctx context.Context, ids map[string]bool) error {
	var hashes []string
	for id := range ids {
		if _, have := l.texts[id]; have || id == "" {
			continue
		}
		text, blocks, _ := strings.Cut(id, revision.TextSeparator)
		if text != "" && blocks != "" {
			hashes = append(hashes, text, blocks)
		}
	}
	objects, err := l.content.Objects(ctx, hashes)
	if err != nil {
		return fmt.Errorf("texts that were commented on: %w", err)
	}
	if len(objects) == 0 {
		return nil
	}
	size := 0
	for _, data := range objects {
		size += len(data)
	}
	if err := l.reserve(ctx, size); err != nil {
		return err
	}
	for id := range ids {
		text, blocks, _ := strings.Cut(id, revision.TextSeparator)
		if objects[blocks] == nil {
			continue
		}
		if l.texts[id], err = revision.DecodeText(objects[text], objects[blocks]); err != nil {
			return err
		}
	}
	return nil
}

// currentTextID returns the id of the current text of a page.
func (l *locator) currentTextID(page string) string {
	if p := l.current.Tree.Page(page); p != nil {
		return p.TextID()
	}
	return ""
}

// locateOnOwnPages locates comments on the pages that they were made on. It returns the indexes of those that may be
// on another page.
func (l *locator) locateOnOwnPages(ctx context.Context, list []store.CommentPrivate, found []content.Location, rest []int) (unsettled []int,
	err error,
) {
	wanted := map[string]bool{}
	var unknown []int
	for _, i := range rest {
		p, ok := list[i], false
		if found[i], ok = l.service.Locations.Get(l.textKey(p)); !ok {
			unknown = append(unknown, i)
			wanted[textID(p.Page)], wanted[l.currentTextID(p.Page.ID)] = true, true
		}
	}
	if err := l.readTexts(ctx, wanted); err != nil {
		return nil, err
	}
	pages := map[string]*content.Versions{}
	for _, i := range unknown {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := list[i]
		found[i] = toAnchor(p.Node).Locate(l.ownVersions(pages, p))
		l.service.Locations.Put(l.textKey(p), found[i])
	}
	return slices.DeleteFunc(rest, func(i int) bool { return found[i].Conclusive() }), nil
}

// cacheKey returns the cache key of a comment in a later text or tree, given by hashes.
func (l *locator) cacheKey(p store.CommentPrivate, later ...string) objects.DerivedKey {
	n := p.Node
	return objects.KeyOf(l.content, append(later, p.Page.Text, p.Page.Blocks), p.Page.ID, n.ID, strconv.Itoa(n.Start),
		strconv.Itoa(len(n.Quote)))
}

// textKey and treeKey return the cache keys of a comment in the current text of its page and in the current tree.
func (l *locator) textKey(p store.CommentPrivate) objects.DerivedKey {
	return l.cacheKey(p, strings.Split(l.currentTextID(p.Page.ID), revision.TextSeparator)...)
}

func (l *locator) treeKey(p store.CommentPrivate) objects.DerivedKey {
	return l.cacheKey(p, revision.ObjectHash(p.Revision), l.current.Head.Pages)
}

// ownVersions returns the commented and the current text of the page that a comment was made on.
func (l *locator) ownVersions(pages map[string]*content.Versions, p store.CommentPrivate) *content.Versions {
	key := p.Page.ID + " " + textID(p.Page)
	if pages[key] == nil {
		pages[key] = &content.Versions{Page: p.Page.ID, Then: l.texts[textID(p.Page)], Now: l.texts[l.currentTextID(p.Page.ID)]}
	}
	return pages[key]
}

// locateOnOtherPages searches the pages that changed since a comment was made, grouped by revision.
func (l *locator) locateOnOtherPages(ctx context.Context, list []store.CommentPrivate, found []content.Location, rest []int) error {
	byRevision := map[string][]int{}
	for _, i := range rest {
		key := l.treeKey(list[i])
		if known, ok := l.service.Locations.Get(key); ok {
			found[i] = known
			continue
		}
		byRevision[list[i].Revision] = append(byRevision[list[i].Revision], i)
	}
	for _, commented := range slices.Sorted(maps.Keys(byRevision)) {
		changed, err := l.changedPages(ctx, commented)
		if err != nil {
			return err
		}
		wanted := map[string]bool{}
		for _, i := range byRevision[commented] {
			wanted[textID(list[i].Page)], wanted[l.currentTextID(list[i].Page.ID)] = true, true
		}
		if err := l.readTexts(ctx, wanted); err != nil {
			return err
		}
		if changed, err = l.readChangedPages(ctx, changed); err != nil {
			return err
		}
		if err := l.locateOnPages(ctx, list, found, byRevision[commented], changed); err != nil {
			return err
		}
	}
	return nil
}

// readChangedPages reads the texts of pages in batches until maxSearchedBytes is exceeded, and returns the pages that were
// read.
func (l *locator) readChangedPages(ctx context.Context, changed []changedPage) ([]changedPage, error) {
	const atOnce = 25
	size, read := 0, 0
	for chunk := range slices.Chunk(changed, atOnce) {
		wanted := map[string]bool{}
		for _, p := range chunk {
			wanted[p.oldText], wanted[p.newText] = true, true
		}
		if err := l.readTexts(ctx, wanted); err != nil {
			return nil, err
		}
		for _, p := range chunk {
			size += len(l.texts[p.oldText].Markdown) + len(l.texts[p.newText].Markdown)
			if read++; size > maxSearchedBytes {
				return changed[:read], nil
			}
		}
	}
	return changed, nil
}

func (l *locator) locateOnPages(ctx context.Context, list []store.CommentPrivate, found []content.Location, rest []int,
	changed []changedPage,
) error {
	others, pages := make([]*content.Versions, len(changed)), map[string]*content.Versions{}
	for k, p := range changed {
		others[k] = &content.Versions{Page: p.id, Then: l.texts[p.oldText], Now: l.texts[p.newText]}
	}
	for _, i := range rest {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := list[i]
		candidates := slices.DeleteFunc(slices.Clone(others), func(v *content.Versions) bool { return v.Page == p.Page.ID })
		found[i] = toAnchor(p.Node).LocateElsewhere(found[i], l.ownVersions(pages, p), candidates)
		l.service.Locations.Put(l.treeKey(p), found[i])
	}
	return nil
}

// changedPage is a page whose text has changed since a revision.
type changedPage struct {
	id, oldText, newText string
	updatedAt            api.Time
}

// changedPages lists the pages whose text differs from the given revision, most recently changed first.
func (l *locator) changedPages(ctx context.Context, commented string) ([]changedPage, error) {
	r, err := l.service.Revisions.Revision(ctx, l.content, commented)
	if err != nil {
		return nil, fmt.Errorf("revision that was commented on: %w", err)
	}
	diff, err := l.content.Diff(ctx, r.Pages, l.current.Head.Pages)
	if err != nil {
		return nil, fmt.Errorf("changes since a comment: %w", err)
	}
	var changed []changedPage
	for id, change := range diff {
		if change.After == nil {
			continue
		}
		now, err := revision.DecodePage(id, *change.After)
		if err != nil {
			return nil, err
		}
		p := changedPage{id: id, newText: now.TextID(), updatedAt: now.UpdatedAt}
		if change.Before != nil {
			earlier, err := revision.DecodePage(id, *change.Before)
			if err != nil {
				return nil, err
			}
			p.oldText = earlier.TextID()
		}
		if p.newText != "" && p.oldText != p.newText {
			changed = append(changed, p)
		}
	}
	slices.SortFunc(changed, func(a, b changedPage) int {
		return cmp.Or(b.updatedAt.Compare(a.updatedAt.Time), cmp.Compare(a.id, b.id))
	})
	return changed[:min(len(changed), maxSearchedPages)], nil
}

// ReadContent reads the content that comments are located in. If it cannot be read, comments are returned without a
// location.
func (s *Service) ReadContent(ctx context.Context, space string, head store.Head) (Content, error) {
	t, err := s.Revisions.Tree(ctx, s.Store.Content(space), head.Pages)
	if _, unreadable := objects.AsUnreadable(err); unreadable {
		return Content{Head: head, Tree: revision.NewTree(), unreadable: true}, nil
	}
	return Content{Head: head, Tree: t}, err
}

// locate returns the current locations of the texts of comments. A location is empty if the texts cannot be read.
func (s *Service) locate(ctx context.Context, space string, now Content, list []store.CommentPrivate) ([]content.Location, error) {
	if now.unreadable {
		return make([]content.Location, len(list)), nil
	}
	found, err := s.locateAll(ctx, space, now, list)
	if _, unreadable := objects.AsUnreadable(err); !unreadable {
		return found, err
	}
	found = make([]content.Location, len(list))
	for i, p := range list {
		one, err := s.locateAll(ctx, space, now, []store.CommentPrivate{p})
		if _, unreadable := objects.AsUnreadable(err); unreadable {
			continue
		}
		if err != nil {
			return nil, err
		}
		found[i] = one[0]
	}
	return found, nil
}
