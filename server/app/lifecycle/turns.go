package lifecycle

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

const (
	permitPollInterval = 200 * time.Millisecond // between two attempts to acquire a permit of a user
	permitRetryAfter   = 5 * time.Second        // Retry-After of a request that waited for one in vain
	releaseTimeout     = 5 * time.Second        // for releasing it; otherwise it expires
)

// takeTurn waits until the caller may duplicate or transfer: for one of the caller's permits, which all nodes share, and for a
// permit of this node for large work. The caller must call end.
func (s *Service) takeTurn(ctx context.Context, c *rest.Call) (end func(), err error) {
	permit, err := s.acquireUserPermit(ctx, c.Caller.User)
	if err != nil {
		return nil, err
	}
	release := func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
		defer cancel()
		_ = s.Store.Jobs.ReleasePermit(ctx, permit) // it expires
	}
	work, err := s.Slow.BeginLarge(ctx, budgets.CopyStart)
	if err != nil {
		release()
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renewPermit(ctx, permit) })
	return func() {
		stop()
		renewing.Wait()
		work.End()
		release()
	}, nil
}

// acquireUserPermit waits for one of the permits of a user. After the maximum wait it returns a rate_limited error.
func (s *Service) acquireUserPermit(ctx context.Context, user string) (permit store.Permit, err error) {
	wait := time.NewTimer(time.Duration(s.Budgets.TurnWait))
	defer wait.Stop()
	poll := time.NewTicker(permitPollInterval)
	defer poll.Stop()
	for {
		for i := range s.Budgets.UserCopies {
			permit, ok, err := s.Store.Jobs.AcquireUserPermit(ctx, user, fmt.Sprintf("%s-%d", store.CopyKind, i), s.JobLease())
			if ok || err != nil {
				return permit, err
			}
		}
		select {
		case <-ctx.Done():
			return permit, ctx.Err()
		case <-wait.C:
			return permit, tooManyCopiesError(s.Budgets.UserCopies)
		case <-poll.C:
		}
	}
}

func tooManyCopiesError(most int64) *api.Error {
	e := api.Errorf(http.StatusTooManyRequests, api.ReasonRateLimited,
		"You have %d duplicates and transfers under way, and may have %d at a time; nothing was changed.", most, most).
		WithHint("Wait until one of them has ended.")
	e.RetryAfter = permitRetryAfter
	return e
}

// renewPermit renews a permit until ctx is done.
func (s *Service) renewPermit(ctx context.Context, permit store.Permit) {
	ticker := time.NewTicker(max(s.JobLease()/3, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = s.Store.Jobs.RenewPermit(ctx, permit, s.JobLease()) // the work may continue without it
		}
	}
}
