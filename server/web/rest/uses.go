package rest

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

const (
	recordUseTimeout = time.Second
	// useKept is the time for which the last use of a token in an organization is kept.
	useKept = 400 * 24 * time.Hour
	// maxRecentUses is the maximum number of uses that a node remembers. Further ones of the minute are not recorded.
	maxRecentUses = 100_000
)

// recentUses remembers the members who were seen, and the tokens that they used, in the present minute, by organization. A node records
// each of them once a minute.
type recentUses struct {
	mu     sync.Mutex
	minute int64
	ids    map[[2]string]bool // organization, and user or token
}

// add reports whether a user or token was not seen before in an organization in the minute of a time.
func (u *recentUses) add(org, id string, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if minute := now.Unix() / 60; minute != u.minute || u.ids == nil {
		u.minute, u.ids = minute, map[[2]string]bool{}
	}
	use := [2]string{org, id}
	if u.ids[use] || len(u.ids) == maxRecentUses {
		return false
	}
	u.ids[use] = true
	return true
}

// recordUse stores the minute of the token's last use, that in the organization of the call with the time at which the member was last
// seen, and the user's request count. It runs after the response was sent, so that the response is not delayed.
func (p *Pipeline) recordUse(ctx context.Context, c *Call, w *recorder) {
	if c.Caller == nil || c.Caller.Token == "" {
		return
	}
	now := p.clock()
	used := strconv.FormatInt(now.Truncate(time.Minute).Unix(), 10)
	made := p.limiter.Pending(c.Caller.User, now)
	isFirstHere := c.Caller.IsMember && p.uses.add(c.Org, c.Caller.Token, now)
	if used == c.tokenLastUse && made == 0 && !isFirstHere {
		return
	}
	_ = http.NewResponseController(w).Flush() // the client has disconnected
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordUseTimeout)
	defer cancel()
	var err error
	if used != c.tokenLastUse {
		err = p.store.Touch(ctx, store.UsedKey(c.Caller.User, c.Caller.Token), used)
	}
	if isFirstHere {
		use := txn.MemberUse{Token: store.UsedHereKey(c.Org, c.Caller.Token), Seen: store.SeenKey(c.Org), At: now, Keep: useKept}
		if ends := c.Caller.ExpiresAt; !ends.IsZero() && !c.Caller.SecretReplaced {
			use.Keep = min(max(ends.Sub(now), time.Minute), useKept)
		}
		if c.Caller.Installation == nil && p.uses.add(c.Org, c.Caller.User, now) {
			use.User = c.Caller.User
		}
		err = errors.Join(err, p.store.TouchMember(ctx, use))
	}
	if made > 0 {
		err = errors.Join(err, p.store.Count(ctx, auth.RateKey(c.Caller.User, now), made, 2*auth.RateWindow))
	}
	if err != nil {
		p.log.Debug("use of a token not noted", "token", c.Caller.Token, "error", err)
	}
}
