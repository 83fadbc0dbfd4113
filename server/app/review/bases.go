package review

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
)

// maxBaseDistance is the number of revisions of a space, from its head back, at which a change request can begin. It is also
// the number of revisions of merged change requests that are read to find one among them.
const maxBaseDistance = 1000

// planBase returns the head of a change request that begins at the revision in the body of its creation, without a time. The
// head has no revision if the body has none. Heads of spaces move to descendants only, so the base remains an ancestor if the
// head moves before the transaction.
func (s *Service) planBase(ctx context.Context, c *rest.Call, in api.CreateChangeRequestInput) (base store.Head, err error) {
	id := in.Body.Revision
	if id == "" {
		return base, nil
	}
	head, err := s.Revisions.ReadHead(ctx, c.Org, revision.Target{Space: in.Space})
	if err != nil || head.Revision == id {
		return head, err
	}
	r, err := s.Ancestor(ctx, c.Org, in.Space, head, id)
	if err != nil {
		return base, err
	}
	if err := s.checkBaseReadable(ctx, in.Space, r, head); err != nil {
		return base, err
	}
	return store.Head{Revision: id, Pages: r.Pages, Files: r.Files, Links: r.Links}, nil
}

// Ancestor reads an ancestor of the head of a space or change request by the id in the field revision of a request: one of the
// newest revisions of the space, or of a change request that was merged with one of these.
func (s *Service) Ancestor(ctx context.Context, org, space string, head store.Head, id string) (r revision.Revision, err error) {
	r, err = s.Revisions.LookupRevision(ctx, org, space, id)
	wrong, refused := api.AsError(err)
	switch {
	case refused && wrong.Reason == api.ReasonNotFound:
		return r, api.InvalidField("revision", "is not a revision of the space")
	case objects.IsLost(err):
		return r, lostBaseError()
	case err != nil:
		return r, err
	}
	reason, err := s.notAncestorReason(ctx, s.Store.Content(space), head.Revision, revision.HistoricalRevision{ID: id, Revision: r})
	if err == nil && reason != "" {
		err = api.InvalidField("revision", "%s", reason)
	}
	return r, err
}

func lostBaseError() error {
	return api.InvalidField("revision", "has content that was lost and given up in a repair; begin at a later revision")
}

// notAncestorReason returns why a change request cannot begin at a revision, or "" if it is an ancestor of the head: one of
// the newest revisions of the space, or of a change request that was merged with one of these.
func (s *Service) notAncestorReason(ctx context.Context, content *objects.Content, head string, wanted revision.HistoricalRevision,
) (string, error) {
	main, complete, found := map[string]bool{}, false, false
	var merged []string // last revisions of merged change requests
	err := s.Revisions.VisitHistory(ctx, content, head, func(r revision.HistoricalRevision) (bool, error) {
		main[r.ID] = true
		found, complete = r.ID == wanted.ID, len(r.Parents) == 0
		if len(r.Parents) > 1 { // a merge into the space, or an update of the change request
			merged = append(merged, r.Parents[1])
		}
		return !found && len(main) < maxBaseDistance, nil
	})
	if err != nil {
		return "", err
	}
	found = found || slices.Contains(merged, wanted.ID)
	if !found {
		if found, err = s.isOfMerged(ctx, content, merged, main, wanted); err != nil {
			return "", err
		}
	}
	switch {
	case found:
		return "", nil
	case complete:
		return "is not in the history of the space: it belongs to a change request that was not merged", nil
	}
	return fmt.Sprintf("is not among the newest %d revisions of the space and the change requests that were merged with them",
		maxBaseDistance), nil
}

// isOfMerged reports whether a revision belongs to one of the merged change requests, given by their last revisions. It stops
// at revisions of the space and after maxBaseDistance revisions.
func (s *Service) isOfMerged(ctx context.Context, content *objects.Content, merged []string, main map[string]bool,
	wanted revision.HistoricalRevision,
) (found bool, err error) {
	seen := map[string]bool{}
	for _, last := range merged {
		err := s.Revisions.VisitHistory(ctx, content, last, func(r revision.HistoricalRevision) (bool, error) {
			found = r.ID == wanted.ID
			passed := r.Number > 0 && r.Number <= wanted.Number // first parents have smaller numbers
			if found || passed || main[r.ID] || seen[r.ID] {
				return false, nil
			}
			seen[r.ID] = true
			return len(seen) < maxBaseDistance, nil
		})
		if err != nil || found || len(seen) >= maxBaseDistance {
			return found, err
		}
	}
	return false, nil
}

// checkBaseReadable returns an error if a merge that has r as its base would not find what it needs, because it was given up
// in a repair: the maps of r, and its texts that the space has changed since.
func (s *Service) checkBaseReadable(ctx context.Context, space string, r revision.Revision, head store.Head) error {
	content := s.Store.Content(space)
	now, err := s.Revisions.Revision(ctx, content, head.Revision)
	if err != nil {
		return err
	}
	var texts []string
	for _, roots := range [][2]string{{r.Pages, now.Pages}, {r.Reusables, now.Reusables}} {
		changes, err := content.Diff(ctx, roots[0], roots[1])
		if err != nil {
			return baseError(err)
		}
		for _, change := range changes {
			if change.Before != nil {
				texts = append(texts, change.Before.Refs...)
			}
		}
	}
	_, err = s.Revisions.Tree(ctx, content, r.Pages)
	_, filesErr := content.All(ctx, r.Files)
	_, sourcesErr := content.All(ctx, r.Sources)
	if err := errors.Join(err, filesErr, sourcesErr); err != nil {
		return baseError(err)
	}
	unreadable, err := content.Unreadable(ctx, texts)
	if err == nil && len(unreadable) > 0 {
		return lostBaseError()
	}
	return err
}

// BaseError returns the error for content of a base that could not be read.
func (s *Service) BaseError(err error) error { return baseError(err) }

// baseError is BaseError.
func baseError(err error) error {
	if objects.IsLost(err) {
		return lostBaseError()
	}
	return fmt.Errorf("base of the changes: %w", err)
}
