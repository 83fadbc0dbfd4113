package orgs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Validity of the tokens of service accounts.
const (
	defaultServiceTokenTime = 90 * 24 * time.Hour
	maxServiceTokenTime     = 366 * 24 * time.Hour
)

// createServiceAccountToken creates a token of a service account. The token is stored before the commit in the organization, and deleted
// again if that is refused: its secret is known to nobody until then. It stays if the outcome of the commit is not known.
func (s *Service) createServiceAccountToken(ctx context.Context, c *rest.Call, in api.CreateServiceAccountTokenInput) (
	none rest.Result[api.Token], err error,
) {
	if c.HTTP.Header.Get("If-Match") != "" { // refused before the token is stored
		return none, api.InvalidParam(api.FieldError{Path: "If-Match", Message: "does not go with this operation"})
	}
	if err := c.StoredAnswer(); err != nil {
		return none, err
	}
	o, err := s.serviceTokenOptions(c, in)
	if err != nil {
		return none, err
	}
	record, text, err := s.storeServiceToken(ctx, c, in.ServiceAccount, o)
	if err != nil {
		return none, err
	}
	id := tokenIDOf(text)
	result, err := rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (none rest.Result[api.Token], err error) {
		if _, err := readServiceAccount(tx, c.Org, in.ServiceAccount); err != nil {
			return none, err
		}
		c.Note(eventlog.Users, in.ServiceAccount)
		r, err := rest.ObjectResult[api.Token](rest.ExtendObject(record.Public).Set("token", text))
		return r.WithLocation(id, s.PublicURL+"/v1/orgs/"+c.Org+"/members/"+in.ServiceAccount+"/tokens/"+id), err
	})
	if err != nil && !c.DryRun && !errors.Is(err, redis.ErrUnknown) {
		err = errors.Join(err, s.removeServiceToken(context.WithoutCancel(ctx), in.ServiceAccount, id))
	}
	return result, err
}

// serviceTokenOptions returns the options of a token of a service account, with the defaults of the request.
func (s *Service) serviceTokenOptions(c *rest.Call, in api.CreateServiceAccountTokenInput) (o TokenOptions, err error) {
	now := s.now()
	o = TokenOptions{
		Name: in.Body.Name, Scopes: in.Body.Scopes, Organization: c.Org, ExpiresAt: api.At(now.Add(defaultServiceTokenTime)),
		Agent: c.Caller.IsAgent, service: &store.TokenService{Spaces: in.Body.Spaces, Groups: in.Body.Groups},
	}
	if o.Scopes == nil {
		o.Scopes = []api.Scope{api.ScopeRead}
	}
	if err := CheckExpiry(in.Body.ExpiresAt, now); err != nil {
		return o, err
	}
	if given, ok := in.Body.ExpiresAt.Get(); ok {
		if latest := now.Add(maxServiceTokenTime); given.After(latest) {
			return o, api.InvalidField("expiresAt", "must not be after %s: tokens of service accounts work for at most 366 days",
				api.At(latest))
		}
		o.ExpiresAt = given
	}
	c.Access(func(model *access.Model) {
		if p := model.Member(in.ServiceAccount); p == nil || !p.IsService() {
			err = api.NotFound()
			return
		} else if p.JoinedAt.After(now) { // see boundTokenStart
			o.BoundSince = p.JoinedAt
		}
		for i, id := range in.Body.Spaces {
			if _, active := model.Active(id); !active || !access.IsSpace(id) {
				err = api.InvalidField(fmt.Sprintf("spaces[%d]", i), "is not a space of the organization: %q", id)
				return
			}
		}
	})
	return o, err
}

// storeServiceToken stores a token of a service account within the quota of its tokens.
func (s *Service) storeServiceToken(ctx context.Context, c *rest.Call, user string, o TokenOptions) (record txn.Record, text string,
	err error,
) {
	_, err = rest.RetryPlan(func() (none rest.Result[api.None], err error) {
		b := s.Store.NewBatch()
		all := queueUserQuota(b, s.Budgets, user, quotaTokens)
		if err := b.Do(ctx); err != nil {
			return none, fmt.Errorf("read tokens: %w", err)
		}
		f := tokenFamily{user: user, isService: true, userTokens: all()}
		if err := s.checkTokenQuota(ctx, f); err != nil {
			return none, err
		}
		return none, s.Store.Update(ctx, store.User(user), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
			if err := f.userTokens.checkUnchanged(tx, store.TokensKey(user)); err != nil {
				return err
			}
			record, text, err = NewToken(tx, user, o)
			return err
		})
	})
	return record, text, err
}

// removeServiceToken deletes a token whose creation failed.
func (s *Service) removeServiceToken(ctx context.Context, user, id string) error {
	return s.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.Token(user, id)
		if err == nil && d.Version > 0 {
			tx.DeleteToken(user, d)
		}
		return err
	})
}
