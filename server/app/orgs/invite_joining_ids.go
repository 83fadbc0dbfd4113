package orgs

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// joinByID makes the caller a member by an invite that the path names: by its secret, or by the id of an invite to an address
// that is proven to be the caller's. No account is made, and an invite that leads nowhere is not there.
func (s *Invites) joinByID(ctx context.Context, c *rest.Call, in api.JoinInviteInput) (none rest.Result[api.Accepted], err error) {
	u, err := s.Orgs.User(ctx, c.Caller.User)
	if err != nil {
		return none, err
	}
	given, ok := parseInvitation(in.Invite)
	switch _, proven := VouchedDomain(u); {
	case ok && given.org != in.Organization, !ok && !proven, !ok && !strings.HasPrefix(in.Invite, store.InvitePrefix):
		return none, api.NotFound()
	case !ok:
		given = invitation{org: in.Organization, invite: in.Invite, to: u.Fields.Email}
	}
	result, err := s.joinAs(ctx, c, u, given)
	if isNotOpen(err) {
		err = api.NotFound()
	}
	return result, err
}

// joinAs accepts an invite as somebody who has an account. An invite to another address is not theirs.
func (s *Invites) joinAs(ctx context.Context, c *rest.Call, u store.UserDocument, given invitation) (none rest.Result[api.Accepted], err error) {
	if given.isLink() {
		return s.acceptLink(ctx, c, given, "")
	}
	o, err := s.offered(ctx, c, given)
	if err != nil {
		return none, err
	}
	if o.email != u.Fields.Email {
		return none, api.WrongState("The invite is to another e-mail address than that of your account.")
	}
	return s.acceptEmail(ctx, c, given, "")
}

// isNotOpen reports whether an error is that of an invite that is not open: see notOpen.
func isNotOpen(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && e.Code == http.StatusUnprocessableEntity && len(e.Fields) == 1 && e.Fields[0].Path == notOpen().Fields[0].Path
}
