package revision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// unknownRevision is the answer to whoever names a revision that cannot be read: not found, unless it is one that the
// space has, or had.
func (s *Revisions) unknownRevision(ctx context.Context, c *rest.Call, space, id string, cause error) error {
	u, unreadable := objects.AsUnreadable(cause)
	switch {
	case errors.Is(cause, redis.ErrCorrupt) && !unreadable, errors.Is(cause, objects.ErrMissing) && !unreadable:
		return api.NotFound()
	case !unreadable || u.Lost != nil:
		return cause
	}
	head, err := s.ReadHead(ctx, c, Target{Space: space})
	if err != nil {
		return err
	}
	named := head.Revision == id
	err = s.Walk(ctx, s.store.Content(space), head.Revision, func(r Numbered) (bool, error) {
		named = named || slices.Contains(r.Parents, id)
		return !named, nil
	})
	if _, unreadable := objects.AsUnreadable(err); named || unreadable {
		return cause
	}
	return cmp.Or(err, error(api.NotFound()))
}

// Historical reads a revision, or what stands in its place where it was given up: enough to walk on, and nothing that
// could be shown as its content.
func (s *Revisions) Historical(ctx context.Context, c *objects.Content, id string) (Numbered, error) {
	r, err := s.Revision(ctx, c, id)
	if !rest.IsLost(err) {
		return Numbered{ID: id, Revision: r}, err
	}
	u, _ := objects.AsUnreadable(err)
	var note LostNote
	if json.Unmarshal(u.Lost.Note, &note) != nil || note.Revision == nil {
		return Numbered{ID: id}, err
	}
	return Numbered{ID: id, Revision: *note.Revision, Lost: true}, nil
}
