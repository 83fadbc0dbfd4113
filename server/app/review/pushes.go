package review

import (
	"context"
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// maxSourceSearch is the number of revisions of a change request that are read to find the source of its merge.
const maxSourceSearch = 1000

// pushMessage says that a push to a change request is not complete, whose it is, and since when.
func pushMessage(name string, p store.Push) string {
	return fmt.Sprintf("%s has been pushing to it since %s, and the push is not complete.", name,
		p.Since.UTC().Format("2006-01-02 15:04 UTC"))
}

// pushReason returns why the change request can be neither opened nor merged, or "" if no push to it is incomplete.
func (s *Service) pushReason(c *rest.Call, d store.ChangeRequestDocument) (reason string) {
	if d.Private.Pushing == nil {
		return ""
	}
	c.Access(func(model *access.Model) {
		reason = pushMessage(s.View.DisplayName(model, d.Private.Pushing.User), *d.Private.Pushing)
	})
	return reason
}

// checkNoPush returns a wrong_state error if a push to the change request is incomplete. what completes the message: "cannot
// be {what}".
func (s *Service) checkNoPush(c *rest.Call, d store.ChangeRequestDocument, what string) error {
	reason := s.pushReason(c, d)
	if reason == "" {
		return nil
	}
	return api.WrongState("The change request cannot be %s now: %s", what, reason).
		WithHint("Who pushes, or an admin of the space, can end it: wsctl change-requests update %d --space %s --pushing=false",
			d.Fields.Number, d.Fields.Space)
}

// startPush makes the caller the one who pushes and reports whether that is new. It returns a wrong_state error if the change
// request is finished or somebody else pushes.
func (s *Service) startPush(c *rest.Call, tx *store.Tx, l *LoadedRequest) (changed bool, err error) {
	if err := CheckUnfinished(l.ChangeRequestDocument, "pushed to"); err != nil {
		return false, err
	}
	switch p := l.Private.Pushing; {
	case p == nil:
		l.Private.Pushing = &store.Push{User: c.Caller.User, Since: api.At(tx.Now())}
		return true, nil
	case p.User != c.Caller.User:
		return false, s.checkNoPush(c, l.ChangeRequestDocument, "pushed to")
	}
	return false, nil
}

// endPush ends a push and reports whether there was one. It returns a forbidden error unless the caller pushes or is an admin
// of the space.
func (s *Service) endPush(c *rest.Call, l *LoadedRequest) (changed bool, err error) {
	p := l.Private.Pushing
	if p == nil {
		return false, nil
	}
	if p.User != c.Caller.User && !c.Caller.ContentRole.AtLeast(api.RoleAdmin) {
		return false, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "%s Only who pushes, or an admin of the space, may end it.",
			s.pushReason(c, l.ChangeRequestDocument))
	}
	l.Private.Pushing = nil
	return true, nil
}

// lastSource returns the source of the last revision of the change request that has one, or nil.
func (s *Service) lastSource(ctx context.Context, plan mergePlan) (source *api.RevisionSource, err error) {
	visited := 0
	content := s.Store.Content(plan.Request.Fields.Space)
	err = s.Revisions.VisitHistory(ctx, content, plan.Theirs.Revision, func(r revision.HistoricalRevision) (bool, error) {
		if r.ID == plan.Request.Fields.RevisionInitial {
			return false, nil
		}
		visited++
		source = r.Source
		return source == nil && visited < maxSourceSearch, nil
	})
	return source, err
}
