package imports

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// importContent imports into a space that allows live edits.
func (s *Service) importContent(ctx context.Context, c *rest.Call, in api.ImportInput) (rest.Result[api.ImportResult], error) {
	if err := s.checkLiveEdit(ctx, c, in.Space); err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	given, err := newImport(c, in.Body)
	if err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	org := c.Org
	return s.runImport(ctx, c, revision.Target{Space: in.Space}, given, func(tx *store.Tx) error {
		space, err := tx.Space(org, in.Space)
		if err != nil || space.Version == 0 {
			return rest.NotFoundIfNil(err)
		}
		return checkUnlocked(space)
	})
}

// importChangeRequestContent imports into a change request.
func (s *Service) importChangeRequestContent(ctx context.Context, c *rest.Call,
	in api.ChangeRequestImportInput,
) (rest.Result[api.ImportResult], error) {
	if err := s.Reviews.CheckEditable(ctx, c, in.ChangeRequestRef); err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	given, err := newImport(c, in.Body)
	if err != nil {
		return rest.Result[api.ImportResult]{}, err
	}
	return s.runImport(ctx, c, revision.RequestTarget(in.ChangeRequestRef), given, func(tx *store.Tx) error {
		l, err := review.LoadEditable(c, tx, in.ChangeRequestRef)
		if err != nil {
			return err
		}
		return l.AddContributor(c, tx)
	})
}

// givenImport is the request for an import: from an address, or with the content.
type givenImport struct {
	api.Import

	content *importer.Content // in the place of the URL
}

// field returns the field of errors about the source: the address, or the body, which is the content.
func (g givenImport) field() string {
	if g.content != nil {
		return "body"
	}
	return "url"
}

// importSources are the sources of content by its media type.
var importSources = map[string]api.ImportSource{
	api.MediaZip: api.ImportZip, api.MediaMarkdown: api.ImportMarkdown, api.MediaHTML: api.ImportHTML,
}

// newImport returns the import that a call asks for. body is not set if the body of the request is the content.
func newImport(c *rest.Call, body api.Import) (givenImport, error) {
	if c.Upload == nil {
		return givenImport{Import: body}, nil
	}
	var parameters api.ImportUpload
	switch in := c.Upload.In.(type) {
	case api.ImportUploadInput:
		parameters = in.ImportUpload
	case api.ChangeRequestImportUploadInput:
		parameters = in.ImportUpload
	}
	source := importSources[c.Upload.Media]
	if source == api.ImportZip && parameters.Filename != "" {
		return givenImport{}, api.InvalidParam(api.FieldError{
			Path: "filename", Message: "is the name of a single document, not of an archive",
		})
	}
	return givenImport{
		Import:  parameters.Import(source),
		content: &importer.Content{Name: parameters.Filename, ContentType: c.Upload.ContentType, Data: c.Body},
	}, nil
}

// checkLiveEdit returns an error if the space is locked against live edits.
func (s *Service) checkLiveEdit(ctx context.Context, c *rest.Call, space string) error {
	b := s.Store.NewBatch()
	record := b.Record(store.SpaceKey(c.Org, space))
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read space: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return rest.NotFoundIfNil(err)
	}
	var d store.SpaceDocument
	if err := d.Decode(r); err != nil {
		return err
	}
	return checkUnlocked(d)
}

func checkUnlocked(d store.SpaceDocument) error {
	if d.Fields.EditMode == api.EditLive {
		return nil
	}
	return api.Errorf(http.StatusConflict, api.ReasonSpaceLocked, "The space is locked: it changes through change requests only.").
		WithHint("Import into a change request, or set editMode to live.")
}

// runImport fetches the source once and commits to the current head. If the head moves in the meantime, the fetched
// content is merged into the new one. allowed is called inside the transaction.
func (s *Service) runImport(ctx context.Context, c *rest.Call, target revision.Target, given givenImport, allowed func(
	*store.Tx,
) error,
) (none rest.Result[api.ImportResult], err error) {
	work, err := s.Slow.BeginLarge(ctx, budgets.ImportStart)
	if err != nil {
		return none, err
	}
	defer work.End()
	limited, stop := budgets.WithWorkTime(ctx, time.Duration(s.Budgets.ImportWork))
	defer stop()
	fetched, err := s.fetch(limited, work, given, func(context.Context) error { return nil })
	if err != nil {
		return none, s.workTimeError(limited, given, err)
	}
	return rest.RetryPlan(func() (rest.Result[api.ImportResult], error) {
		u, err := s.plan(limited, c, target, given, fetched, "")
		if err != nil {
			return none, s.workTimeError(limited, given, err)
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.ImportResult], error) {
			if err := allowed(tx); err != nil {
				return none, err
			}
			return s.commit(ctx, c, tx, target, u)
		})
	})
}

// fetch reads a source. It calls wanted before each further allocation and stops if that returns an error.
func (s *Service) fetch(ctx context.Context, work *budgets.Work, given givenImport, wanted func(
	context.Context,
) error,
) (importer.Result, error) {
	fetched, err := s.Importer.Import(ctx, importer.Request{
		URL: given.URL, Content: given.content, Source: string(given.Source), NewID: s.IDs.New,
		ReserveMemory: func(ctx context.Context, bytes int64) error {
			if err := wanted(ctx); err != nil {
				return err
			}
			return work.GrowTo(ctx, bytes*budgets.UnpackFactor)
		},
	})
	if wrong, ok := errors.AsType[*importer.Error](err); ok {
		return fetched, api.InvalidField(wrong.Field, "%s", s.fetchErrorMessage(wrong)).WithCause(err)
	}
	if err != nil {
		return fetched, fmt.Errorf("import: %w", err)
	}
	return fetched, nil
}

// workTimeError returns the error for an import that exceeds its time of work, or err for all others.
func (s *Service) workTimeError(limited context.Context, given givenImport, err error) error {
	if !errors.Is(context.Cause(limited), budgets.ErrWorkTime) {
		return err
	}
	return api.InvalidField(given.field(), "reading, converting and merging it takes longer than %s; import it in parts",
		time.Duration(s.Budgets.ImportWork)).WithCause(err)
}

// fetchErrorMessage returns the message of a failed fetch, with long addresses shortened.
func (s *Service) fetchErrorMessage(wrong *importer.Error) string {
	if failed, ok := errors.AsType[*fetch.Error](wrong.Err); ok {
		return strings.ReplaceAll(wrong.Message, failed.URL, api.Shorten(failed.URL, int(s.Budgets.QuotedChars)))
	}
	return wrong.Message
}

// commit creates the planned revision, unless it would change nothing.
func (s *Service) commit(ctx context.Context, c *rest.Call, tx *store.Tx, target revision.Target,
	u *update,
) (none rest.Result[api.ImportResult], err error) {
	from := u.draft.BaseHead
	if err := revision.CheckHead(tx, c.Org, target, from); err != nil {
		return none, err
	}
	answer, unchanged := u.result, u.draft.IsEmpty()
	answer.Revision = from.Revision
	if !unchanged {
		head, err := s.Revisions.CommitWorktree(ctx, c, tx, target, u.draft, revision.Revision{
			Type: api.RevisionEdits, Parents: []string{from.Revision},
		})
		if err != nil {
			return none, err
		}
		if !c.DryRun {
			answer.Revision = head.Revision
		}
	}
	r, err := rest.Value(answer)
	r = r.WithLocation(answer.Revision, s.View.TargetURL(target)+"/content")
	r.Unchanged = unchanged
	return r, err
}
