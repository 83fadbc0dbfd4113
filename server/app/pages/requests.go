package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// Fetcher downloads URLs; *fetch.Client implements it. It connects to public addresses only.
type Fetcher interface {
	// GetUpTo downloads at most maxBytes bytes.
	GetUpTo(ctx context.Context, url string, maxBytes int64) (*fetch.Response, error)
}

// editContent applies content operations as one revision. Files given by URL are fetched once, beforehand. If the
// head moves in the meantime, the operations are applied to the new head.
func (s *Service) editContent(ctx context.Context, c *rest.Call, in api.EditContentInput) (none rest.Result[api.ContentResult], err error) {
	if err := s.Reviews.CheckEditable(ctx, c, in.ChangeRequestRef); err != nil {
		return none, err
	}
	if err := s.checkTextSize(in.Body.Changes); err != nil {
		return none, err
	}
	work, err := s.Slow.Begin(ctx, len(c.Body)*budgets.EditFactor)
	if err != nil {
		return none, err
	}
	defer work.End()
	e := newEditor(s, in)
	if err := e.fetchFiles(ctx, work); err != nil {
		return none, err
	}
	return rest.RetryPlan(func() (rest.Result[api.ContentResult], error) {
		if err := e.build(ctx, c); err != nil {
			return none, err
		}
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.ContentResult], error) {
			return s.applyEdit(ctx, c, tx, in, e)
		})
	})
}

// checkTextSize returns an error if the texts and documents of all changes together exceed the budget, or all Markdown
// together the marks of a page: all of it is parsed, and a request may have 50 texts.
func (s *Service) checkTextSize(changes []api.ContentChange) error {
	size, marks := int64(0), 0
	for i, change := range changes {
		if change.Document == nil {
			continue
		}
		markdown, _ := change.Document.Markdown.Get()
		size += int64(len(markdown) + len(change.Document.Document))
		marks += content.Marks([]byte(markdown))
		switch path := fmt.Sprintf("changes[%d].document", i); {
		case size > s.Budgets.EditText:
			return api.InvalidField(path, "makes more than %d bytes of text, the maximum of one request", s.Budgets.EditText).
				WithHint(largeEditHint)
		case marks > content.MaxMarks:
			return api.InvalidField(path, "makes more than %d line breaks and characters of markup, the maximum of one request",
				content.MaxMarks).WithHint(largeEditHint)
		}
	}
	return nil
}

const largeEditHint = "Send it in several requests, or import it."

func (s *Service) applyEdit(ctx context.Context, c *rest.Call, tx *store.Tx, in api.EditContentInput,
	e *contentEditor,
) (none rest.Result[api.ContentResult], err error) {
	l, err := review.LoadEditable(c, tx, in.ChangeRequestRef)
	if err != nil {
		return none, err
	}
	target := revision.RequestTarget(in.ChangeRequestRef)
	if err := revision.CheckHead(tx, c.Org, target, e.draft.BaseHead); err != nil {
		return none, err
	}
	unchanged := e.draft.IsEmpty()
	if !unchanged {
		if err := l.AddContributor(c, tx); err != nil {
			return none, err
		}
		l.State.Head, err = s.Revisions.CommitWorktree(ctx, c, tx, target, e.draft, revision.Revision{
			Type: api.RevisionEdits, Parents: []string{e.draft.BaseHead.Revision}, Source: in.Body.Source,
		})
		if err != nil {
			return none, err
		}
	}
	record, _, err := tx.Record(store.ChangeRequestKey(c.Org, l.Key))
	if err != nil {
		return none, err
	}
	request, err := s.Reviews.Result(c, record, l.ChangeRequestDocument, l.State)
	if err != nil {
		return none, err
	}
	compat, given := in.Compat.Get()
	r, err := e.result(request, compat || !given)
	r.Unchanged = unchanged
	return r, err
}

// maxFetchedBytes limits the total size of the files that one request fetches.
const maxFetchedBytes = 64 << 20

// fetchFiles downloads the files that are given by URL.
func (e *contentEditor) fetchFiles(ctx context.Context, work *budgets.Work) error {
	total := 0
	for i, change := range e.changes {
		for j, f := range change.Files {
			if f.URL == "" {
				continue
			}
			path := fmt.Sprintf("changes[%d].files[%d].url", i, j)
			response, err := e.service.Fetcher.GetUpTo(ctx, f.URL, revision.MaxFileBytes)
			if refused, ok := errors.AsType[*fetch.Error](err); ok {
				return api.InvalidField(path, "%s", refused.Error()).WithCause(err)
			}
			if err != nil {
				return fmt.Errorf("fetch a file: %w", err)
			}
			if total += len(response.Body); total > maxFetchedBytes {
				return api.InvalidField(path, "makes more than %d bytes, the maximum that one request may fetch", maxFetchedBytes)
			}
			if err := work.Grow(ctx, len(response.Body)*budgets.UnpackFactor); err != nil {
				return err
			}
			e.fetchedFiles[[2]int{i, j}] = fetchedFile{contentType: cmp.Or(f.ContentType, response.ContentType), data: response.Body}
		}
	}
	return nil
}
