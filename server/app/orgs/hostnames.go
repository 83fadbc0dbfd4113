package orgs

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// ClaimHostname calls run, which may claim a hostname, and calls it again if a stale claim prevented this and could be released.
func ClaimHostname[Out any](ctx context.Context, s *Service, run func() (rest.Result[Out], error)) (rest.Result[Out], error) {
	result, err := run()
	if claimed := (*txn.ClaimedError)(nil); errors.As(err, &claimed) {
		if err := s.releaseStaleHostname(ctx, claimed); err != nil {
			return rest.Result[Out]{}, err
		}
		result, err = run()
	}
	if errors.Is(err, txn.ErrExists) {
		err = hostnameTakenError()
	}
	return result, err
}

// releaseStaleHostname releases a claim whose owner does not exist or has another hostname. A recent claim is left
// alone, because its transaction may still be in progress.
func (s *Service) releaseStaleHostname(ctx context.Context, claimed *txn.ClaimedError) error {
	claim, held, err := s.Store.Claim(ctx, claimed.Key)
	if err != nil {
		return fmt.Errorf("hostname: %w", err)
	}
	if !held {
		return nil
	}
	hostname, err := s.Store.LoadHostname(ctx, claim.Owner)
	if err != nil {
		return err
	}
	good := hostname != "" && store.HostnameKey(hostname) == claimed.Key
	settled, err := s.Store.ClaimExpired(ctx, claimed.Key, claim)
	if err != nil {
		return err
	}
	if good || !settled {
		return hostnameTakenError()
	}
	return s.Store.Unclaim(ctx, claimed.Key, claim)
}

func hostnameTakenError() error {
	return api.Errorf(http.StatusConflict, api.ReasonConflict, "The hostname is taken.")
}
