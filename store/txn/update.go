package txn

import (
	"context"
	"errors"
	"time"

	"docspace.dev/wsd/store/redis"
)

// UpdateOptions configures a transaction.
type UpdateOptions struct {
	// Guards are earlier reads that the transaction depends on. If one has changed at the commit, Update returns
	// ErrStale and the caller decides again.
	Guards []Guard
	// Prefetch is read in the first trip (see Tx.Prefetch).
	Prefetch []redis.Key
	// Lock names keys that the transaction will certainly write, so that the transactions of one process are
	// serialized instead of conflicting.
	Lock []redis.Key
	// DryRun runs and checks everything but writes nothing.
	DryRun bool
	// Idempotency makes a repeated Update return a *ReplayError. It is read in the first trip.
	Idempotency *Idempotency
	// EnforceQuota enforces the quota of the organization: a transaction that adds a record, content, or more than a small
	// change returns a *QuotaError if it does not fit. Otherwise usage is only counted.
	EnforceQuota bool
}

// Guard is a value that was read before the transaction and must be unchanged at the commit.
type Guard struct {
	key  redis.Key
	want Reading
}

// FieldGuard returns a Guard that requires that a field of a HASH has the value, or is absent if present is false.
func FieldGuard(hash redis.Key, field, value string, present bool) Guard {
	return Guard{hash.Field(field), Reading{Present: present, Text: value}}
}

// Limits of the retries of one Update: about two seconds in total.
const (
	maxAttempts = 24
	backoffStep = 2 * time.Millisecond
	backoffMax  = 128 * time.Millisecond
)

// Update runs fn and commits its writes with one script if nothing it read has changed; otherwise it runs fn again.
// An error of fn is returned unchanged and nothing is written. fn must not have effects other than through tx.
//
// Errors: ErrStale, ErrBusy, ErrTooLarge, ErrUnavailable, ErrUnknown, ErrLagging, ErrNewerFormat, *ClaimedError, *QuotaError,
// *ReplayError.
func (s *Store) Update(ctx context.Context, shard redis.Shard, options UpdateOptions, fn func(tx *Tx) error) error {
	if err := s.FormatError(); err != nil {
		return err
	}
	u := &update{
		store: s, shard: shard, options: options, run: fn,
		op: s.NextOp(), now: s.Now(), claims: map[redis.Key]string{},
	}
	err := u.loop(ctx)
	s.counts.addFailure(err)
	if err != nil || len(u.released) > 0 {
		u.cleanUp(ctx, err)
	}
	return err
}

// cleanUp releases the claims that the commit gave up or, after an error, those that it would have needed. It does so even if the
// caller has cancelled.
func (u *update) cleanUp(ctx context.Context, err error) {
	ctx, end := withCommitTimeout(ctx)
	defer end()
	switch {
	case err == nil && !u.options.DryRun:
		u.store.release(ctx, u.released)
	case err != nil && !errors.Is(err, redis.ErrUnavailable):
		u.store.releaseClaims(ctx, u.claims)
		if !errors.Is(err, redis.ErrStale) { // after an ErrStale the caller will try again
			u.store.recordUncommitted(ctx, u.shard, u.uncommittedSizes)
		}
	}
}

// update is one call of Update.
type update struct {
	store            *Store
	shard            redis.Shard
	options          UpdateOptions
	run              func(tx *Tx) error
	op               string
	now              time.Time
	claims           map[redis.Key]string
	released         []release         // claims that the commit releases
	uncommittedSizes map[string]string // sizes of spaces in which objects were stored without a commit
}

func (u *update) loop(ctx context.Context) error {
	contended := u.options.Lock
	for attempt := range maxAttempts {
		if err := pause(ctx, attempt); err != nil {
			return err
		}
		release, err := u.store.locks.acquire(ctx, contended)
		if err != nil {
			return err
		}
		lost, err := u.attempt(ctx)
		release()
		if err != nil || lost == nil {
			return err
		}
		u.store.counts.reruns.Add(1)
		contended = append(contended, *lost)
	}
	return ErrBusy
}

// pause waits before every attempt except the first.
func pause(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	return redis.PauseUpTo(ctx, min(backoffStep<<min(attempt, 10), backoffMax))
}

// attempt runs the closure once and tries to commit. lost is the key whose check failed.
func (u *update) attempt(ctx context.Context) (lost *redis.Key, err error) {
	tx := u.begin(ctx)
	if err := u.prefetch(tx); err != nil {
		return nil, err
	}
	if err := u.run(tx); err != nil {
		return u.verifyError(tx, err)
	}
	if tx.err != nil {
		return u.verifyError(tx, tx.err)
	}
	if !tx.hasEffects() {
		return nil, nil
	}
	tx.noteCommand()
	if sweeping, err := tx.readGCEpochs(); err != nil || sweeping != nil {
		return sweeping, err
	}
	u.addToOutbox(tx)
	program, err := u.buildProgram(tx)
	if err != nil {
		return nil, err
	}
	lost, err = u.send(tx, program)
	if c := u.store.command; c != nil && lost == nil && err == nil && !tx.dry {
		c.noteChange(ownerOf(tx.shard))
	}
	u.released = tx.preparation.released
	return lost, err
}

// verifyError returns an error of the closure, or its misuse of the transaction, unless the closure made several trips and its
// reads are inconsistent: a record read before another commit and its neighbours read after it describe a state that never
// existed. Then the closure runs again.
func (u *update) verifyError(tx *Tx, cause error) (lost *redis.Key, err error) {
	if tx.trips < 2 || errors.Is(cause, redis.ErrUnavailable) || tx.ctx.Err() != nil {
		return nil, cause
	}
	p := newProgram(u.store.Prefix, OpKey(u.shard, u.op))
	tx.expectReads(p)
	if err := p.checkSize(); err != nil {
		return nil, cause
	}
	outcome, err := u.store.sendScript(tx.ctx, p, "", true)
	if err != nil || outcome.failedCheck < 1 || outcome.failedCheck > len(p.checks) {
		return nil, cause
	}
	return &p.checks[outcome.failedCheck-1], nil
}

func (u *update) begin(ctx context.Context) *Tx {
	return &Tx{
		ctx: ctx, store: u.store, shard: u.shard, op: u.op, now: u.now, dry: u.options.DryRun,
		preparation:  preparation{generation: redis.RequiredGeneration(ctx, u.shard)},
		enforceQuota: u.options.EnforceQuota,
		reads:        map[redis.Key]Reading{}, records: map[redis.Key]Reading{}, fields: map[redis.Key]Reading{},
		writeIndex: map[KeyMember]int{},
	}
}

// prefetch makes the first trip: the prefetch and the idempotency key.
func (u *update) prefetch(tx *Tx) error {
	idempotency := u.options.Idempotency
	if idempotency == nil {
		return tx.Prefetch(u.options.Prefetch...)
	}
	key := IdempotencyKey(u.shard, idempotency.Key)
	if !key.Valid() {
		return redis.Misuse("idempotency key %q", idempotency.Key)
	}
	if err := tx.Prefetch(append([]redis.Key{key}, u.options.Prefetch...)...); err != nil {
		return err
	}
	value := tx.reads[key]
	tx.dropRead(key) // the script checks it separately
	if value.Present {
		return replayError([]byte(value.Text))
	}
	return nil
}

// dropRead removes a key from the read set.
func (tx *Tx) dropRead(key redis.Key) {
	delete(tx.reads, key)
	for i, read := range tx.readOrder {
		if read == key {
			tx.readOrder = append(tx.readOrder[:i:i], tx.readOrder[i+1:]...)
			return
		}
	}
}

// replayError returns the saved answer as an error.
func replayError(data []byte) error {
	answer, err := decodeAnswer(data)
	if err != nil {
		return err
	}
	return answer
}

// hasEffects reports whether there is anything to commit.
func (tx *Tx) hasEffects() bool {
	return len(tx.writes)+len(tx.events)+len(tx.counts)+len(tx.contentSizes)+len(tx.preparation.spaces)+
		len(tx.preparation.supersets)+len(tx.preparation.claims) > 0 || tx.answer != nil ||
		tx.eventsBefore > 0 || tx.eventsKept > 0
}

// recordSizes adds the sizes of the spaces in which this attempt stored new objects to uncommittedSizes.
func (u *update) recordSizes(done *preparation) {
	if done.addedBytes == 0 {
		return
	}
	if u.uncommittedSizes == nil {
		u.uncommittedSizes = map[string]string{}
	}
	for _, h := range done.sizes {
		u.uncommittedSizes[h.space] = h.size
	}
}
