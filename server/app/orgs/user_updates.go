package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// showUser returns an account to its user and to members of a common organization. Guests see only themselves.
func (s *Service) showUser(ctx context.Context, r *rest.Request, b *txn.Batch, in api.UserRef) rest.Finish[api.User] {
	user := b.Record(store.UserKey(in.User))
	theirs := b.Range(store.UserOrganizationsKey(in.User), "", -1, false)
	mine := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.User], err error) {
		r, ok, err := user.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		if in.User == c.Caller.User {
			if r.Public, err = ownFields(c.Caller, r); err != nil {
				return none, err
			}
			return s.userResult(in.User, r)
		}
		both := slices.DeleteFunc(theirs.Value(), func(org string) bool { return !slices.Contains(mine.Value(), org) })
		known, err := s.findCommonMembership(ctx, c, in.User, both)
		if err != nil {
			return none, err
		}
		return s.memberUserResult(r, known)
	}
}

// memberUserResult returns a user with the fields of a membership in an organization of the caller.
func (s *Service) memberUserResult(r txn.Record, m store.MemberDocument) (rest.Result[api.User], error) {
	var u store.UserDocument
	err := u.Decode(r)
	if err == nil && !u.Private.HasVerifiedEmail() {
		r.Public, err = json.Marshal(memberFields(u, m))
	}
	if err != nil {
		return rest.Result[api.User]{}, err
	}
	return s.userResult(u.Fields.ID, r)
}

// findCommonMembership returns a membership of the user in one of the organizations whose members the caller may see.
func (s *Service) findCommonMembership(ctx context.Context, c *rest.Call, user string, organizations []string) (m store.MemberDocument,
	err error,
) {
	members := map[string]*txn.Future[txn.Record]{}
	known, err := s.LoadMemberships(ctx, c.Caller, organizations, func(b *txn.Batch) {
		for _, org := range organizations {
			members[org] = b.Record(store.MemberKey(org, user))
		}
	})
	if err != nil {
		return m, err
	}
	for _, org := range organizations {
		record, isMember, err := members[org].Get()
		if err != nil {
			return m, err
		}
		if isMember && known[org].Role.AtLeast(api.RoleRead) {
			return m, m.Decode(record)
		}
	}
	return m, api.NotFound()
}

func (s *Service) userResult(id string, r txn.Record) (rest.Result[api.User], error) {
	result, err := rest.ObjectResult[api.User](rest.ExtendObject(r.Public).Set("urls", api.LocationURLs{
		Location: s.PublicURL + "/v1/users/" + id,
	}))
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

// updateUser changes the caller's account. Jobs, which are scheduled before the change, update the copies in the
// user's organizations.
func (s *Service) updateUser(ctx context.Context, c *rest.Call, in api.UpdateUserInput) (none rest.Result[api.User], err error) {
	organizations, err := s.LoadUserOrganizations(ctx, in.User)
	switch {
	case err != nil:
		return none, err
	case in.User != c.Caller.User:
		if _, err := s.findCommonMembership(ctx, c, in.User, organizations); err != nil {
			return none, err
		}
		return none, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "Everybody changes their own account.")
	case c.Caller.Organization != "":
		return none, TokenBoundElsewhereError(c.Caller)
	}
	changes, err := s.userWouldChange(ctx, c, in)
	if err != nil {
		return none, err
	}
	if !changes || c.DryRun {
		organizations = nil
	}
	if err := s.ScheduleUserCopies(ctx, organizations, in.User); err != nil {
		return none, err
	}
	result, err := rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (rest.Result[api.User], error) { return s.changeUser(tx, in) })
	if err != nil {
		return none, err
	}
	s.CopyUserToOrganizations(ctx, organizations, in.User)
	return result, nil
}

// CopyUserToOrganizations copies the fields of a user into organizations. Errors are only logged, because a job repeats the
// copy.
func (s *Service) CopyUserToOrganizations(ctx context.Context, organizations []string, user string) {
	for _, org := range organizations {
		if err := s.copyUser(ctx, org, user); err != nil {
			s.Log.WarnContext(ctx, "a membership does not show a change of its user yet", "user", user, "organization", org, "error", err)
		}
	}
}

// ScheduleUserCopies schedules the jobs that copy a user into the given organizations, except where the user is not a
// member.
func (s *Service) ScheduleUserCopies(ctx context.Context, organizations []string, user string) error {
	for _, org := range organizations {
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(org, user)
			if err == nil && m.Version > 0 {
				tx.Schedule(org, store.UserJob(user), store.UserJobTime)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// LoadUserOrganizations returns the ids of the organizations in which a user may be a member. It returns not_found if
// the user does not exist.
func (s *Service) LoadUserOrganizations(ctx context.Context, id string) (organizations []string, err error) {
	b := s.Store.NewBatch()
	user, index := b.Record(store.UserKey(id)), b.Range(store.UserOrganizationsKey(id), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read user: %w", err)
	}
	if _, ok, err := user.Get(); err != nil || !ok {
		return nil, rest.NotFoundIfNil(err)
	}
	return index.Value(), nil
}

// userWouldChange reports whether a request would change the account, since jobs are scheduled only for changes.
func (s *Service) userWouldChange(ctx context.Context, c *rest.Call, in api.UpdateUserInput) (changes bool, err error) {
	options := txn.UpdateOptions{DryRun: true, Idempotency: c.Idempotency()}
	err = s.Store.Update(ctx, c.Shard(), options, func(tx *store.Tx) error {
		if err := c.Match(tx); err != nil {
			return err
		}
		r, err := s.changeUser(tx, in)
		changes = !r.Unchanged
		return err
	})
	return changes, err
}

func (s *Service) changeUser(tx *store.Tx, in api.UpdateUserInput) (none rest.Result[api.User], err error) {
	u, err := tx.User(in.User)
	if err != nil || u.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	changed := patchUser(&u.Fields, in.Body)
	record, _, err := tx.Record(store.UserKey(in.User))
	if changed && err == nil {
		record, err = tx.PutUser(u)
	}
	if err != nil {
		return none, err
	}
	result, err := s.userResult(in.User, record)
	result.Unchanged = !changed
	return result, err
}

func patchUser(f *api.UserFields, patch api.UserPatch) (changed bool) {
	changed = patch.DisplayName.Apply(&f.DisplayName)
	return patch.PhotoURL.ApplyNull(&f.PhotoURL) || changed
}

// RunUserCopy is the job that copies a user into an organization.
func (s *Service) RunUserCopy(ctx context.Context, lease store.Lease) error {
	if err := s.copyUser(ctx, lease.Organization, lease.Arg); err != nil {
		return err
	}
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return lease.Finish(tx.Tx)
	})
}

// copyUser copies the fields of a user, and whether the account is disabled, into a membership, and repeats this if the
// account changed in the meantime. The copy of a former member is not changed.
func (s *Service) copyUser(ctx context.Context, org, id string) error {
	for {
		u, err := s.LoadUser(ctx, id)
		if err != nil {
			return err
		}
		err = s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(org, id)
			known, disabled := memberFields(u, m), u.Private.IsDisabled()
			if err != nil || m.Version == 0 || m.Private.User == known && m.Private.Disabled == disabled {
				return err
			}
			tx.Event(userCopyEvent(tx.Now(), id, m.Private.Disabled, disabled))
			m.Private.User, m.Private.Disabled = known, disabled
			_, err = tx.PutMember(org, m)
			return err
		})
		if err != nil {
			return err
		}
		now, err := s.LoadUser(ctx, id)
		if err != nil || now.Fields == u.Fields && now.Private.IsDisabled() == u.Private.IsDisabled() {
			return err
		}
	}
}

// Types of events of changes that the operator makes to an account. They have no actor.
const (
	eventUserDisabled = "users.disable"
	eventUserEnabled  = "users.enable"
)

// userCopyEvent returns the event of a changed copy of a user whose account was and is disabled, or not.
func userCopyEvent(now time.Time, id string, was, is bool) map[string]string {
	switch {
	case is && !was:
		return operatorEvent(now, eventUserDisabled, id)
	case was && !is:
		return operatorEvent(now, eventUserEnabled, id)
	}
	return map[string]string{
		"type": api.UpdateUser.Name, "at": strconv.FormatInt(now.UnixMilli(), 10), "actor": id, "id": id,
	}
}
