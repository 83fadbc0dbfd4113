package txn

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// preparation is what a transaction writes to other slots just before its
// commit. A crash between the two leaves only what nobody refers to: objects
// without a reference, superset members without a target, claims whose owner
// does not point back.
type preparation struct {
	objects   map[string][]objects.Object // by space
	spaces    []string                    // in the order of their first object
	supersets []Registration
	claims    []Cell              // member = owner
	ground    string              // generation, if the transaction names one
	packed    map[string][]packed // the objects as they are stored, by space
	confirmed map[string]bool     // spaces whose replicas have to hold them first

	room  *int64 // that the quota leaves for objects; nil = any number of bytes
	limit int64  // the quota, where there is a room
	sizes []held // of the spaces, once their objects are stored
	would int64  // bytes of the objects that a dry run would store, at most
	added int64  // bytes that were not there before
}

// pack takes the objects of a space as they are stored.
func (p *preparation) pack(space string, all []packed) {
	if p.packed == nil { // most transactions have no objects
		p.packed = map[string][]packed{}
	}
	p.packed[space] = all
}

// confirm makes the commit wait for the replicas of a space.
func (p *preparation) confirm(space string) {
	if p.confirmed == nil {
		p.confirmed = map[string]bool{}
	}
	p.confirmed[space] = true
}

// Registration is a member of a superset index of another shard.
type Registration struct {
	Index  redis.Key
	Member string
	now    bool // its score is the time; else 0
}

// Objects stores immutable objects of a space before the commit. The space's
// GC epoch becomes part of the read set: prefetch
// GCEpochsKey(organization).Field(space) to save a trip.
func (tx *Tx) Objects(space string, made ...objects.Object) {
	if len(made) == 0 {
		return
	}
	if !redis.ValidID(space) {
		tx.fail("objects of space %q", space)
		return
	}
	if tx.before.objects == nil {
		tx.before.objects = map[string][]objects.Object{}
	}
	if _, have := tx.before.objects[space]; !have {
		tx.before.spaces = append(tx.before.spaces, space)
	}
	tx.before.objects[space] = append(tx.before.objects[space], made...)
}

// AddToSupersetBeforeCommit adds a member to a superset index of another shard before the
// commit, and waits until the replicas hold it (ErrLagging). Readers of the index
// verify it against this shard.
func (tx *Tx) AddToSupersetBeforeCommit(index redis.Key, member string) {
	if !index.Valid() || index.Kind() != redis.OrderKind || index.Tag() == tx.shard.Tag() || !tx.named(member) {
		tx.fail("%q is not a superset index of another shard", index)
		return
	}
	tx.before.supersets = append(tx.before.supersets, Registration{Index: index, Member: member})
}

// Claim takes a name that is unique among all shards, before the commit, and waits
// until the replicas hold the claim (ErrLagging). If
// somebody else holds it, Update returns a *Claimed; whether that claim is
// still good is for the caller to find out (see Store.Unclaim).
func (tx *Tx) Claim(name redis.Key, owner string) {
	if !name.Valid() || name.Kind() != redis.StringKind || name.Tag() == tx.shard.Tag() || !redis.ValidID(owner) {
		tx.fail("claim of %q for %q", name, owner)
		return
	}
	tx.before.claims = append(tx.before.claims, Cell{name, owner})
}

// gcEpochs puts the GC epochs of the spaces with objects into the read set and
// returns the field of one that is being swept now, if any.
func (tx *Tx) gcEpochs() (sweeping *redis.Key, err error) {
	hash := tx.shard.Key(redis.HashKind, "epochs")
	keys := make([]redis.Key, len(tx.before.spaces))
	for i, space := range tx.before.spaces {
		keys[i] = hash.Field(space)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return nil, err
	}
	for _, key := range keys {
		gcEpoch, err := ParseGCEpoch(tx.reads[key].Text)
		if err != nil {
			return nil, err
		}
		if gcEpoch%2 == 1 {
			return &key, nil
		}
	}
	return nil, nil
}

// ParseGCEpoch reads a GC epoch; absent is 0.
func ParseGCEpoch(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	gcEpoch, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, redis.Corrupt("sweep epoch %q", text)
	}
	return gcEpoch, nil
}

// prepare writes the preparation of a transaction of the shard. mine has the
// claims that earlier runs of the same Update made.
func (s *Store) prepare(ctx context.Context, shard redis.Shard, p *preparation, mine map[redis.Key]string) (at redis.Written, err error) {
	for _, space := range p.spaces {
		if err := s.prepareObjects(ctx, shard, space, p, &at); err != nil {
			return at, err
		}
	}
	if err := s.registerAt(ctx, shard, p.supersets, &at); err != nil {
		return at, err
	}
	for _, claim := range p.claims {
		now, err := s.TimeAt(ctx, claim.Key)
		if err != nil {
			return at, err
		}
		if err := s.claim(ctx, shard, claim.Key, claim.Member, now, mine, &at); err != nil {
			return at, err
		}
	}
	return at, nil
}

// prepareObjects writes the objects of one space.
func (s *Store) prepareObjects(ctx context.Context, transaction redis.Shard, space string, p *preparation, at *redis.Written) error {
	if !p.confirmed[space] {
		return s.writePacked(ctx, transaction, space, p.packed[space], p, at)
	}
	var there redis.Written
	if err := s.writePacked(ctx, redis.NewShard("", space), space, p.packed[space], p, &there); err != nil {
		return err
	}
	if there.Torn {
		return fmt.Errorf("%w: the master of %s has changed", redis.ErrStale, space)
	}
	return s.ConfirmKey(ctx, ObjectKey(space, 0), there.Generation)
}

// Register adds members to superset indexes.
func (s *Store) Register(ctx context.Context, members ...Registration) error {
	return s.registerAt(ctx, redis.Shard{}, members, &redis.Written{})
}

func (s *Store) registerAt(ctx context.Context, shard redis.Shard, members []Registration, at *redis.Written) error {
	if len(members) == 0 {
		return nil
	}
	began, pipe, generations := s.Moment(), s.Client.Pipeline(), make([]*goredis.Cmd, len(members))
	for i, add := range members {
		if i == 0 && s.Compares(shard, add.Index) || s.lasting(add) {
			generations[i] = s.QueueGeneration(ctx, pipe, add.Index)
		}
		if add.now {
			pipe.Eval(ctx, redis.NowSource, []string{s.Name(add.Index)}, s.GivenTime(), add.Member)
		} else {
			pipe.ZAdd(ctx, s.Name(add.Index), goredis.Z{Member: add.Member})
		}
	}
	if err := redis.Execute(ctx, "elsewhere", pipe); err != nil {
		return err
	}
	if s.Compares(shard, members[0].Index) {
		at.Note(redis.Took(generations[0]))
	}
	for i, add := range members {
		if s.lasting(add) {
			if err := s.ConfirmBy(ctx, add.Index, redis.Took(generations[i]), s.Standing); err != nil {
				return err
			}
		}
	}
	s.registered.note(members, began)
	return nil
}

// lasting reports whether a member of an index has to outlive the master of the
// index, which is not that of the commit. The registry of jobs is made anew from
// time to time: see RegisterJobs.
func (s *Store) lasting(add Registration) bool {
	return s.Engine.Name == redis.EngineCluster && !add.now
}

// rehearsePreparation is prepare of a dry run: it asks what would stand in the
// way, and writes nothing.
func (s *Store) rehearsePreparation(ctx context.Context, p *preparation) error {
	p.would = 0
	for _, objects := range p.objects {
		for _, object := range objects {
			p.would += int64(len(s.Codec.Pack(object)))
		}
	}
	for _, claim := range p.claims {
		held, ok, err := s.Claim(ctx, claim.Key)
		if err != nil {
			return err
		}
		if ok && held.Owner != claim.Member {
			return &Claimed{Key: claim.Key, Owner: held.Owner}
		}
	}
	return nil
}

// claim takes one name, or takes it over from an earlier run of this Update. Who
// holds it already keeps it. On a Cluster the replicas have to hold it: else a
// failover could give a name to somebody else whose owner is there.
func (s *Store) claim(ctx context.Context, shard redis.Shard, name redis.Key, owner string, now time.Time, mine map[redis.Key]string, at *redis.Written) error {
	value := owner + " " + strconv.FormatInt(now.UnixMilli(), 10)
	pipe := s.Client.Pipeline()
	generation := s.QueueGeneration(ctx, pipe, name)
	taken := pipe.SetNX(ctx, s.Name(name), value, 0)
	if err := redis.Execute(ctx, "claim", pipe); err != nil {
		return err
	}
	if s.Compares(shard, name) {
		at.Note(redis.Took(generation))
	}
	held := value
	if !taken.Val() {
		var err error
		held, err = s.Client.Get(ctx, s.Name(name)).Result()
		if errors.Is(err, goredis.Nil) { // given up since: who is first now?
			return s.claim(ctx, shard, name, owner, now, mine, at)
		}
		if err != nil {
			return redis.Wrap(ctx, err)
		}
	}
	holder, _, _ := strings.Cut(held, " ")
	switch {
	case held == value: // taken, now or by a command that was repeated
	case mine[name] != "" && held == mine[name]:
		if err := s.Client.Set(ctx, s.Name(name), value, 0).Err(); err != nil {
			return redis.Wrap(ctx, err)
		}
	case holder == owner:
		return s.ConfirmBy(ctx, name, redis.Took(generation), s.Standing)
	default:
		return &Claimed{Key: name, Owner: holder}
	}
	mine[name] = value
	return s.ConfirmBy(ctx, name, redis.Took(generation), s.Standing)
}

// Claim is who holds a unique name.
type Claim struct {
	Owner string
	At    time.Time // when it was taken, by the time of Redis

	value string
}

// Claim reads a claim; ok is false if nobody holds the name. It is good only if
// its owner exists and points back: the owner is committed after it.
func (s *Store) Claim(ctx context.Context, name redis.Key) (claim Claim, ok bool, err error) {
	redis.FailBefore("claim.read")
	value, err := s.Client.Get(ctx, s.Name(name)).Result()
	redis.FailAfter("claim.read")
	switch {
	case errors.Is(err, goredis.Nil):
		return Claim{}, false, nil
	case err != nil:
		return Claim{}, false, redis.Wrap(ctx, err)
	}
	owner, at, _ := strings.Cut(value, " ")
	millis, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return Claim{}, false, redis.Corrupt("claim %s", name)
	}
	return Claim{Owner: owner, At: time.UnixMilli(millis).UTC(), value: value}, true, nil
}

// ClaimGrace is the age that a claim must have before somebody may find that
// its owner never came to be.
const ClaimGrace = 10 * time.Minute

// Settled reports whether a claim is of no commit on its way, by the time of Redis:
// it is older than any, or of a clock that was ahead.
func (s *Store) Settled(ctx context.Context, name redis.Key, claim Claim) (bool, error) {
	now, err := s.TimeAt(ctx, name)
	return now.Sub(claim.At).Abs() >= ClaimGrace, err
}

// Unclaim gives up a name if the claim is still the one that was read.
func (s *Store) Unclaim(ctx context.Context, name redis.Key, claim Claim) error {
	return redis.Wrap(ctx, s.unclaim.Run(ctx, s.Client, []string{s.Name(name)}, claim.value).Err())
}

// newUnclaim compares and deletes.
func newUnclaim() *goredis.Script {
	return goredis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
}

// abandon gives up the claims of an Update that did not commit. It is a
// courtesy: a claim without owner expires by ClaimGrace.
func (s *Store) abandon(ctx context.Context, mine map[redis.Key]string) {
	for name, value := range mine {
		_ = s.Unclaim(ctx, name, Claim{value: value})
	}
}

// Forget removes a member from a superset index, when its target is known to be
// gone.
func (s *Store) Forget(ctx context.Context, index redis.Key, member string) error {
	if !index.Valid() || index.Kind() != redis.OrderKind {
		return redis.Misuse("%q is not an index", index)
	}
	return redis.Wrap(ctx, s.Client.ZRem(ctx, s.Name(index), member).Err())
}

// Touch writes a value that moves by itself and that nothing depends on, such
// as a token's last use.
func (s *Store) Touch(ctx context.Context, key redis.Key, value string) error {
	if !key.Valid() || key.Kind() != redis.StringKind {
		return redis.Misuse("%q is not a plain string", key)
	}
	redis.FailBefore("touch")
	err := s.Client.Set(ctx, s.Name(key), value, 0).Err()
	redis.FailAfter("touch")
	return redis.Wrap(ctx, err)
}

// Count adds to a counter that is kept for a time: how many requests somebody
// makes. It is not part of any truth, so it needs no transaction.
func (s *Store) Count(ctx context.Context, key redis.Key, n int64, keep time.Duration) error {
	if !key.Valid() || key.Kind() != redis.StringKind {
		return redis.Misuse("%q is not a plain string", key)
	}
	pipe := s.Client.Pipeline()
	pipe.IncrBy(ctx, s.Name(key), n)
	pipe.PExpire(ctx, s.Name(key), keep)
	return redis.Execute(ctx, "touch", pipe)
}
