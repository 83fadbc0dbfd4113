package txn

import (
	"context"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Limits of the sends of one program: about a second in total. This is the time that a failover takes after its detection, for
// which the reads have waited.
const (
	maxSends = 8
	sendStep = 8 * time.Millisecond
	sendMax  = 512 * time.Millisecond
)

// commitTimeout is the time limit of a commit that has begun, whether or not its caller is still waiting.
const commitTimeout = 20 * time.Second

// send writes the preparation and commits. The driver does not repeat a commit: after a broken connection another
// master may answer that has the head but not the preparation. send therefore repeats both. This is safe because the
// script records the operation, and if that record is lost as well, the read set determines whether the commit still
// applies. lost is the key whose check failed.
func (u *update) send(tx *Tx, p *program) (lost *redis.Key, err error) {
	var unknown error // error of a commit that may have been applied
	begun := false
	expected := u.store.ExpectedTime()
	for n := range maxSends {
		if unknown != nil {
			if err := u.checkRepeatable(tx, expected); err != nil {
				return nil, lessCertainError(unknown, err)
			}
		}
		written, err := u.prepareAttempt(tx, n)
		if errors.Is(err, redis.ErrStale) && tx.preparation.generation == "" { // a master was replaced: write its part again
			continue
		}
		if err != nil {
			return nil, lessCertainError(unknown, err)
		}
		p.addPreparation(&tx.preparation)
		if !begun {
			end, err := tx.beginCommit()
			if err != nil {
				return nil, err
			}
			defer end()
			begun = true
		}
		outcome, err := outcome{masterChanged: true}, error(nil)
		if !written.Mixed {
			outcome, err = u.store.sendScript(tx.ctx, p, written.Generation, tx.dry)
		}
		switch {
		case err == nil && !outcome.masterChanged:
			return u.evaluate(tx, p, outcome)
		case err == nil && tx.preparation.generation != "":
			return nil, lessCertainError(unknown, fmt.Errorf("%w: the master has changed", redis.ErrStale))
		case err != nil && (!retryable(err) || tx.ctx.Err() != nil):
			return nil, lessCertainError(unknown, err)
		}
		unknown = lessCertainError(unknown, err)
	}
	return nil, lessCertainError(unknown, fmt.Errorf("%w: the master has changed %d times", redis.ErrUnavailable, maxSends))
}

// checkRepeatable returns an error if the record of the operation may have expired, because the clock of Redis was set
// forward. expected returns the expected time of Redis.
func (u *update) checkRepeatable(tx *Tx, expected redis.Clock) error {
	if expected == nil {
		return nil
	}
	now, err := u.store.KeyTime(tx.ctx, u.shard.Key(redis.OrderKind, "due"))
	switch {
	case err != nil && (!retryable(err) || tx.ctx.Err() != nil):
		return err
	case err == nil && now.Sub(expected()) >= opRetention/2:
		return fmt.Errorf("%w: the clock of Redis was set forward", redis.ErrUnavailable)
	}
	return nil // without an answer, the commit will not have one either
}

// beginCommit begins the commit unless the context of the caller is done. A commit that has begun is completed even if
// the caller cancels; otherwise its outcome would be unknown.
func (tx *Tx) beginCommit() (end func(), err error) {
	if err := tx.ctx.Err(); err != nil {
		return nil, redis.Wrap(tx.ctx, err)
	}
	if tx.dry {
		return func() {}, nil
	}
	tx.ctx, end = withCommitTimeout(tx.ctx)
	return end, nil
}

// withCommitTimeout returns a context that ignores the cancellation of its parent and ends after commitTimeout.
func withCommitTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
}

// prepareAttempt writes the data that the transaction refers to, after a pause unless n is the first attempt. A dry run only
// checks it.
func (u *update) prepareAttempt(tx *Tx, n int) (written redis.WriteGeneration, err error) {
	if n > 0 {
		if err := redis.PauseUpTo(tx.ctx, min(sendStep<<n, sendMax)); err != nil {
			return written, err
		}
	}
	if tx.dry {
		return written, u.store.checkPreparation(tx.ctx, &tx.preparation)
	}
	written, err = u.store.prepare(tx.ctx, u.shard, &tx.preparation, u.claims)
	written.Add(tx.preparation.generation)
	u.recordSizes(&tx.preparation)
	if errors.Is(err, errQuotaExhausted) {
		err = &QuotaError{Resource: FieldBytes, Limit: tx.preparation.limit, Usage: tx.usage}
	}
	return written, err
}

// lessCertainError returns the error that leaves it less certain whether the commit was applied: the first ErrUnknown,
// otherwise the first error.
func lessCertainError(a, b error) error {
	if a == nil || b != nil && !errors.Is(a, redis.ErrUnknown) && errors.Is(b, redis.ErrUnknown) {
		return b
	}
	return a
}

// transientReplies lists the error replies after which the driver also repeats a command. The conditions that they report end
// when a failover is complete.
var transientReplies = []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK"}

// retryable reports whether a failed commit may be retried.
func retryable(err error) bool {
	for _, word := range transientReplies {
		if goredis.HasErrorPrefix(err, word) {
			return true
		}
	}
	var reply goredis.Error
	return errors.Is(err, redis.ErrUnavailable) && !errors.As(err, &reply)
}

// evaluate converts the outcome of a commit into an error, or into the key whose check failed. Objects are cached only here,
// after a successful commit.
func (u *update) evaluate(tx *Tx, p *program, outcome outcome) (lost *redis.Key, err error) {
	switch {
	case outcome.replay != nil:
		return nil, replayError(outcome.replay)
	case outcome.quotaError != nil:
		return nil, outcome.quotaError
	case outcome.failedCheck == 0:
		u.cacheObjects(tx)
		return nil, nil
	case outcome.failedCheck > len(p.checks):
		return nil, redis.Corrupt("check %d of %d", outcome.failedCheck, len(p.checks))
	case outcome.failedCheck <= p.guardCount:
		return nil, fmt.Errorf("%w: %s", redis.ErrStale, p.checks[outcome.failedCheck-1])
	case outcome.failedCheck == p.outboxCheck:
		return nil, u.store.outboxFullError()
	case outcome.failedCheck > p.checksBeforeTypes:
		return nil, redis.Corrupt("%s has another type", p.checks[outcome.failedCheck-1])
	}
	return &p.checks[outcome.failedCheck-1], nil
}

// cacheObjects caches the objects of a commit and counts it.
func (u *update) cacheObjects(tx *Tx) {
	if tx.dry {
		return
	}
	u.store.counts.commits.Add(1)
	countCommit(tx.ctx)
	for _, space := range tx.preparation.spaces {
		for _, object := range tx.preparation.objects[space] {
			u.store.Cache.Add(space, object)
		}
	}
}
