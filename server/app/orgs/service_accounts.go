package orgs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A service account is a user for a program. It is a member of one organization, without an e-mail address. Its membership is changed
// first; the account itself is a copy of it, which a job completes if the process stops.

func (s *Service) serviceAccountEndpoints() []rest.Endpoint {
	admin := auth.InOrganization(api.RoleAdmin)
	return []rest.Endpoint{
		rest.Op(api.ListServiceAccounts, admin, s.listServiceAccounts),
		rest.Op(api.CreateServiceAccount, admin, s.createServiceAccount).WithScopeAdmin().ForPeople().On(rest.Organization),
		rest.Read(api.GetServiceAccount, admin, s.getServiceAccount),
		rest.Op(api.UpdateServiceAccount, admin, s.updateServiceAccount).WithScopeAdmin().ForPeople().On(rest.ServiceAccount),
		rest.Op(api.DeleteServiceAccount, admin, s.deleteServiceAccount).
			WithScopeAdmin().ForPeople().On(rest.ServiceAccount).AllowAbsent(admin),
		rest.Op(api.CreateServiceAccountToken, admin, s.createServiceAccountToken).WithScopeAdmin().ForPeople(),
	}
}

func (s *Service) serviceAccountURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/service-accounts/" + id
}

// encodeServiceAccount returns the JSON of a service account. seen is as for encodeMember.
func (s *Service) encodeServiceAccount(model *access.Model, p *access.Person, seen string) ([]byte, error) {
	seenAt, err := parseLastSeen(seen)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(api.ServiceAccountFields{
		Object: "service-account", ID: p.User.ID, DisplayName: p.User.DisplayName, Role: RoleOrNull(p.Member.Role), CreatedAt: p.JoinedAt,
		Disabled: p.Member.Disabled, LastSeenAt: seenAt,
	})
	if err != nil {
		return nil, fmt.Errorf("service account %s: %w", p.User.ID, err)
	}
	return rest.ExtendObject(data).Set("createdBy", s.View.Person(model, p.Member.CreatedBy)).Bytes()
}

// serviceAccountResult returns the response with a service account.
func (s *Service) serviceAccountResult(c *rest.Call, r txn.Record, m store.MemberDocument, seen string) (
	rest.Result[api.ServiceAccount], error,
) {
	var data []byte
	var err error
	c.Access(func(model *access.Model) {
		data, err = s.encodeServiceAccount(model, access.NewPerson(store.PersonOf(m), nil), seen)
	})
	return rest.Result[api.ServiceAccount]{JSON: data, ID: m.Fields.ID, Version: rest.RecordVersion(r)}, err
}

// listServiceAccounts lists the service accounts of an organization, oldest first.
func (s *Service) listServiceAccounts(ctx context.Context, c *rest.Call, in api.ListServiceAccountsInput) (
	none rest.Result[api.Page[api.ServiceAccount]], err error,
) {
	w := c.NewPager(in.ListOptions, false)
	if w.Err != nil {
		return none, w.Err
	}
	var ids []string
	c.Access(func(model *access.Model) {
		for id, p := range model.AllPersons() {
			if p.Member != nil && p.IsService() {
				ids = append(ids, id)
			}
		}
	})
	slices.SortFunc(ids, rest.OldestFirst)
	page, next := w.Slice(ids, rest.OldestFirst)
	seen, err := s.loadLastSeen(ctx, c.Org, append([]string{}, page...))
	if err != nil {
		return none, err
	}
	items := make([][]byte, 0, len(page))
	c.Access(func(model *access.Model) {
		for _, id := range page {
			p := model.Member(id)
			if p == nil {
				continue // the account has ended in the meantime
			}
			item, e := s.encodeServiceAccount(model, p, seen[id])
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.ServiceAccount](items, len(ids), next)
}

func (s *Service) getServiceAccount(_ context.Context, _ *rest.Request, b *txn.Batch, in api.ServiceAccountRef,
) rest.Finish[api.ServiceAccount] {
	record := b.Record(store.MemberKey(in.Organization, in.ServiceAccount))
	seen := b.Field(store.SeenKey(in.Organization), in.ServiceAccount)
	return func(_ context.Context, c *rest.Call) (none rest.Result[api.ServiceAccount], err error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		var m store.MemberDocument
		if err := m.Decode(r); err != nil || !m.Private.IsService() {
			return none, rest.NotFoundIfNil(err)
		}
		return s.serviceAccountResult(c, r, m, seen.Value())
	}
}

// readServiceAccount reads the membership of a service account in a transaction, or returns a not_found error.
func readServiceAccount(tx *store.Tx, org, user string) (store.MemberDocument, error) {
	m, err := tx.Member(org, user)
	if err != nil || m.Version == 0 || !m.Private.IsService() {
		return m, rest.NotFoundIfNil(err)
	}
	return m, nil
}

func (s *Service) createServiceAccount(ctx context.Context, c *rest.Call, in api.CreateServiceAccountInput) (
	none rest.Result[api.ServiceAccount], err error,
) {
	user := api.UserFields{
		Object: "user", ID: s.IDs.New(store.ServiceAccountPrefix), DisplayName: in.Body.DisplayName, Type: api.UserService,
	}
	role := api.RoleRead
	in.Body.Role.ApplyNull(&role)
	return commitAccountChange(ctx, s, c, user.ID, func(tx *store.Tx) (none rest.Result[api.ServiceAccount], err error) {
		m, err := tx.Member(c.Org, user.ID)
		if err != nil {
			return none, err
		}
		m.Fields = api.MemberFields{Object: "member", ID: user.ID, JoinedAt: api.At(tx.Now())}
		m.Private.User, m.Private.Role, m.Private.CreatedBy = user, role, c.Caller.User
		c.NoteChange("role", RoleOrNull(api.RoleGuest), RoleOrNull(role))
		record, err := tx.PutMember(c.Org, m)
		if err != nil {
			return none, err
		}
		result, err := s.serviceAccountResult(c, record, m, "")
		return result.WithLocation(user.ID, s.serviceAccountURL(c.Org, user.ID)), err
	})
}

func (s *Service) updateServiceAccount(ctx context.Context, c *rest.Call, in api.UpdateServiceAccountInput) (
	none rest.Result[api.ServiceAccount], err error,
) {
	return commitAccountChange(ctx, s, c, in.ServiceAccount, func(tx *store.Tx) (none rest.Result[api.ServiceAccount], err error) {
		m, err := readServiceAccount(tx, c.Org, in.ServiceAccount)
		if err != nil {
			return none, err
		}
		seen, _, err := tx.Field(store.SeenKey(c.Org), in.ServiceAccount)
		if err != nil {
			return none, err
		}
		before := m.Private.Role
		renamed, changed := in.Body.DisplayName.Apply(&m.Private.User.DisplayName), in.Body.Role.ApplyNull(&m.Private.Role)
		c.NoteChange("role", RoleOrNull(before), RoleOrNull(m.Private.Role))
		if renamed {
			c.NoteTextChange("displayName")
		}
		record, _, err := tx.Record(store.MemberKey(c.Org, in.ServiceAccount))
		if err == nil && (renamed || changed) {
			record, err = tx.PutMember(c.Org, m)
		}
		if err != nil {
			return none, err
		}
		result, err := s.serviceAccountResult(c, record, m, seen)
		result.Unchanged = !renamed && !changed
		return result, err
	})
}

// deleteServiceAccount ends the membership of a service account and with it the access of its tokens, which are deleted afterwards.
func (s *Service) deleteServiceAccount(ctx context.Context, c *rest.Call, in api.ServiceAccountRef) (none rest.Result[api.None],
	err error,
) {
	return rest.RetryPlan(func() (none rest.Result[api.None], err error) {
		invites, err := loadAuthoredInvites(ctx, s.Store, c.Org, in.ServiceAccount)
		if err != nil {
			return none, err
		}
		b := s.Store.NewBatch()
		tokens := b.Cardinality(store.TokensKey(in.ServiceAccount))
		if err := b.Do(ctx); err != nil {
			return none, fmt.Errorf("count tokens: %w", err)
		}
		return s.commitServiceAccountEnd(ctx, c, in.ServiceAccount, int(tokens.Value()), invites)
	})
}

func (s *Service) commitServiceAccountEnd(ctx context.Context, c *rest.Call, user string, tokens int, invites authoredInvites) (
	rest.Result[api.None], error,
) {
	return commitAccountChange(ctx, s, c, user, func(tx *store.Tx) (none rest.Result[api.None], err error) {
		m, err := tx.Member(c.Org, user)
		switch {
		case err != nil || m.Version == 0:
			return none, rest.NotFoundIfNil(err)
		case !m.Private.IsService():
			return none, api.WrongState("This member is not a service account.").
				WithHint("wsctl members delete %s ends the membership.", user)
		}
		removal := api.Removal{ID: user, Title: m.Private.User.DisplayName}
		removal.With = []api.Taken{api.NewTaken("tokens", tokens), api.NewTaken("grants", len(m.Private.Grants))}
		removal.With = append(removal.With, invites.taken()...)
		return rest.Removed(removal), endMembership(tx, c.Org, m, invites)
	})
}

// commitAccountChange commits a change of the membership of a service account and completes it. A job does that if the process stops.
func commitAccountChange[Out any](ctx context.Context, s *Service, c *rest.Call, user string,
	change func(*store.Tx) (rest.Result[Out], error),
) (rest.Result[Out], error) {
	result, err := rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[Out], error) {
		r, err := change(tx)
		if err == nil && !r.Unchanged {
			tx.Schedule(c.Org, store.ServiceAccountJob(user), store.UserJobTime)
		}
		return r, err
	})
	if err != nil || c.DryRun || result.Unchanged {
		return result, err
	}
	if err := s.completeServiceAccount(ctx, c.Org, user); err != nil {
		s.Log.WarnContext(ctx, "a service account does not show a change yet", "user", user, "organization", c.Org, "error", err)
	}
	return result, nil
}

// RunServiceAccount is the job that completes a change of a service account.
func (s *Service) RunServiceAccount(ctx context.Context, lease store.Lease) error {
	if err := s.completeServiceAccount(ctx, lease.Organization, lease.Arg); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return lease.Finish(tx.Tx)
	})
}

// completeServiceAccount copies the fields of the membership of a service account to the account, which it creates if necessary. Without
// a membership it ends the account and deletes its tokens. It repeats this if the membership changed in the meantime.
func (s *Service) completeServiceAccount(ctx context.Context, org, user string) error {
	for copied := (api.UserFields{}); ; {
		m, isMember, err := loadMember(ctx, s.Store, org, user)
		if err != nil || isMember && m.Private.User == copied {
			return err
		}
		if !isMember {
			return s.EndServiceAccount(ctx, user)
		}
		copied = m.Private.User
		err = s.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
			u, err := tx.User(user)
			if err != nil || u.Fields == copied {
				return err
			}
			u.Fields = copied
			_, err = tx.PutUser(u)
			return err
		})
		if err != nil {
			return err
		}
	}
}

// EndServiceAccount ends the account of a service account that is no member any more, and deletes its tokens. It can be repeated.
func (s *Service) EndServiceAccount(ctx context.Context, user string) error {
	accounts := Accounts{Store: s.Store}
	if err := accounts.MarkEnded(ctx, user); err != nil && !api.IsReason(err, api.ReasonNotFound) {
		return err
	}
	_, err := accounts.RevokeAllTokens(ctx, user)
	return err
}
