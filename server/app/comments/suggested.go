package comments

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Suggested is an open comment on a change request that suggests an edit, and where its text is now.
type Suggested struct {
	store.CommentDocument
	Place content.Location
}

// ReadSuggested reads comments that suggest edits. What is none here, or cannot be applied any more, is refused: wrong
// says why, by its place in ids.
func (s *Service) ReadSuggested(ctx context.Context, c *rest.Call, at revision.Target, now At, ids []string) (found []Suggested, wrong map[int]string, err error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.CommentKey(c.Org, id) })
	if err != nil {
		return nil, nil, err
	}
	found, wrong = make([]Suggested, len(ids)), map[int]string{}
	private := make([]store.CommentPrivate, len(ids))
	for i, id := range ids {
		if r, ok := records[id]; ok {
			if err := found[i].Decode(r); err != nil {
				return nil, nil, err
			}
		}
		switch d := found[i]; {
		case d.Version == 0 || d.Private.Target != at.HeadID():
			wrong[i] = "is not a comment of this change request"
		case d.Fields.Suggestion == nil:
			wrong[i] = "suggests nothing"
		case d.Fields.Outcome == api.OutcomeApplied:
			wrong[i] = "is applied already"
		case d.Fields.Status == api.CommentResolved:
			wrong[i] = "is resolved; it has to be opened again first"
		default:
			private[i] = d.Private
		}
	}
	if len(wrong) > 0 {
		return nil, wrong, nil
	}
	places, err := s.locate(ctx, at.Space, now, private)
	for i, place := range places {
		found[i].Place = place
	}
	return found, nil, err
}

// Apply resolves a comment whose suggestion a revision has applied. It has to be as it was read.
func Apply(c *rest.Call, tx *store.Tx, read Suggested, revision string) error {
	d, err := tx.Comment(c.Org, read.Fields.ID)
	if err != nil {
		return err
	}
	if d.Version != read.Version {
		return rest.ErrHeadMoved
	}
	was := d.Fields.Status
	settle(&d, tx, c.Caller.User, true)
	d.Fields.Outcome, d.Fields.AppliedRevision = api.OutcomeApplied, revision
	_, err = tx.PutComment(c.Org, d, was)
	return err
}
