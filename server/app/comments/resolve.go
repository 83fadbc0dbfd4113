package comments

import (
	"cmp"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// setWeight sets the weight of a comment. Only the author may change it.
func setWeight(c *rest.Call, d *store.CommentDocument, weight api.Optional[api.CommentWeight]) (changed bool, err error) {
	if changed = weight.ApplyNull(&d.Fields.Weight); changed && d.Private.Author != c.Caller.User {
		return false, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Only its author may say how much a comment is meant.")
	}
	return changed, nil
}

// resolveComment resolves or reopens a thread and sets its outcome.
func resolveComment(c *rest.Call, tx *store.Tx, d *store.CommentDocument, body api.CommentUpdate) (changed bool, err error) {
	resolved := d.Fields.Status == api.CommentResolved
	want, given := body.Resolved.Get()
	if !given {
		want = resolved
	}
	outcome, said := body.Outcome.Get()
	if said && !want {
		return false, api.InvalidField("outcome", "goes with a comment that is resolved; set resolved as well")
	}
	differs := said && outcome != d.Fields.Outcome || body.Outcome.IsNull() && d.Fields.Outcome != ""
	if want == resolved && !differs {
		return false, nil
	}
	if allowed, err := mayResolve(c, tx, *d); err != nil || !allowed {
		return false, cmp.Or(err,
			error(api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Resolving takes the role edit, or to be an author here.")))
	}
	if want == resolved && d.Fields.Outcome == api.OutcomeApplied {
		return false, api.WrongState("The suggestion of the comment was applied; its outcome cannot be changed.")
	}
	if want != resolved {
		setResolved(d, tx, c.Caller.User, want)
	}
	body.Outcome.ApplyNull(&d.Fields.Outcome)
	return true, nil
}

// setResolved resolves a thread on behalf of a user, or reopens it. The previous outcome is removed.
func setResolved(d *store.CommentDocument, tx *store.Tx, user string, closed bool) {
	d.Fields.Outcome, d.Fields.AppliedRevision = "", ""
	if closed {
		d.Fields.Status, d.Fields.ResolvedAt, d.Private.ResolvedBy = api.CommentResolved, revision.ChangeTime(d.Fields.PostedAt,
			tx.Now()), user
	} else {
		d.Fields.Status, d.Fields.ResolvedAt, d.Private.ResolvedBy = api.CommentOpen, api.Time{}, ""
	}
}

// mayResolve reports whether the caller may resolve, reopen and reattach a thread. The author of the thread, the
// author of the change request, and editors may.
func mayResolve(c *rest.Call, tx *store.Tx, d store.CommentDocument) (bool, error) {
	allowed := d.Private.Author == c.Caller.User || c.Caller.ContentRole.AtLeast(api.RoleEdit)
	if allowed || d.Private.Request == "" {
		return allowed, nil
	}
	request, err := tx.ChangeRequest(c.Org, d.Private.Target)
	return request.Private.Creator == c.Caller.User, err
}
