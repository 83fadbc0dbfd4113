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
	"docspace.dev/wsd/store/cache"
	"docspace.dev/wsd/store/objects"
)

const (
	maxSearched      = 100     // pages that are searched for a text that left its own, those that changed last first
	maxSearchedBytes = 8 << 20 // of their texts: the page that goes beyond it is the last one
)

// NewPlaceCache returns a cache of the places of comments.
func NewPlaceCache(budget int64) *cache.Cache[content.Location] {
	const locationBytes = 192 // beside its texts
	return cache.New(budget, func(l content.Location) int { return locationBytes + len(l.Page) + len(l.Block) })
}

// At is the content that comments are shown with.
type At struct {
	Head       store.Head
	Tree       *revision.Tree
	unreadable bool // then there is no tree
}

// TextID names the text that was commented on together with its block table.
func textID(p *store.CommentedPage) string { return p.Text + revision.TextSeparator + p.Blocks }

func anchorOf(n *store.CommentedBlock) content.Anchor {
	return content.Anchor{Block: n.ID, Start: n.Start, Quote: n.Quote, Before: n.Before, After: n.After}
}

// locateAll finds where the texts of comments are now: their places are a function of what was commented on and of the
// texts, kept in memory by their hashes and never stored. Comments on pages or on the whole have none.
func (s *Service) locateAll(ctx context.Context, space string, now At, list []store.CommentPrivate) ([]content.Location, error) {
	f := &finder{service: s, content: s.Store.Content(space), now: now, texts: map[string]content.Text{}}
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
	defer f.end()
	rest, err := f.onTheirPages(ctx, list, found, rest)
	if err != nil || len(rest) == 0 {
		return found, err
	}
	return found, f.onOtherPages(ctx, list, found, rest)
}

// finder finds the places of comments in one content.
type finder struct {
	service *Service
	content *objects.Content
	now     At
	texts   map[string]content.Text // by TextID
	turn    *budgets.Work           // nil until a text is read
}

// hold waits until there is room for so many bytes of texts more.
func (f *finder) hold(ctx context.Context, bytes int) (err error) {
	if bytes *= budgets.LocatedFactor; f.turn != nil {
		return f.turn.Grow(ctx, bytes)
	}
	f.turn, err = f.service.Slow.Begin(ctx, bytes)
	return err
}

func (f *finder) end() {
	if f.turn != nil {
		f.turn.End()
	}
}

// read gets texts that are not at hand, in one trip.
func (f *finder) read(ctx context.Context, ids map[string]bool) error {
	var hashes []string
	for id := range ids {
		if _, have := f.texts[id]; have || id == "" {
			continue
		}
		text, blocks, _ := strings.Cut(id, revision.TextSeparator)
		if text != "" && blocks != "" {
			hashes = append(hashes, text, blocks)
		}
	}
	objects, err := f.content.Objects(ctx, hashes)
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
	if err := f.hold(ctx, size); err != nil {
		return err
	}
	for id := range ids {
		text, blocks, _ := strings.Cut(id, revision.TextSeparator)
		if objects[blocks] == nil {
			continue
		}
		if f.texts[id], err = revision.DecodeText(objects[text], objects[blocks]); err != nil {
			return err
		}
	}
	return nil
}

// textNow names a page's text as it is.
func (f *finder) textNow(page string) string {
	if p := f.now.Tree.Page(page); p != nil {
		return p.TextID()
	}
	return ""
}

// onTheirPages looks at the page that each comment was made on. It returns those that may be elsewhere.
func (f *finder) onTheirPages(ctx context.Context, list []store.CommentPrivate, found []content.Location, rest []int) (unsettled []int, err error) {
	wanted := map[string]bool{}
	var unknown []int
	for _, i := range rest {
		p, ok := list[i], false
		if found[i], ok = f.service.Places.Get(f.inText(p)); !ok {
			unknown = append(unknown, i)
			wanted[textID(p.Page)], wanted[f.textNow(p.Page.ID)] = true, true
		}
	}
	if err := f.read(ctx, wanted); err != nil {
		return nil, err
	}
	pages := map[string]*content.Versions{}
	for _, i := range unknown {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := list[i]
		found[i] = anchorOf(p.Node).Locate(f.own(pages, p))
		f.service.Places.Put(f.inText(p), found[i])
	}
	return slices.DeleteFunc(rest, func(i int) bool { return found[i].Settled() }), nil
}

// key names the place of a comment in a later text, or in a later tree, given by their hashes.
func (f *finder) key(p store.CommentPrivate, later ...string) cache.Key {
	n := p.Node
	return cache.KeyOf(f.content, append(later, p.Page.Text, p.Page.Blocks), p.Page.ID, n.ID, strconv.Itoa(n.Start), strconv.Itoa(len(n.Quote)))
}

// inText and inTree name the place of a comment in its page as it is, and anywhere in the tree as it is.
func (f *finder) inText(p store.CommentPrivate) cache.Key {
	return f.key(p, strings.Split(f.textNow(p.Page.ID), revision.TextSeparator)...)
}

func (f *finder) inTree(p store.CommentPrivate) cache.Key {
	return f.key(p, revision.HashOf(p.Revision), f.now.Head.Pages)
}

// own are the versions of the page that a comment was made on.
func (f *finder) own(pages map[string]*content.Versions, p store.CommentPrivate) *content.Versions {
	key := p.Page.ID + " " + textID(p.Page)
	if pages[key] == nil {
		pages[key] = &content.Versions{Page: p.Page.ID, Then: f.texts[textID(p.Page)], Now: f.texts[f.textNow(p.Page.ID)]}
	}
	return pages[key]
}

// onOtherPages looks for what left its page on those that changed since, comment after comment of one revision.
func (f *finder) onOtherPages(ctx context.Context, list []store.CommentPrivate, found []content.Location, rest []int) error {
	byRevision := map[string][]int{}
	for _, i := range rest {
		key := f.inTree(list[i])
		if known, ok := f.service.Places.Get(key); ok {
			found[i] = known
			continue
		}
		byRevision[list[i].Revision] = append(byRevision[list[i].Revision], i)
	}
	for _, commented := range slices.Sorted(maps.Keys(byRevision)) {
		changed, err := f.changedSince(ctx, commented)
		if err != nil {
			return err
		}
		wanted := map[string]bool{}
		for _, i := range byRevision[commented] {
			wanted[textID(list[i].Page)], wanted[f.textNow(list[i].Page.ID)] = true, true
		}
		if err := f.read(ctx, wanted); err != nil {
			return err
		}
		if changed, err = f.readChanged(ctx, changed); err != nil {
			return err
		}
		if err := f.amongChanged(ctx, list, found, byRevision[commented], changed); err != nil {
			return err
		}
	}
	return nil
}

// readChanged reads the texts of pages, some in one trip, as long as they are not too much.
func (f *finder) readChanged(ctx context.Context, changed []changedPage) ([]changedPage, error) {
	const atOnce = 25
	size, read := 0, 0
	for chunk := range slices.Chunk(changed, atOnce) {
		wanted := map[string]bool{}
		for _, p := range chunk {
			wanted[p.then], wanted[p.now] = true, true
		}
		if err := f.read(ctx, wanted); err != nil {
			return nil, err
		}
		for _, p := range chunk {
			size += len(f.texts[p.then].Markdown) + len(f.texts[p.now].Markdown)
			if read++; size > maxSearchedBytes {
				return changed[:read], nil
			}
		}
	}
	return changed, nil
}

func (f *finder) amongChanged(ctx context.Context, list []store.CommentPrivate, found []content.Location, rest []int, changed []changedPage) error {
	others, pages := make([]*content.Versions, len(changed)), map[string]*content.Versions{}
	for k, p := range changed {
		others[k] = &content.Versions{Page: p.id, Then: f.texts[p.then], Now: f.texts[p.now]}
	}
	for _, i := range rest {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := list[i]
		beside := slices.DeleteFunc(slices.Clone(others), func(v *content.Versions) bool { return v.Page == p.Page.ID })
		found[i] = anchorOf(p.Node).Elsewhere(found[i], f.own(pages, p), beside)
		f.service.Places.Put(f.inTree(p), found[i])
	}
	return nil
}

// changedPage is a page whose text is another since a revision.
type changedPage struct {
	id, then, now string
	at            api.Time
}

// changedSince lists the pages whose text is another than in a revision, those that changed last first.
func (f *finder) changedSince(ctx context.Context, commented string) ([]changedPage, error) {
	r, err := f.service.Revisions.Revision(ctx, f.content, commented)
	if err != nil {
		return nil, fmt.Errorf("revision that was commented on: %w", err)
	}
	diff, err := f.content.Diff(ctx, r.Pages, f.now.Head.Pages)
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
		p := changedPage{id: id, now: now.TextID(), at: now.UpdatedAt}
		if change.Before != nil {
			then, err := revision.DecodePage(id, *change.Before)
			if err != nil {
				return nil, err
			}
			p.then = then.TextID()
		}
		if p.now != "" && p.then != p.now {
			changed = append(changed, p)
		}
	}
	slices.SortFunc(changed, func(a, b changedPage) int { return cmp.Or(b.at.Compare(a.at.Time), cmp.Compare(a.id, b.id)) })
	return changed[:min(len(changed), maxSearched)], nil
}

// Now reads the content that comments are shown with. Where it cannot be read they are shown without: what
// they are about is what they were made on, and where that is now is not known.
func (s *Service) Now(ctx context.Context, space string, head store.Head) (At, error) {
	t, err := s.Revisions.Tree(ctx, s.Store.Content(space), head.Pages)
	if _, unreadable := objects.AsUnreadable(err); unreadable {
		return At{Head: head, Tree: revision.NewTree(), unreadable: true}, nil
	}
	return At{Head: head, Tree: t}, err
}

// locate finds where the texts of comments are now. Of those whose texts cannot be read it is not known.
func (s *Service) locate(ctx context.Context, space string, now At, list []store.CommentPrivate) ([]content.Location, error) {
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
