package txn

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Bounds of the sends of one program: about a second in all, which is what the
// end of a failover takes when its beginning was waited for by the reads.
const (
	maxSends = 8
	sendStep = 8 * time.Millisecond
	sendMax  = 512 * time.Millisecond
)

// commitTime is what a commit has that was begun, whether or not its caller
// still waits.
const commitTime = 20 * time.Second

// send writes the preparation and commits. The driver does not repeat a commit:
// after a broken connection another master may answer, which has the head but
// not what was prepared. So both are done again here. That is safe: the script
// remembers the operation, and where the memory was lost, too, the read set says
// whether the commit still fits. lost is the key whose check failed.
func (u *update) send(tx *Tx, p *program) (lost *redis.Key, err error) {
	var unknown error // of a commit that may have been made
	for n := range maxSends {
		at, err := u.ready(tx, n)
		if errors.Is(err, redis.ErrStale) && tx.before.ground == "" { // a master has changed meanwhile: what it had is written anew
			continue
		}
		if err != nil {
			return nil, graver(unknown, err)
		}
		p.prepared(&tx.before)
		if n == 0 {
			end, err := tx.commits()
			if err != nil {
				return nil, err
			}
			defer end()
		}
		outcome, err := outcome{moved: true}, error(nil)
		if !at.Torn {
			outcome, err = u.store.run(tx.ctx, p, at.Generation, tx.dry)
		}
		switch {
		case err == nil && !outcome.moved:
			return u.settled(tx, p, outcome)
		case err == nil && tx.before.ground != "":
			return nil, graver(unknown, fmt.Errorf("%w: the master has changed", redis.ErrStale))
		case err != nil && (!again(err) || tx.ctx.Err() != nil):
			return nil, graver(unknown, err)
		}
		unknown = graver(unknown, err)
	}
	return nil, graver(unknown, fmt.Errorf("%w: the master has changed %d times", redis.ErrUnavailable, maxSends))
}

// commits begins the commit, unless its caller has left. From here on it is not
// given up when the caller leaves: one that is cut off in the middle would be made
// or not, and nobody would know.
func (tx *Tx) commits() (end func(), err error) {
	if err := tx.ctx.Err(); err != nil {
		return nil, redis.Wrap(tx.ctx, err)
	}
	if tx.dry {
		return func() {}, nil
	}
	tx.ctx, end = shielded(tx.ctx)
	return end, nil
}

// shielded returns a context that does not end with its parent, but in time.
func shielded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), commitTime)
}

// ready writes what the transaction refers to, after a pause unless it is the
// first time; a dry run only asks.
func (u *update) ready(tx *Tx, n int) (at redis.Written, err error) {
	if n > 0 {
		if err := redis.PauseUpTo(tx.ctx, min(sendStep<<n, sendMax)); err != nil {
			return at, err
		}
	}
	if tx.dry {
		return at, u.store.rehearsePreparation(tx.ctx, &tx.before)
	}
	at, err = u.store.prepare(tx.ctx, u.shard, &tx.before, u.claims)
	at.Note(tx.before.ground)
	u.storedObjects(&tx.before)
	if errors.Is(err, errNoRoom) {
		err = &Exceeded{What: FieldBytes, Limit: tx.before.limit, Use: tx.use}
	}
	return at, err
}

// graver returns the error that leaves more open.
func graver(a, b error) error {
	if a == nil || b != nil && !errors.Is(a, redis.ErrUnknown) && errors.Is(b, redis.ErrUnknown) {
		return b
	}
	return a
}

// passing lists the replies that the driver, too, would repeat a command after:
// they end with a failover.
var passing = []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK"}

// again reports whether a commit that failed may succeed soon.
func again(err error) bool {
	for _, word := range passing {
		if goredis.HasErrorPrefix(err, word) {
			return true
		}
	}
	var reply goredis.Error
	return errors.Is(err, redis.ErrUnavailable) && !errors.As(err, &reply)
}

// settled reads the outcome of a commit that was answered. What it refers to is
// kept in memory only now: before, it was but planned.
func (u *update) settled(tx *Tx, p *program, outcome outcome) (lost *redis.Key, err error) {
	switch {
	case outcome.replay != nil:
		return nil, replay(outcome.replay)
	case outcome.full != nil:
		return nil, outcome.full
	case outcome.lost == 0:
		u.remember(tx)
		return nil, nil
	case outcome.lost > len(p.checks):
		return nil, redis.Corrupt("check %d of %d", outcome.lost, len(p.checks))
	case outcome.lost <= p.guards:
		return nil, fmt.Errorf("%w: %s", redis.ErrStale, p.checks[outcome.lost-1])
	case outcome.lost == p.room:
		return nil, u.store.full()
	case outcome.lost > p.types:
		return nil, redis.Corrupt("%s has another type", p.checks[outcome.lost-1])
	}
	return &p.checks[outcome.lost-1], nil
}

// remember keeps the objects of a commit in memory, and notes it in the trace.
func (u *update) remember(tx *Tx) {
	if tx.dry {
		return
	}
	traceCommit(tx.ctx)
	for _, space := range tx.before.spaces {
		for _, object := range tx.before.objects[space] {
			u.store.Cache.Add(space, object)
		}
	}
}
