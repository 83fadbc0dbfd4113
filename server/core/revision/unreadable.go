package revision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// lookupError returns the error for a revision that cannot be read: cause if the revision belongs to the history of
// the space, and not_found otherwise.
func (rs *Revisions) lookupError(ctx context.Context, org, space, id string, cause error) error {
	u, unreadable := objects.AsUnreadable(cause)
	switch {
	case errors.Is(cause, redis.ErrCorrupt) && !unreadable, errors.Is(cause, objects.ErrMissing) && !unreadable:
		return api.NotFound()
	case !unreadable || u.Lost != nil:
		return cause
	}
	head, err := rs.ReadHead(ctx, org, Target{Space: space})
	if err != nil {
		return err
	}
	named := head.Revision == id
	err = rs.VisitHistory(ctx, rs.store.Content(space), head.Revision, func(r HistoricalRevision) (bool, error) {
		named = named || slices.Contains(r.Parents, id)
		return !named, nil
	})
	if _, unreadable := objects.AsUnreadable(err); named || unreadable {
		return cause
	}
	return cmp.Or(err, error(api.NotFound()))
}

// ReadHistorical reads a revision, or its replacement if it was declared lost in a repair. A replacement is sufficient to
// continue with the parents but has no content.
func (rs *Revisions) ReadHistorical(ctx context.Context, c *objects.Content, id string) (HistoricalRevision, error) {
	r, err := rs.Revision(ctx, c, id)
	if !objects.IsLost(err) {
		return HistoricalRevision{ID: id, Revision: r}, err
	}
	u, _ := objects.AsUnreadable(err)
	var note LostNote
	if json.Unmarshal(u.Lost.Note, &note) != nil || note.Revision == nil {
		return HistoricalRevision{ID: id}, err
	}
	return HistoricalRevision{ID: id, Revision: *note.Revision, Lost: true}, nil
}
