package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// What cannot be read is refused in one way, wherever it is met, and stops nothing beside it: see contentUnreadable.

// unreadableHeader names the spaces that an answer goes on without.
const unreadableHeader = "X-Unreadable-Spaces"

// maxUnreadableNamed bounds how many of them it names.
const maxUnreadableNamed = 20

// contentUnreadable is the answer to whoever needs what cannot be read. It is 500 and not 503: a 503 is there to be
// tried again, and this stays as it is until somebody mends it. What was given up in a repair is gone for good: 410.
func contentUnreadable(u *objects.Unreadable) *api.Error {
	if u.Lost != nil {
		return api.Errorf(http.StatusGone, api.ReasonContentLost, "This part of the history of space %s was lost, and given up in a repair.", u.Space).
			WithHint("Later revisions are complete; GET .../revisions lists what there is.").WithCause(u)
	}
	return api.Errorf(http.StatusInternalServerError, api.ReasonContentUnreadable, "The content of space %s cannot be read: a part of it is missing or damaged.", u.Space).
		WithHint("Trying again does not help: an operator mends it with wsd fsck --repair, which says what was lost.").WithCause(u)
}

// isLost reports whether an error is about what was given up in a repair.
func isLost(err error) bool {
	u, unreadable := objects.AsUnreadable(err)
	return unreadable && u.Lost != nil
}

// unreadableOf is contentUnreadable for a request, which may be about a change request of the space.
func (c *call) unreadableOf(e api.Error) api.Error {
	if request := c.path("changeRequest"); request != "" && e.Reason == api.ReasonContentUnreadable {
		e.Message = strings.Replace(e.Message, "The content of space", "The content of change request "+request+" of space", 1)
	}
	return e
}

// unknownRevision is the answer to whoever names a revision that cannot be read: not found, unless it is one that the
// space has, or had.
func (s *Server) unknownRevision(ctx context.Context, c *call, space, id string, cause error) error {
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
	if !isLost(err) {
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

// goOnWithout notes the spaces that an answer does not speak of because they cannot be read.
func (r Result[T]) goOnWithout(spaces []string) Result[T] {
	slices.Sort(spaces)
	r.without = slices.Compact(spaces)
	return r
}

// withoutHeader says which spaces an answer goes on without.
func withoutHeader(spaces []string) string {
	text := strings.Join(spaces[:min(len(spaces), maxUnreadableNamed)], ", ")
	if more := len(spaces) - maxUnreadableNamed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// spacesPage is a page of hits, by space. Spaces that cannot be read turn out here, at the latest: they are left out,
// and named.
type spacesPage struct {
	items   []api.SpaceHit
	count   int
	next    string
	without []string
}

func (s *Server) spacesPage(ctx context.Context, c *call, w window, keys []string, found map[string]foundIn, query []search.QueryWord) (p spacesPage, err error) {
	for {
		page, next := w.of(keys, oldestFirst)
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
