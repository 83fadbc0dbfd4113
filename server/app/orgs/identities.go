package orgs

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) identityEndpoints() []rest.Endpoint {
	admin := auth.InOrganization(api.RoleAdmin)
	return []rest.Endpoint{
		rest.Read(api.ListIdentities, admin, s.listIdentities),
		rest.Read(api.GetIdentity, admin, s.getIdentity),
		rest.Write(api.UpdateIdentity, admin, s.updateIdentity).On(rest.Identity),
		rest.Write(api.DeleteIdentity, admin, s.deleteIdentity).On(rest.Identity).AllowAbsent(admin),
	}
}

func (s *Service) identityURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/identities/" + id
}

// maxCandidates is the maximum number of members that a pending identity shows.
const maxCandidates = 10

// identityWriter encodes the identities of an organization.
type identityWriter struct {
	service *Service
	call    *rest.Call
	byEmail map[string][]string // members by address; nil = not looked up yet
}

// encode returns the JSON of an identity, with its member, or the members who have its address.
func (w *identityWriter) encode(id string, r txn.Record) ([]byte, error) {
	var d store.IdentityDocument
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	s, o := w.service, rest.ExtendObject(r.Public)
	w.call.Access(func(model *access.Model) {
		if d.Private.User != "" {
			o.Set("status", api.IdentityLinked).Set("user", s.View.Person(model, d.Private.User))
			return
		}
		if w.byEmail == nil {
			w.byEmail = model.MembersByEmail()
		}
		candidates := []any{}
		for _, user := range w.byEmail[d.Fields.Email] {
			isPerson := !store.IsServiceAccount(user)
			if isPerson && len(candidates) < maxCandidates {
				candidates = append(candidates, s.View.Person(model, user))
			}
		}
		o.Set("status", api.IdentityPending).Set("candidates", candidates)
	})
	return o.Set("urls", api.LocationURLs{Location: s.identityURL(w.call.Org, id)}).Bytes()
}

func (s *Service) identityResult(c *rest.Call, id string, r txn.Record) (rest.Result[api.Identity], error) {
	w := identityWriter{service: s, call: c}
	data, err := w.encode(id, r)
	return rest.Result[api.Identity]{JSON: data, ID: id, Version: rest.RecordVersion(r)}, err
}

// listIdentities lists identities by id. Those of a member are found by the membership, others by an index.
func (s *Service) listIdentities(_ context.Context, r *rest.Request, b *txn.Batch, in api.ListIdentitiesInput,
) rest.Finish[api.Page[api.Identity]] {
	pager := r.NewPager(in.ListOptions, false, in.Provider, in.User, string(in.Status))
	var filter []string
	if in.Provider != "" {
		filter = []string{in.Provider}
	}
	index, pendingIndex := store.IdentitiesKey(in.Organization, filter...), store.PendingIdentitiesKey(in.Organization, filter...)
	if in.Status == api.IdentityPending {
		index = pendingIndex
	}
	listed, count := b.Range(index, pager.After, pager.Size+1, false), b.Cardinality(index)
	var pending *txn.Reply[[]string]
	if in.Status == api.IdentityLinked && in.User == "" {
		pending = b.Range(pendingIndex, "", -1, false)
	}
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Identity]], err error) {
		if pager.Err != nil {
			return none, pager.Err
		}
		ids, total := listed.Value(), int(count.Value())
		switch {
		case in.User != "":
			if ids, err = s.identitiesOfMember(ctx, c, in); err != nil {
				return none, err
			}
			total = len(ids)
			ids = slices.DeleteFunc(ids, func(id string) bool { return id <= pager.After })
		case pending != nil:
			isPending := setOf(pending.Value())
			if ids, err = s.readIndex(ctx, index, pager.After, pager.Size+1+len(isPending)); err != nil {
				return none, err
			}
			total -= len(isPending)
			ids = slices.DeleteFunc(ids, func(id string) bool { return isPending[id] })
		}
		page, next := pager.Cut(ids)
		records, err := rest.ReadRecords(ctx, s.Store, page, func(id string) redis.Key { return store.IdentityKey(in.Organization, id) })
		if err != nil {
			return none, err
		}
		w, items := identityWriter{service: s, call: c}, make([][]byte, 0, len(page))
		for _, id := range page {
			record, there := records[id]
			if !there { // removed in the meantime
				continue
			}
			item, err := w.encode(id, record)
			if err != nil {
				return none, err
			}
			items = append(items, item)
		}
		return rest.PageOf[api.Identity](items, total, next)
	}
}

// setOf returns the set of texts.
func setOf(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}

// readIndex returns up to n members of an index after one.
func (s *Service) readIndex(ctx context.Context, index redis.Key, after string, n int) ([]string, error) {
	b := s.Store.NewBatch()
	members := b.Range(index, after, n, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read index %s: %w", index, err)
	}
	return members.Value(), nil
}

// identitiesOfMember returns the sorted ids of the identities by which a member signs in, and which pass the other filters of a list.
func (s *Service) identitiesOfMember(ctx context.Context, c *rest.Call, in api.ListIdentitiesInput) (ids []string, err error) {
	c.Access(func(model *access.Model) {
		if p := model.Member(in.User); p != nil && in.Status != api.IdentityPending {
			ids = slices.Sorted(maps.Keys(p.Member.Identities))
		}
	})
	if in.Provider == "" || len(ids) == 0 {
		return ids, nil
	}
	records, err := rest.ReadRecords(ctx, s.Store, ids, func(id string) redis.Key { return store.IdentityKey(in.Organization, id) })
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		var d store.IdentityDocument
		record, there := records[id]
		e := d.Decode(record)
		if there && e != nil {
			err = fmt.Errorf("identity %s: %w", id, e)
		}
		return d.Fields.Provider != in.Provider
	}), err
}

func (s *Service) getIdentity(_ context.Context, _ *rest.Request, b *txn.Batch, in api.IdentityRef) rest.Finish[api.Identity] {
	identity := b.Record(store.IdentityKey(in.Organization, in.Identity))
	return func(_ context.Context, c *rest.Call) (rest.Result[api.Identity], error) {
		record, ok, err := identity.Get()
		if err != nil || !ok {
			return rest.Result[api.Identity]{}, rest.NotFoundIfNil(err)
		}
		return s.identityResult(c, in.Identity, record)
	}
}

// updateIdentity links an identity with a member, and takes it from the one that it was linked with.
func (s *Service) updateIdentity(_ context.Context, c *rest.Call, tx *store.Tx, in api.UpdateIdentityInput) (
	none rest.Result[api.Identity], err error,
) {
	d, err := tx.Identity(c.Org, in.Identity)
	if err != nil || d.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	former := d.Private.User
	changed := in.Body.User.Apply(&d.Private.User)
	return rest.PutIfChanged(tx, store.IdentityKey(c.Org, in.Identity), changed,
		func() (txn.Record, error) { return linkByAdmin(c, tx, d, former) },
		func(r txn.Record) (rest.Result[api.Identity], error) { return s.identityResult(c, in.Identity, r) })
}

// linkByAdmin links an identity with the member that it names, in place of another identity of the same provider and issuer, and takes it
// from the former one; "" = none.
func linkByAdmin(c *rest.Call, tx *store.Tx, d store.IdentityDocument, former string) (none txn.Record, err error) {
	m, err := tx.Member(c.Org, d.Private.User)
	if err != nil {
		return none, err
	}
	switch {
	case m.Version == 0:
		return none, api.Invalid(api.FieldError{Path: "user", Message: "is not a member of the organization"})
	case m.Private.IsService():
		return none, api.Invalid(api.FieldError{Path: "user", Message: "is a service account"})
	case m.Private.Disabled:
		return none, api.Invalid(api.FieldError{Path: "user", Message: "has a disabled account"})
	}
	if former != "" {
		if err := checkAdminKeepsIdentity(c, tx, former, m.Private); err != nil {
			return none, err
		}
		if err := removeIdentityOf(tx, c.Org, former, d.Fields.ID); err != nil {
			return none, err
		}
	}
	others, err := otherIdentities(tx, c.Org, m, d.Fields)
	if err != nil {
		return none, err
	}
	record, err := putIdentityOf(tx, c.Org, d, &m, others)
	if err != nil {
		return none, err
	}
	if _, err := tx.PutMember(c.Org, m); err != nil {
		return none, err
	}
	c.Note("provider", d.Fields.Provider)
	c.Note("user", d.Private.User)
	var before any
	if former != "" {
		before = former
	}
	c.NoteChange("user", before, d.Private.User)
	return record, nil
}

// checkAdminKeepsIdentity returns an error if single sign-on is required of the organization, and no admin would sign in by an identity any
// more when a former member loses one, to another member or for good: the person would sign in as the other, or could not be linked again
// without an admin. Admins who sign in by others are added to the read set, so that two identities cannot go at once.
func checkAdminKeepsIdentity(c *rest.Call, tx *store.Tx, former string, to store.MemberPrivate) error {
	o, err := tx.Organization(c.Org)
	if err != nil || !o.Private.EnforcesSSO || to.IsActiveAdmin() {
		return err
	}
	from, err := tx.Member(c.Org, former)
	if err != nil || !from.Private.IsActiveAdmin() || len(from.Private.Identities) > 1 {
		return err
	}
	var others []string
	c.Access(func(model *access.Model) {
		for id, p := range model.AllPersons() {
			if id != former && p.Member != nil && p.Member.Role == api.RoleAdmin && len(p.Member.Identities) > 0 {
				others = append(others, id)
			}
		}
	})
	slices.Sort(others)
	for _, id := range others {
		m, err := tx.Member(c.Org, id)
		if err != nil || m.Version > 0 && m.Private.IsActiveAdmin() && len(m.Private.Identities) > 0 {
			return err
		}
	}
	return api.WrongState("Single sign-on is required, and no other admin has signed in by a provider.").
		WithHint("Let another admin sign in by a provider first, or stop requiring it (wsctl organizations update --sso=false).")
}

// deleteIdentity removes an identity, and from its member.
func (s *Service) deleteIdentity(_ context.Context, c *rest.Call, tx *store.Tx, in api.IdentityRef) (
	none rest.Result[api.None], err error,
) {
	d, err := tx.Identity(c.Org, in.Identity)
	if err != nil || d.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	tx.DeleteIdentity(c.Org, d)
	if user := d.Private.User; user != "" {
		if err := checkAdminKeepsIdentity(c, tx, user, store.MemberPrivate{}); err != nil {
			return none, err
		}
		if err := removeIdentityOf(tx, c.Org, user, in.Identity); err != nil {
			return none, err
		}
		c.Note("user", user)
	}
	c.Note("provider", d.Fields.Provider)
	return rest.None(in.Identity), nil
}
