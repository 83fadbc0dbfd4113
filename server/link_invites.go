package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Who may manage an invite link depends on where it leads: see manages.
func (s *Server) linkInviteEndpoints() []Endpoint {
	return []Endpoint{
		read(api.ListLinkInvites, auth.Member(), s.listLinkInvites),
		write(api.CreateLinkInvite, auth.Member(), s.createLinkInvite).withScopeAdmin(),
		read(api.GetLinkInvite, auth.Member(), s.getLinkInvite),
		write(api.UpdateLinkInvite, auth.Member(), s.updateLinkInvite).withScopeAdmin(),
		write(api.DeleteLinkInvite, auth.Member(), s.deleteLinkInvite).withScopeAdmin(),
	}
}

// maxLinkInvites bounds the invite links of an organization: the list reads all of them to find the caller's.
const maxLinkInvites = 500

// linkInvitation is the secret of an invite link.
func (s *Server) linkInvitation(org, id string) invitation {
	return invitation{org: org, invite: id, secret: s.signer.Derive("invite", id)}
}

// linkInviteObject writes out an invite link. Its secret is for tokens that could make such a link.
func (s *Server) linkInviteObject(c *call, sh *access.Model, o store.OrganizationDocument, d store.LinkInviteDocument, public []byte) *object {
	return extend(public).
		set("redundant", closed(sh, o, d, s.clock()) != nil).
		setIf(c.caller.HasScope(api.ScopeAdmin), "secret", s.linkInvitation(c.org, d.Fields.ID).String())
}

// closed says why an invite link leads nowhere now, nil if it is open.
func closed(s *access.Model, o store.OrganizationDocument, d store.LinkInviteDocument, now time.Time) error {
	f := d.Fields
	if !f.ExpiresAt.IsZero() && !now.Before(f.ExpiresAt.Time) {
		return notOpen()
	}
	if content := f.Content(); content != "" {
		if _, alive := s.Active(content); !alive {
			return notOpen()
		}
	}
	if abandoned(s, d) {
		return makerLeft()
	}
	return linksAllowed(o)
}

// linksAllowed checks that people may come into an organization by links.
func linksAllowed(o store.OrganizationDocument) error {
	switch {
	case o.Fields.SSO:
		return joinedBySSO()
	case !o.Fields.InviteLinks:
		return api.WrongState("Invite links are switched off in this organization.").
			WithHint("An admin can switch them on, or invite people by e-mail address.")
	}
	return nil
}

// manages checks that the caller may manage an invite link: as an admin or, for one into a space or collection, as its
// creator, who gives nobody more than they have. One into what the caller does not see is not there.
func (c *call) manages(sh *access.Model, f api.LinkInviteFields) error {
	content := f.Content()
	if content == "" {
		if !c.caller.Role.AtLeast(api.RoleAdmin) {
			return forbidden(auth.Need{Role: api.RoleAdmin}, "this organization", c.caller.Role)
		}
		return c.inScope(api.ScopeAdmin)
	}
	where := "the collection"
	if access.IsSpace(content) {
		where = "the space"
	}
	_, alive := sh.Active(content)
	role := sh.Role(c.caller, content)
	switch {
	case !role.AtLeast(api.RoleRead), !alive && role != api.RoleAdmin:
		return withheld{api.NotFound()}
	case !role.AtLeast(api.RoleCreate):
		return forbidden(auth.Need{Role: api.RoleCreate}, where, role)
	case !role.AtLeast(f.Level):
		return forbidden(auth.Need{Role: f.Level}, where, role).WithHint("Nobody gives a role above their own.")
	}
	return nil
}

// managesHeld is manages inside a transaction, with what it rests on in the read set.
func (c *call) managesHeld(tx *store.Tx, f api.LinkInviteFields) error {
	var err error
	var grounds []access.Dependency
	c.withShape(func(sh *access.Model) { err, grounds = c.manages(sh, f), sh.Dependencies(c.caller, f.Content()) })
	if err != nil {
		return err
	}
	return c.hold(tx, grounds)
}

// listLinkInvites lists what the caller may manage. There are few: all are read.
func (s *Server) listLinkInvites(ctx context.Context, c *call, b *store.Batch, in api.ListLinkInvitesInput) finish[api.Page[api.LinkInvite]] {
	w := newWindow(c, in.ListOptions, false)
	index := b.Range(store.LinkInvitesKey(c.org), "", -1, false)
	organization := b.Record(store.OrganizationKey(c.org))
	return func(ctx context.Context) (Result[api.Page[api.LinkInvite]], error) {
		var none Result[api.Page[api.LinkInvite]]
		ids, _, err := index.Get()
		o, err2 := decodeOrganization(organization)
		if err := errors.Join(w.err, err, err2); err != nil {
			return none, err
		}
		records, err := s.records(ctx, ids, func(id string) redis.Key { return store.LinkInviteKey(c.org, id) })
		if err != nil {
			return none, err
		}
		var mine []string
		items := map[string][]byte{}
		c.withShape(func(sh *access.Model) {
			for _, id := range ids {
				item, e := s.managedLink(c, sh, o, records[id])
				if err = errors.Join(err, e); item != nil {
					mine, items[id] = append(mine, id), item
				}
			}
		})
		if err != nil {
			return none, err
		}
		page, next := w.of(mine, oldestFirst)
		shown := make([][]byte, len(page))
		for i, id := range page {
			shown[i] = items[id]
		}
		return list[api.LinkInvite](shown, len(mine), next)
	}
}

// managedLink writes out an invite link, nil for one that is gone or that the caller may not manage.
func (s *Server) managedLink(c *call, sh *access.Model, o store.OrganizationDocument, r store.Record) ([]byte, error) {
	if r.Version == 0 {
		return nil, nil
	}
	var d store.LinkInviteDocument
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	if c.manages(sh, d.Fields) != nil {
		return nil, nil
	}
	return s.linkInviteObject(c, sh, o, d, r.Public).bytes()
}

// decodeOrganization reads an organization that a pipeline brought.
func decodeOrganization(record *store.Future[store.Record]) (o store.OrganizationDocument, err error) {
	r, ok, err := record.Get()
	if err != nil || !ok {
		return o, missing(err)
	}
	return o, o.Decode(r)
}

func (s *Server) getLinkInvite(ctx context.Context, c *call, b *store.Batch, in api.LinkInviteRef) finish[api.LinkInvite] {
	record, organization := b.Record(store.LinkInviteKey(c.org, in.LinkInvite)), b.Record(store.OrganizationKey(c.org))
	return func(context.Context) (Result[api.LinkInvite], error) {
		var none Result[api.LinkInvite]
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, missing(err)
		}
		var d store.LinkInviteDocument
		o, err := decodeOrganization(organization)
		if err = errors.Join(err, d.Decode(r)); err != nil {
			return none, err
		}
		c.withShape(func(sh *access.Model) { err = c.manages(sh, d.Fields) })
		if err != nil {
			return none, err
		}
		return s.linkInviteResult(c, o, d, r)
	}
}

func (s *Server) linkInviteResult(c *call, o store.OrganizationDocument, d store.LinkInviteDocument, r store.Record) (result Result[api.LinkInvite], err error) {
	c.withShape(func(sh *access.Model) {
		result, err = stored[api.LinkInvite](s.linkInviteObject(c, sh, o, d, r.Public))
	})
	result.id = d.Fields.ID
	return result.versioned(recordVersion(r)), err
}

func (s *Server) createLinkInvite(ctx context.Context, c *call, tx *store.Tx, in api.CreateLinkInviteInput) (Result[api.LinkInvite], error) {
	var none Result[api.LinkInvite]
	expires, _ := in.Body.ExpiresAt.Get()
	f := api.LinkInviteFields{
		Object: "invite", ID: tx.NewID(store.LinkInvitePrefix), Role: in.Body.Role, Level: in.Body.Level,
		Space: in.Body.Space, Collection: in.Body.Collection, CreatedAt: api.At(tx.Now()), ExpiresAt: c.caller.Until(expires),
	}
	if err := errors.Join(c.leadsSomewhere(f), checkExpiry(in.Body.ExpiresAt, tx.Now())); err != nil {
		return none, err
	}
	if err := c.managesHeld(tx, f); err != nil {
		return none, err
	}
	o, err := tx.Organization(c.org)
	if err != nil || o.Version == 0 {
		return none, missing(err)
	}
	if err := linksAllowed(o); err != nil {
		return none, err
	}
	count, err := tx.Card(store.LinkInvitesKey(c.org))
	if err != nil {
		return none, err
	}
	if count >= maxLinkInvites {
		return none, api.WrongState("An organization has at most %d invite links.", maxLinkInvites).WithHint("Delete those that are not used any more.")
	}
	d, err := tx.LinkInvite(c.org, f.ID)
	if err != nil {
		return none, err
	}
	d.Fields, d.Private = f, c.maker(s.linkInvitation(c.org, f.ID).secret)
	record, err := tx.PutLinkInvite(c.org, d)
	if err != nil {
		return none, err
	}
	result, err := s.linkInviteResult(c, o, d, record)
	return result.created(f.ID, fmt.Sprintf("%s/v1/orgs/%s/link-invites/%s", s.publicURL, c.org, f.ID)), err
}

// leadsSomewhere checks that the space or collection of a new invite link is one that the caller sees.
func (c *call) leadsSomewhere(f api.LinkInviteFields) error {
	content := f.Content()
	if content == "" {
		return nil
	}
	field, ok := "collection", false
	if f.Space != "" {
		field = "space"
	}
	c.withShape(func(sh *access.Model) {
		_, alive := sh.Active(content)
		ok = alive && access.IsSpace(content) == (f.Space != "") && sh.Role(c.caller, content).AtLeast(api.RoleRead)
	})
	if !ok {
		return api.InvalidField(field, "is not a %s of this organization", field)
	}
	return nil
}

func (s *Server) updateLinkInvite(ctx context.Context, c *call, tx *store.Tx, in api.UpdateLinkInviteInput) (Result[api.LinkInvite], error) {
	var none Result[api.LinkInvite]
	d, err := loadLinkInvite(c, tx, in.LinkInviteRef)
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(c.org)
	if err != nil {
		return none, err
	}
	changed, err := patchLinkInvite(&d.Fields, in.Body, tx.Now())
	if err != nil {
		return none, err
	}
	if err := c.managesHeld(tx, d.Fields); err != nil { // what it gives from now on, too
		return none, err
	}
	if changed { // from now on it is the caller's word
		d.Private, d.Fields.ExpiresAt = c.maker(s.linkInvitation(c.org, d.Fields.ID).secret), c.caller.Until(d.Fields.ExpiresAt)
	}
	return rewritten(tx, store.LinkInviteKey(c.org, d.Fields.ID), changed,
		func() (store.Record, error) { return tx.PutLinkInvite(c.org, d) },
		func(r store.Record) (Result[api.LinkInvite], error) { return s.linkInviteResult(c, o, d, r) })
}

// patchLinkInvite applies a patch. Each kind of link has its own field.
func patchLinkInvite(f *api.LinkInviteFields, patch api.LinkInvitePatch, now time.Time) (changed bool, err error) {
	switch inContent := f.Content() != ""; {
	case inContent && !patch.Role.IsZero():
		return false, api.InvalidField("role", "is for links into the organization: give level")
	case !inContent && !patch.Level.IsZero():
		return false, api.InvalidField("level", "is for links into a space or collection: give role")
	}
	if err := checkExpiry(patch.ExpiresAt, now); err != nil {
		return false, err
	}
	if !patch.Role.IsZero() && patch.Role != f.Role {
		f.Role, changed = patch.Role, true
	}
	changed = patch.Level.Apply(&f.Level) || changed
	return patch.ExpiresAt.ApplyNull(&f.ExpiresAt) || changed, nil
}

// loadLinkInvite reads the invite link of the path, if the caller may manage it.
func loadLinkInvite(c *call, tx *store.Tx, in api.LinkInviteRef) (store.LinkInviteDocument, error) {
	d, err := tx.LinkInvite(c.org, in.LinkInvite)
	if err != nil || d.Version == 0 {
		return d, missing(err)
	}
	return d, c.managesHeld(tx, d.Fields)
}

func (s *Server) deleteLinkInvite(ctx context.Context, c *call, tx *store.Tx, in api.LinkInviteRef) (Result[api.None], error) {
	if _, err := loadLinkInvite(c, tx, in); err != nil {
		return Result[api.None]{}, err
	}
	tx.DeleteLinkInvite(c.org, in.LinkInvite)
	return none(in.LinkInvite), nil
}
