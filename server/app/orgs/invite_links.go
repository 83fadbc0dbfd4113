package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// linkInviteEndpoints returns the operations of invite links. They require no role except membership, because the required role
// depends on the target of a link: the handlers call checkMayManageLink.
func (iv *Invites) linkInviteEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListLinkInvites, auth.Member(), iv.listLinkInvites),
		rest.Write(api.CreateLinkInvite, auth.Member(), iv.createLinkInvite).WithScopeAdmin().ForPeople().On(rest.Organization),
		rest.Read(api.GetLinkInvite, auth.Member(), iv.getLinkInvite),
		rest.Write(api.UpdateLinkInvite, auth.Member(), iv.updateLinkInvite).WithScopeAdmin().ForPeople().On(rest.LinkInvite),
		rest.Write(api.DeleteLinkInvite, auth.Member(),
			iv.deleteLinkInvite).WithScopeAdmin().On(rest.LinkInvite).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
	}
}

// maxLinkInvites is the maximum number of invite links of an organization: lists read all of them.
const maxLinkInvites = 500

// linkSecret returns the secret of an invite link.
func (iv *Invites) linkSecret(org, id string) inviteSecret {
	return inviteSecret{org: org, invite: id, secret: iv.Signer.InviteSecret(id)}
}

// encodeLinkInvite returns the JSON of an invite link. The secret is included for tokens with the scope admin.
func (iv *Invites) encodeLinkInvite(c *rest.Call, model *access.Model, o store.OrganizationDocument, d store.LinkInviteDocument,
	author inviter, public []byte,
) *rest.Object {
	reason := linkRedundantReason(model, o, d, author, iv.Clock())
	return rest.ExtendObject(public).
		Set("redundant", reason != "").
		SetIf(reason != "", "redundantReason", reason).
		SetIf(c.Caller.HasScope(api.ScopeAdmin) && !c.Caller.IsService, "secret", iv.linkSecret(c.Org, d.Fields.ID).String())
}

// linkRedundantReason returns why an invite link is refused now, or "" if it is open.
func linkRedundantReason(
	m *access.Model, o store.OrganizationDocument, d store.LinkInviteDocument, author inviter, now time.Time,
) api.RedundantReason {
	f := d.Fields
	if !f.ExpiresAt.IsZero() && !now.Before(f.ExpiresAt.Time) {
		return api.RedundantExpired
	}
	if content := f.Content(); content != "" {
		if _, active := m.Active(content); !active {
			return api.RedundantContentGone
		}
	}
	switch {
	case author.disabled || inviterLostAccess(m, d):
		return api.RedundantAuthorLeft
	case author.tokenEnded:
		return api.RedundantTokenEnded
	case !o.Fields.InviteLinks:
		return api.RedundantSwitchedOff
	}
	return ""
}

// linkClosedError returns the error with which an invite link is refused now, or nil if the link is open.
func linkClosedError(
	m *access.Model, o store.OrganizationDocument, d store.LinkInviteDocument, author inviter, now time.Time,
) error {
	switch linkRedundantReason(m, o, d, author, now) {
	case "":
		return nil
	case api.RedundantAuthorLeft:
		return inviterLeftError()
	case api.RedundantTokenEnded:
		return inviterTokenEndedError()
	case api.RedundantSwitchedOff:
		return checkLinksEnabled(o)
	case api.RedundantExpired, api.RedundantContentGone:
	}
	return inviteNotOpenError()
}

// checkLinksEnabled returns an error if the organization has switched invite links off.
func checkLinksEnabled(o store.OrganizationDocument) error {
	if !o.Fields.InviteLinks {
		return api.WrongState("Invite links are switched off in this organization.").
			WithHint("An admin can switch them on, or invite people by e-mail address.")
	}
	return nil
}

// checkMayManageLink returns an error unless the caller may manage an invite link with the fields f: as an admin or,
// for a link into a space or collection, as a creator there whose role is at least the level of the link. It returns
// not_found if the caller cannot see the content.
func checkMayManageLink(c *rest.Call, model *access.Model, f api.LinkInviteFields) error {
	content := f.Content()
	if content == "" {
		if !c.Caller.Role.AtLeast(api.RoleAdmin) {
			return rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "this organization", c.Caller.Role)
		}
		return cmp.Or(c.RequireScope(api.ScopeAdmin), c.RequireAllSpaces("the organization as a whole"))
	}
	where := "the collection"
	if access.IsSpace(content) {
		where = "the space"
	}
	_, active := model.Active(content)
	role := model.Role(c.Caller, content)
	switch {
	case !role.AtLeast(api.RoleRead), !active && role != api.RoleAdmin:
		return rest.Withhold(api.NotFound())
	case !role.AtLeast(api.RoleCreate):
		return rest.Forbidden(auth.Need{Role: api.RoleCreate}, where, role)
	case !role.AtLeast(f.Level):
		return rest.Forbidden(auth.Need{Role: f.Level}, where, role).WithHint("Nobody gives a role above their own.")
	}
	return nil
}

// recheckMayManageLink is checkMayManageLink within a transaction. It adds the dependencies of the decision to the
// read set.
func recheckMayManageLink(c *rest.Call, tx *store.Tx, f api.LinkInviteFields) error {
	var err error
	var dependencies []access.Dependency
	c.Access(func(model *access.Model) {
		err, dependencies = checkMayManageLink(c, model, f), model.Dependencies(c.Caller, f.Content())
	})
	if err != nil {
		return err
	}
	return c.Recheck(tx, dependencies)
}

// listLinkInvites lists the invite links that the caller may manage. It reads all links of the organization.
func (iv *Invites) listLinkInvites(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListLinkInvitesInput,
) rest.Finish[api.Page[api.LinkInvite]] {
	w := r.NewPager(in.ListOptions, false)
	index := b.Range(store.LinkInvitesKey(r.Org), "", -1, false)
	organization := b.Record(store.OrganizationKey(r.Org))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.LinkInvite]], err error) {
		ids := index.Value()
		o, err := DecodeOrganization(organization)
		if err = errors.Join(w.Err, err); err != nil {
			return none, err
		}
		records, err := rest.ReadRecords(ctx, iv.Store, ids, func(id string) redis.Key { return store.LinkInviteKey(c.Org, id) })
		if err != nil {
			return none, err
		}
		mine, links, err := managedLinks(c, ids, records)
		if err != nil {
			return none, err
		}
		page, next := w.Slice(mine, rest.OldestFirst)
		shown, err := iv.encodeLinkInvites(ctx, c, o, page, links, records)
		if err != nil {
			return none, err
		}
		return rest.PageOf[api.LinkInvite](shown, len(mine), next)
	}
}

// managedLinks returns the ids of the invite links that the caller may manage, in the order of ids, and their documents.
func managedLinks(c *rest.Call, ids []string, records map[string]txn.Record) (
	mine []string, links map[string]store.LinkInviteDocument, err error,
) {
	links = map[string]store.LinkInviteDocument{}
	c.Access(func(model *access.Model) {
		for _, id := range ids {
			r, there := records[id]
			if !there {
				continue // was deleted since
			}
			var d store.LinkInviteDocument
			if e := d.Decode(r); e != nil {
				err = errors.Join(err, e)
			} else if checkMayManageLink(c, model, d.Fields) == nil {
				mine, links[id] = append(mine, id), d
			}
		}
	})
	return mine, links, err
}

// encodeLinkInvites returns the JSON of the invite links of a page. It reads their authors in one trip.
func (iv *Invites) encodeLinkInvites(ctx context.Context, c *rest.Call, o store.OrganizationDocument, page []string,
	links map[string]store.LinkInviteDocument, records map[string]txn.Record,
) (shown [][]byte, err error) {
	made := make([]store.InvitePrivate, len(page))
	for i, id := range page {
		made[i] = links[id].Private
	}
	authors, err := iv.readInviters(ctx, c.Org, made)
	if err != nil {
		return nil, err
	}
	c.Access(func(model *access.Model) {
		for i, id := range page {
			item, e := iv.encodeLinkInvite(c, model, o, links[id], authors[i], records[id].Public).Bytes()
			shown, err = append(shown, item), errors.Join(err, e)
		}
	})
	return shown, err
}

func (iv *Invites) getLinkInvite(ctx context.Context, r *rest.Request, b *txn.Batch, in api.LinkInviteRef) rest.Finish[api.LinkInvite] {
	record, organization := b.Record(store.LinkInviteKey(r.Org, in.LinkInvite)), b.Record(store.OrganizationKey(r.Org))
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.LinkInvite], err error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		var d store.LinkInviteDocument
		o, err := DecodeOrganization(organization)
		if err = errors.Join(err, d.Decode(r)); err != nil {
			return none, err
		}
		c.Access(func(model *access.Model) { err = checkMayManageLink(c, model, d.Fields) })
		if err != nil {
			return none, err
		}
		author, err := iv.readInviter(ctx, c.Org, d.Private)
		if err != nil {
			return none, err
		}
		return iv.linkInviteResult(c, o, d, author, r)
	}
}

func (iv *Invites) linkInviteResult(c *rest.Call, o store.OrganizationDocument, d store.LinkInviteDocument, author inviter,
	r txn.Record,
) (result rest.Result[api.LinkInvite], err error) {
	c.Access(func(model *access.Model) {
		result, err = rest.ObjectResult[api.LinkInvite](iv.encodeLinkInvite(c, model, o, d, author, r.Public))
	})
	result.ID = d.Fields.ID
	return result.WithVersion(rest.RecordVersion(r)), err
}

func (iv *Invites) createLinkInvite(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.CreateLinkInviteInput,
) (none rest.Result[api.LinkInvite], err error) {
	expires, _ := in.Body.ExpiresAt.Get()
	f := api.LinkInviteFields{
		Object: "invite", ID: tx.NewID(store.LinkInvitePrefix), Role: in.Body.Role, Level: in.Body.Level,
		Space: in.Body.Space, Collection: in.Body.Collection, CreatedAt: api.At(tx.Now()), ExpiresAt: c.Caller.ExpiryFor(expires),
	}
	if err := errors.Join(checkLinkTarget(c, f), CheckExpiry(in.Body.ExpiresAt, tx.Now())); err != nil {
		return none, err
	}
	if err := recheckMayManageLink(c, tx, f); err != nil {
		return none, err
	}
	o, err := tx.Organization(c.Org)
	if err != nil || o.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	if err := checkLinksEnabled(o); err != nil {
		return none, err
	}
	count, err := tx.Cardinality(store.LinkInvitesKey(c.Org))
	if err != nil {
		return none, err
	}
	if count >= maxLinkInvites {
		return none, api.WrongState("An organization has at most %d invite links.",
			maxLinkInvites).WithHint("Delete those that are not used any more.")
	}
	d, err := tx.LinkInvite(c.Org, f.ID)
	if err != nil {
		return none, err
	}
	digests, err := iv.Signer.InviteDigests(ctx, f.ID)
	if err != nil {
		return none, err
	}
	d.Fields, d.Private = f, newInvitePrivate(c, digests, tx.Now())
	record, err := tx.PutLinkInvite(c.Org, d)
	if err != nil {
		return none, err
	}
	result, err := iv.linkInviteResult(c, o, d, inviter{}, record)
	return result.WithLocation(f.ID, fmt.Sprintf("%s/v1/orgs/%s/link-invites/%s", iv.PublicURL, c.Org, f.ID)), err
}

// checkLinkTarget returns an error if the caller cannot see the space or collection of a new invite link.
func checkLinkTarget(c *rest.Call, f api.LinkInviteFields) error {
	content := f.Content()
	if content == "" {
		return nil
	}
	field, ok := "collection", false
	if f.Space != "" {
		field = "space"
	}
	c.Access(func(model *access.Model) {
		_, active := model.Active(content)
		ok = active && access.IsSpace(content) == (f.Space != "") && model.Role(c.Caller, content).AtLeast(api.RoleRead)
	})
	if !ok {
		return api.InvalidField(field, "is not a %s of this organization", field)
	}
	return nil
}

func (iv *Invites) updateLinkInvite(ctx context.Context, c *rest.Call, tx *store.Tx,
	in api.UpdateLinkInviteInput,
) (none rest.Result[api.LinkInvite], err error) {
	d, err := loadLinkInvite(c, tx, in.LinkInviteRef)
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(c.Org)
	if err != nil {
		return none, err
	}
	changed, err := patchLinkInvite(&d.Fields, in.Body, tx.Now())
	if err != nil {
		return none, err
	}
	if err := recheckMayManageLink(c, tx, d.Fields); err != nil { // the caller must also be allowed to give the new access
		return none, err
	}
	var author inviter
	if changed { // the caller becomes the author of the link
		d.Private = newInvitePrivate(c, d.Private.Digests, tx.Now())
		d.Fields.ExpiresAt = c.Caller.ExpiryFor(d.Fields.ExpiresAt)
	} else if author, err = iv.readInviter(ctx, c.Org, d.Private); err != nil {
		return none, err
	}
	return rest.PutIfChanged(tx, store.LinkInviteKey(c.Org, d.Fields.ID), changed,
		func() (txn.Record, error) { return tx.PutLinkInvite(c.Org, d) },
		func(r txn.Record) (rest.Result[api.LinkInvite], error) {
			return iv.linkInviteResult(c, o, d, author, r)
		})
}

// patchLinkInvite applies a patch and reports whether it changed f. Links into organizations have a role, others a
// level.
func patchLinkInvite(f *api.LinkInviteFields, patch api.LinkInvitePatch, now time.Time) (changed bool, err error) {
	switch inContent := f.Content() != ""; {
	case inContent && !patch.Role.IsZero():
		return false, api.InvalidField("role", "is for links into the organization: give level")
	case !inContent && !patch.Level.IsZero():
		return false, api.InvalidField("level", "is for links into a space or collection: give role")
	}
	if err := CheckExpiry(patch.ExpiresAt, now); err != nil {
		return false, err
	}
	if !patch.Role.IsZero() && patch.Role != f.Role {
		f.Role, changed = patch.Role, true
	}
	changed = patch.Level.Apply(&f.Level) || changed
	return patch.ExpiresAt.ApplyNull(&f.ExpiresAt) || changed, nil
}

// loadLinkInvite reads the invite link of the path. It returns an error if the caller may not manage it.
func loadLinkInvite(c *rest.Call, tx *store.Tx, in api.LinkInviteRef) (store.LinkInviteDocument, error) {
	d, err := tx.LinkInvite(c.Org, in.LinkInvite)
	if err != nil || d.Version == 0 {
		return d, rest.NotFoundIfNil(err)
	}
	return d, recheckMayManageLink(c, tx, d.Fields)
}

func (iv *Invites) deleteLinkInvite(ctx context.Context, c *rest.Call, tx *store.Tx, in api.LinkInviteRef) (rest.Result[api.None], error) {
	if _, err := loadLinkInvite(c, tx, in); err != nil {
		return rest.Result[api.None]{}, err
	}
	tx.DeleteLinkInvite(c.Org, in.LinkInvite)
	return rest.None(in.LinkInvite), nil
}
