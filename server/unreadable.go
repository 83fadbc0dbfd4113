package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// unknownRevision is the answer to whoever names a revision that cannot be read: not found, unless it is one that the
// space has, or had.
func (s *Server) unknownRevision(ctx context.Context, c *rest.Call, space, id string, cause error) error {
	u, unreadable := objects.AsUnreadable(cause)
	switch {
	case errors.Is(cause, redis.ErrCorrupt) && !unreadable, errors.Is(cause, objects.ErrMissing) && !unreadable:
		return api.NotFound()
	case !unreadable || u.Lost != nil:
		return cause
	}
	head, err := s.readHead(ctx, c, place{space: space})
	if err != nil {
		return err
	}
	named := head.Revision == id
	err = s.line(ctx, s.store.Content(space), head.Revision, func(r made) (bool, error) {
		named = named || slices.Contains(r.Parents, id)
		return !named, nil
	})
	if _, unreadable := objects.AsUnreadable(err); named || unreadable {
		return cause
	}
	return cmp.Or(err, error(api.NotFound()))
}

// historical reads a revision, or what stands in its place where it was given up: enough to walk on, and nothing that
// could be shown as its content.
func (s *Server) historical(ctx context.Context, c *objects.Content, id string) (made, error) {
	r, err := s.revision(ctx, c, id)
	if !rest.IsLost(err) {
		return made{id: id, revision: r}, err
	}
	u, _ := objects.AsUnreadable(err)
	var note lostNote
	if json.Unmarshal(u.Lost.Note, &note) != nil || note.Revision == nil {
		return made{id: id}, err
	}
	return made{id: id, revision: *note.Revision, lost: true}, nil
}

// commentsNow reads the content that comments are shown with. Where it cannot be read they are shown without: what
// they are about is what they were made on, and where that is now is not known.
func (s *Server) commentsNow(ctx context.Context, space string, head store.Head) (commentsAt, error) {
	t, err := s.tree(ctx, s.store.Content(space), head.Pages)
	if _, unreadable := objects.AsUnreadable(err); unreadable {
		return commentsAt{head: head, tree: newTree(), unreadable: true}, nil
	}
	return commentsAt{head: head, tree: t}, err
}

// locate finds where the texts of comments are now. Of those whose texts cannot be read it is not known.
func (s *Server) locate(ctx context.Context, space string, now commentsAt, list []store.CommentPrivate) ([]content.Location, error) {
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

// spacesPage is a page of hits, by space. Spaces that cannot be read turn out here, at the latest: they are left out,
// and named.
type spacesPage struct {
	items   []api.SpaceHit
	count   int
	next    string
	without []string
}

func (s *Server) spacesPage(ctx context.Context, c *rest.Call, w rest.Pager, keys []string, found map[string]foundIn, query []search.QueryWord) (p spacesPage, err error) {
	for {
		page, next := w.Slice(keys, rest.OldestFirst)
		shown := make([]foundIn, len(page))
		for i, key := range page {
			shown[i] = found[key]
		}
		p.items, err = s.spaceHits(ctx, c, shown, query)
		p.count, p.next = len(keys), next
		u, unreadable := objects.AsUnreadable(err)
		if !unreadable {
			return p, err
		}
		rest := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return found[key].asked.space == u.Space })
		if len(rest) == len(keys) {
			return p, err
		}
		keys, p.without = rest, append(p.without, u.Space)
	}
}
