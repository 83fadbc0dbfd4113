package txn

import (
	"context"
	"errors"
	"time"

	"docspace.dev/wsd/store/redis"
)

// UpdateOptions says how a transaction runs.
type UpdateOptions struct {
	// Guards are what an earlier decision rests on; if one does not hold at the
	// commit, Update returns ErrStale and the caller decides again.
	Guards []Guard
	// Prefetch is read in the first trip (see Tx.Prefetch).
	Prefetch []redis.Key
	// Lock names keys that the transaction will surely write, so that the
	// transactions of one process queue up instead of losing against each other.
	Lock []redis.Key
	// DryRun runs and checks everything and writes nothing.
	DryRun bool
	// Idempotency makes a repeat answer *Replay. It is read in the first trip.
	Idempotency *Idempotency
	// Charged holds the transaction to the quota of its organization: what adds a
	// record, content, or more than a small change to what is there is *Exceeded
	// when there is no room for it. Without, everything is counted and nothing refused.
	Charged bool
}

// Guard is one member of a read set that was read before the transaction.
type Guard struct {
	key  redis.Key
	want Reading
}

// RecordGuard holds while a record has the version; 0 = absent.
func RecordGuard(record redis.Key, version int64) Guard {
	return Guard{record, Reading{Present: version > 0, Record: Record{Version: version}}}
}

// FieldGuard holds while a field of a HASH has the value, or is absent.
func FieldGuard(hash redis.Key, field, value string, present bool) Guard {
	return Guard{hash.Field(field), Reading{Present: present, Text: value}}
}

// CardGuard holds while an order, index or set has so many members.
func CardGuard(key redis.Key, members int64) Guard {
	return Guard{key, Reading{Present: members > 0, count: members}}
}

// Bounds of the retries of one Update: about two seconds in all.
const (
	maxAttempts = 24
	backoffStep = 2 * time.Millisecond
	backoffMax  = 128 * time.Millisecond
)

// Update runs fn and commits what it wrote, in one script, if nothing that it
// read has changed; else it runs fn again. An error of fn is returned as it is
// and nothing is written. fn must have no other effects than through tx.
//
// Errors: ErrStale, ErrBusy, ErrTooLarge, ErrUnavailable, ErrUnknown, ErrLagging, ErrNewerForm,
// *Claimed, *Exceeded, *Replay.
func (s *Store) Update(ctx context.Context, shard redis.Shard, options UpdateOptions, fn func(tx *Tx) error) error {
	if err := s.Refusal(); err != nil {
		return err
	}
	u := &update{
		store: s, shard: shard, options: options, run: fn,
		op: s.NextOp(), now: s.Now(), claims: map[redis.Key]string{},
	}
	err := u.loop(ctx)
	if err != nil && !errors.Is(err, redis.ErrUnavailable) {
		ctx, end := shielded(ctx) // who has left leaves nothing lying about either
		defer end()
		s.abandon(ctx, u.claims)
		if !errors.Is(err, redis.ErrStale) { // it will be tried again
			s.note(ctx, shard, u.inVain)
		}
	}
	return err
}

// update is one call of Update.
type update struct {
	store   *Store
	shard   redis.Shard
	options UpdateOptions
	run     func(tx *Tx) error
	op      string
	now     time.Time
	claims  map[redis.Key]string
	inVain  map[string]string // sizes of spaces in which objects were stored
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
		contended = append(contended, *lost)
	}
	return ErrBusy
}

// pause waits before an attempt that is not the first.
func pause(ctx context.Context, attempt int) error {
	if attempt == 0 {
		return nil
	}
	return redis.PauseUpTo(ctx, min(backoffStep<<min(attempt, 10), backoffMax))
}

// attempt runs the closure once and tries to commit. lost is the key whose
// check failed.
func (u *update) attempt(ctx context.Context) (lost *redis.Key, err error) {
	tx := u.begin(ctx)
	if err := u.first(tx); err != nil {
		return nil, err
	}
	if err := u.run(tx); err != nil {
		return u.confirm(tx, err)
	}
	if tx.err != nil {
		return nil, tx.err
	}
	if !tx.effective() {
		return nil, nil
	}
	if sweeping, err := tx.gcEpochs(); err != nil || sweeping != nil {
		return sweeping, err
	}
	u.carry(tx)
	program, err := u.program(tx)
	if err != nil {
		return nil, err
	}
	return u.send(tx, program)
}

// confirm returns an error of the closure, unless the closure made several trips
// and what it read does not hold together: a record read before another commit
// and its neighbours read after it say what never was. Then it runs again.
func (u *update) confirm(tx *Tx, cause error) (lost *redis.Key, err error) {
	if tx.trips < 2 || tx.err != nil || errors.Is(cause, redis.ErrUnavailable) || tx.ctx.Err() != nil {
		return nil, cause
	}
	p := newProgram(u.store.Prefix, OpKey(u.shard, u.op))
	tx.expectReads(p)
	if err := p.fits(); err != nil {
		return nil, cause
	}
	outcome, err := u.store.run(tx.ctx, p, "", true)
	if err != nil || outcome.lost < 1 || outcome.lost > len(p.checks) {
		return nil, cause
	}
	return &p.checks[outcome.lost-1], nil
}

func (u *update) begin(ctx context.Context) *Tx {
	return &Tx{
		ctx: ctx, store: u.store, shard: u.shard, op: u.op, now: u.now, dry: u.options.DryRun,
		before:  preparation{ground: redis.GroundOf(ctx, u.shard)},
		charged: u.options.Charged,
		reads:   map[redis.Key]Reading{}, records: map[redis.Key]Reading{}, fields: map[redis.Key]Reading{}, numbers: map[Cell]int{},
	}
}

// first makes the first trip: the prefetch and the idempotency key.
func (u *update) first(tx *Tx) error {
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
	tx.forget(key) // checked by the script in its own way
	if value.Present {
		return replay([]byte(value.Text))
	}
	return nil
}

// forget takes a key out of the read set.
func (tx *Tx) forget(key redis.Key) {
	delete(tx.reads, key)
	for i, read := range tx.readOrder {
		if read == key {
			tx.readOrder = append(tx.readOrder[:i:i], tx.readOrder[i+1:]...)
			return
		}
	}
}

// replay returns the saved answer as an error.
func replay(data []byte) error {
	answer, err := decodeAnswer(data)
	if err != nil {
		return err
	}
	return answer
}

// effective reports whether there is anything to commit.
func (tx *Tx) effective() bool {
	return len(tx.writes)+len(tx.events)+len(tx.counts)+len(tx.held)+len(tx.before.spaces)+
		len(tx.before.supersets)+len(tx.before.claims) > 0 || tx.answer != nil
}

// storedObjects remembers the sizes of the spaces in which this run stored objects
// that were not there.
func (u *update) storedObjects(done *preparation) {
	if done.added == 0 {
		return
	}
	if u.inVain == nil {
		u.inVain = map[string]string{}
	}
	for _, h := range done.sizes {
		u.inVain[h.space] = h.size
	}
}
