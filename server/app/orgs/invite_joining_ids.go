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

// joinByID makes the caller a member by an invite in the path: by its secret, or by its id if it is an invite to the
// caller's verified address. It creates no account and returns a not_found error for an invite that is not open.
func (iv *Invites) joinByID(ctx context.Context, c *rest.Call, in api.JoinInviteInput) (none rest.Result[api.Accepted], err error) {
	if err := requireJoinScope(c); err != nil {
		return none, err
	}
	u, err := iv.Orgs.LoadUser(ctx, c.Caller.User)
	if err != nil {
		return none, err
	}
	given, ok := parseInviteSecret(in.Invite)
	switch _, proven := VerifiedEmailDomain(u); {
	case ok && given.org != in.Organization, !ok && !proven, !ok && !strings.HasPrefix(in.Invite, store.InvitePrefix):
		return none, api.NotFound()
	case !ok:
		given = inviteSecret{org: in.Organization, invite: in.Invite, email: u.Fields.Email}
	}
	result, err := iv.acceptAs(ctx, c, u, given)
	if isInviteNotOpen(err) {
		err = api.NotFound()
	}
	return result, err
}

// acceptAs accepts an invite for an existing account. It returns an error if the invite is to another address.
func (iv *Invites) acceptAs(ctx context.Context, c *rest.Call, u store.UserDocument, given inviteSecret) (none rest.Result[api.Accepted],
	err error,
) {
	if given.isLink() {
		return iv.acceptLink(ctx, c, given, "")
	}
	o, err := iv.loadOpenInvite(ctx, c, given)
	if err != nil {
		return none, err
	}
	if o.email != u.Fields.Email {
		return none, api.WrongState("The invite is to another e-mail address than that of your account.")
	}
	return iv.acceptEmail(ctx, c, given, "")
}

// isInviteNotOpen reports whether err is an inviteNotOpenError.
func isInviteNotOpen(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && e.Code == http.StatusUnprocessableEntity && len(e.Fields) == 1 && e.Fields[0].Path == inviteNotOpenError().Fields[0].Path
}
