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

// SuggestionComment is an open comment with a suggestion and the current location of its text.
type SuggestionComment struct {
	store.CommentDocument
	Location content.Location
}

// ReadSuggestions reads comments with suggestions. wrong contains the reasons for those that cannot be applied, by
// index in ids; if there are any, no comments are returned.
func (s *Service) ReadSuggestions(ctx context.Context, c *rest.Call, target revision.Target, now Content,
	ids []string,
) (found []SuggestionComment, wrong map[int]string, err error) {
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.CommentKey(c.Org, id) })
	if err != nil {
		return nil, nil, err
	}
	found, wrong = make([]SuggestionComment, len(ids)), map[int]string{}
	private := make([]store.CommentPrivate, len(ids))
	for i, id := range ids {
		if r, ok := records[id]; ok {
			if err := found[i].Decode(r); err != nil {
				return nil, nil, err
			}
		}
		switch d := found[i]; {
		case d.Version == 0 || d.Private.Target != target.HeadID():
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
	places, err := s.locate(ctx, target.Space, now, private)
	for i, place := range places {
		found[i].Location = place
	}
	return found, nil, err
}

// MarkApplied resolves a comment whose suggestion was applied by a revision. It returns ErrHeadMoved if the comment
// has changed since it was read.
func MarkApplied(c *rest.Call, tx *store.Tx, read SuggestionComment, revision string) error {
	d, err := tx.Comment(c.Org, read.Fields.ID)
	if err != nil {
		return err
	}
	if d.Version != read.Version {
		return store.ErrHeadMoved
	}
	old := d.Fields.Status
	setResolved(&d, tx, c.Caller.User, true)
	d.Fields.Outcome, d.Fields.AppliedRevision = api.OutcomeApplied, revision
	_, err = tx.PutComment(c.Org, d, old)
	return err
}
