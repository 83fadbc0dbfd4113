package imports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// importContent imports into a space that may be edited live.
func (s *Service) importContent(ctx context.Context, c *rest.Call, in api.ImportInput) (rest.Result[api.ImportResult], error) {
	if err := s.liveEditable(ctx, c, in.Space); err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	org := c.Org
	return s.runImport(ctx, c, revision.Target{Space: in.Space}, in.Body, func(tx *store.Tx) error {
		space, err := tx.Space(org, in.Space)
		if err != nil || space.Version == 0 {
			return rest.Missing(err)
		}
		return unlocked(space)
	})
}

// importChangeRequestContent imports into a change request.
func (s *Service) importChangeRequestContent(ctx context.Context, c *rest.Call, in api.ChangeRequestImportInput) (rest.Result[api.ImportResult], error) {
	if err := s.Reviews.StillEditable(ctx, c, in.ChangeRequestRef); err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	return s.runImport(ctx, c, revision.TargetOf(in.ChangeRequestRef), in.Body, func(tx *store.Tx) error {
		l, err := review.Editable(c, tx, in.ChangeRequestRef)
		if err != nil {
			return err
		}
		return l.Contribute(c, tx)
	})
}

// liveEditable refuses live writes to a locked space.
func (s *Service) liveEditable(ctx context.Context, c *rest.Call, space string) error {
	b := s.Store.Pipeline()
	record := b.Record(store.SpaceKey(c.Org, space))
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read space: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return rest.Missing(err)
	}
	var d store.SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	return unlocked(d)
}

func unlocked(d store.SpaceDocument) error {
	if d.Fields.EditMode == api.EditLive {
		return nil
	}
	return api.Errorf(http.StatusConflict, api.ReasonSpaceLocked, "The space is locked: it changes through change requests only.").
		WithHint("Import into a change request, or set editMode to live.")
}

// runImport fetches once and commits on the head of the moment: when somebody else moves it meanwhile, what was
// fetched is put on top of the new one. allowed is asked inside the transaction.
func (s *Service) runImport(ctx context.Context, c *rest.Call, at revision.Target, body api.Import, allowed func(*store.Tx) error) (none rest.Result[api.ImportResult], err error) {
	turn, err := s.Slow.BeginLarge(ctx, budgets.ImportStart)
	if err != nil {
		return none, err
	}
	defer turn.End()
	fetched, err := s.fetch(ctx, turn, body, func(context.Context) error { return nil })
	if err != nil {
		return none, err
	}
	return rest.Replanned(func() (rest.Result[api.ImportResult], error) {
		u, err := s.plan(ctx, c, at, body, fetched, "")
		if err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.ImportResult], error) {
			if err := allowed(tx); err != nil {
				return none, err
			}
			return s.commit(ctx, c, tx, at, u)
		})
	})
}

// fetch reads a source. It asks before it holds more whether that is still wanted.
func (s *Service) fetch(ctx context.Context, turn *budgets.Work, body api.Import, wanted func(context.Context) error) (importer.Result, error) {
	fetched, err := s.Importer.Import(ctx, importer.Request{
		URL: body.URL, Source: string(body.Source), NewID: s.IDs.New,
		Hold: func(ctx context.Context, bytes int64) error {
			if err := wanted(ctx); err != nil {
				return err
			}
			return turn.UpTo(ctx, bytes*budgets.UnpackedFactor)
		},
	})
	if wrong, ok := errors.AsType[*importer.Error](err); ok {
		return fetched, api.InvalidField(wrong.Field, "%s", s.unfetched(wrong)).WithCause(err)
	}
	if err != nil {
		return fetched, fmt.Errorf("import: %w", err)
	}
	return fetched, nil
}

// unfetched is what was wrong with an import; of a long address it says the beginning.
func (s *Service) unfetched(wrong *importer.Error) string {
	if failed, ok := errors.AsType[*fetch.Error](wrong.Err); ok {
		return strings.ReplaceAll(wrong.Message, failed.URL, api.Shorten(failed.URL, int(s.Budgets.Echo)))
	}
	return wrong.Message
}

// commit makes the next revision of what was planned. Where nothing changes, there is none.
func (s *Service) commit(ctx context.Context, c *rest.Call, tx *store.Tx, at revision.Target, u *update) (none rest.Result[api.ImportResult], err error) {
	from := u.draft.From
	if err := revision.AtHead(tx, c.Org, at, from); err != nil {
		return none, err
	}
	answer, unchanged := u.answer, u.draft.IsEmpty()
	answer.Revision = from.Revision
	if !unchanged {
		head, err := s.Revisions.CommitWorktree(ctx, c, tx, at, u.draft, revision.Revision{Type: api.RevisionEdits, Parents: []string{from.Revision}})
		if err != nil {
			return none, err
		}
		if !c.DryRun {
			answer.Revision = head.Revision
		}
	}
	r, err := rest.Value(answer)
	r = r.Created(answer.Revision, s.View.PlaceURL(at)+"/content")
	r.Unchanged = unchanged
	return r, err
}
