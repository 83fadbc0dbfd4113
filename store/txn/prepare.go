package txn

import (
	"context"
	"fmt"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// preparation is the set of writes to other slots before the commit. A crash between the preparation and the commit leaves only
// unreferenced data: objects without a reference, superset members without a target, claims that their owner does not confirm.
type preparation struct {
	objects       map[string][]objects.Object // by space
	spaces        []string                    // in order of their first object
	supersets     []SupersetMember
	claims        []KeyMember               // member = owner
	released      []release                 // claims that are released after the commit
	generation    string                    // required generation, if any
	packed        map[string][]packedObject // objects in stored form, by space
	needsReplicas map[string]bool           // spaces whose replicas must contain the objects first

	available    *int64        // bytes left in the quota; nil = unlimited
	limit        int64         // the quota, if available is not nil
	sizes        []contentSize // sizes of the spaces after their objects were stored
	plannedBytes int64         // bytes of objects that a dry run would store, at most
	addedBytes   int64         // bytes of newly stored objects
}

// setPacked adds the objects of a space in stored form.
func (p *preparation) setPacked(space string, all []packedObject) {
	if p.packed == nil { // most transactions have no objects
		p.packed = map[string][]packedObject{}
	}
	p.packed[space] = all
}

// requireReplicas makes the commit wait for the replicas of a space.
func (p *preparation) requireReplicas(space string) {
	if p.needsReplicas == nil {
		p.needsReplicas = map[string]bool{}
	}
	p.needsReplicas[space] = true
}

// SupersetMember is a member of a superset index of another shard.
type SupersetMember struct {
	Index       redis.Key
	Member      string
	scoreIsTime bool // its score is the current time; otherwise 0
}

// Objects stores immutable objects of a space before the commit. The space's GC epoch is added to the read set:
// prefetch GCEpochsKey(organization).Field(space) to save a trip.
func (tx *Tx) Objects(space string, created ...objects.Object) {
	if len(created) == 0 {
		return
	}
	if !redis.ValidID(space) {
		tx.fail("objects of space %q", space)
		return
	}
	if tx.preparation.objects == nil {
		tx.preparation.objects = map[string][]objects.Object{}
	}
	if _, have := tx.preparation.objects[space]; !have {
		tx.preparation.spaces = append(tx.preparation.spaces, space)
	}
	tx.preparation.objects[space] = append(tx.preparation.objects[space], created...)
}

// AddToSupersetBeforeCommit adds a member to a superset index of another shard before the commit and waits for the
// replicas (ErrLagging). Readers of the index verify the member against this shard.
func (tx *Tx) AddToSupersetBeforeCommit(index redis.Key, member string) {
	if !index.Valid() || index.Kind() != redis.OrderKind || index.Tag() == tx.shard.Tag() || !tx.requireMember(member) {
		tx.fail("%q is not a superset index of another shard", index)
		return
	}
	tx.preparation.supersets = append(tx.preparation.supersets, SupersetMember{Index: index, Member: member})
}

// readGCEpochs adds the GC epochs of the spaces with objects to the read set. It returns the field of a space that is
// being swept, if any.
func (tx *Tx) readGCEpochs() (sweeping *redis.Key, err error) {
	hash := tx.shard.Key(redis.HashKind, "epochs")
	keys := make([]redis.Key, len(tx.preparation.spaces))
	for i, space := range tx.preparation.spaces {
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

// ParseGCEpoch parses a GC epoch; the empty string is 0.
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

// prepare writes the preparation of a transaction of the shard. ownClaims contains the claims of earlier attempts of the same
// Update.
func (s *Store) prepare(ctx context.Context, shard redis.Shard, p *preparation,
	ownClaims map[redis.Key]string,
) (written redis.WriteGeneration, err error) {
	for _, space := range p.spaces {
		if err := s.prepareObjects(ctx, shard, space, p, &written); err != nil {
			return written, err
		}
	}
	if err := s.registerAt(ctx, shard, p.supersets, &written); err != nil {
		return written, err
	}
	for _, claim := range p.claims {
		if err := s.claim(ctx, shard, claim, ownClaims, &written); err != nil {
			return written, err
		}
	}
	return written, s.readReleased(ctx, p.released)
}

// prepareObjects writes the objects of one space.
func (s *Store) prepareObjects(ctx context.Context, transaction redis.Shard, space string, p *preparation,
	written *redis.WriteGeneration,
) error {
	if !p.needsReplicas[space] {
		return s.writePacked(ctx, transaction, space, p.packed[space], p, written)
	}
	var there redis.WriteGeneration
	if err := s.writePacked(ctx, redis.NewShard("", space), space, p.packed[space], p, &there); err != nil {
		return err
	}
	if there.Mixed {
		return fmt.Errorf("%w: the master of %s has changed", redis.ErrStale, space)
	}
	return s.WaitForKeyReplicas(ctx, ObjectKey(space, 0), there.Generation)
}

// AddToSuperset adds members to superset indexes.
func (s *Store) AddToSuperset(ctx context.Context, members ...SupersetMember) error {
	return s.registerAt(ctx, redis.Shard{}, members, &redis.WriteGeneration{})
}

func (s *Store) registerAt(ctx context.Context, shard redis.Shard, members []SupersetMember, written *redis.WriteGeneration) error {
	if len(members) == 0 {
		return nil
	}
	began, pipe, generations := s.Moment(), s.Client.Pipeline(), make([]*goredis.Cmd, len(members))
	for i, add := range members {
		if i == 0 && s.GenerationComparable(shard, add.Index) || s.needsReplicas(add) {
			generations[i] = s.QueueGeneration(ctx, pipe, add.Index)
		}
		if add.scoreIsTime {
			pipe.Eval(ctx, redis.TimeOrArgSource, []string{s.Name(add.Index)}, s.FixedTime(), add.Member)
		} else {
			pipe.ZAdd(ctx, s.Name(add.Index), goredis.Z{Member: add.Member})
		}
	}
	if err := redis.Execute(ctx, "elsewhere", pipe); err != nil {
		return err
	}
	if s.GenerationComparable(shard, members[0].Index) {
		written.Add(redis.GenerationReply(generations[0]))
	}
	for i, add := range members {
		if s.needsReplicas(add) {
			if err := s.WaitForCountedReplicas(ctx, add.Index, redis.GenerationReply(generations[i]), s.ActiveReplicas); err != nil {
				return err
			}
		}
	}
	s.registrations.record(members, began)
	return nil
}

// needsReplicas reports whether a member must survive a failure of the index's master, which is not that of the commit. The
// job registry is excluded because it is rebuilt periodically: see Queue.RestoreRegistrations.
func (s *Store) needsReplicas(add SupersetMember) bool {
	return s.Engine.Name == redis.EngineCluster && !add.scoreIsTime
}

// checkPreparation is prepare for a dry run: it reports obstacles and writes nothing.
func (s *Store) checkPreparation(ctx context.Context, p *preparation) error {
	p.plannedBytes = 0
	for _, objects := range p.objects {
		for _, object := range objects {
			p.plannedBytes += int64(len(s.Codec.Pack(object)))
		}
	}
	for _, claim := range p.claims {
		claimed, ok, err := s.Claim(ctx, claim.Key)
		if err != nil {
			return err
		}
		if ok && claimed.Owner != claim.Member {
			return &ClaimedError{Key: claim.Key, Owner: claimed.Owner}
		}
	}
	return nil
}

// RemoveFromSuperset removes a member from a superset index after its target was deleted.
func (s *Store) RemoveFromSuperset(ctx context.Context, index redis.Key, member string) error {
	if !index.Valid() || index.Kind() != redis.OrderKind {
		return redis.Misuse("%q is not an index", index)
	}
	return redis.Wrap(ctx, s.Client.ZRem(ctx, s.Name(index), member).Err())
}

// Touch writes an independent value that nothing depends on, such as the time of a token's last use.
func (s *Store) Touch(ctx context.Context, key redis.Key, value string) error {
	if !key.Valid() || key.Kind() != redis.StringKind {
		return redis.Misuse("%q is not a plain string", key)
	}
	redis.FailBefore("touch")
	err := s.Client.Set(ctx, s.Name(key), value, 0).Err()
	redis.FailAfter("touch")
	return redis.Wrap(ctx, err)
}

// Count adds n to a counter that expires after keep, such as a request counter. It needs no transaction because no
// other data depends on it.
func (s *Store) Count(ctx context.Context, key redis.Key, n int64, keep time.Duration) error {
	if !key.Valid() || key.Kind() != redis.StringKind {
		return redis.Misuse("%q is not a plain string", key)
	}
	pipe := s.Client.Pipeline()
	pipe.IncrBy(ctx, s.Name(key), n)
	pipe.PExpire(ctx, s.Name(key), keep)
	return redis.Execute(ctx, "touch", pipe)
}

// PutOnce writes a value that expires after keep, unless the key exists, and reports whether it did so. It needs no transaction because no
// other data depends on it; a failover may lose it.
func (s *Store) PutOnce(ctx context.Context, key redis.Key, value string, keep time.Duration) (created bool, err error) {
	if !key.Valid() || key.Kind() != redis.StringKind {
		return false, redis.Misuse("%q is not a plain string", key)
	}
	redis.FailBefore("touch")
	created, err = s.Client.SetNX(ctx, s.Name(key), value, keep).Result()
	redis.FailAfter("touch")
	return created, redis.Wrap(ctx, err)
}

// Forget deletes a key that PutOnce has written.
func (s *Store) Forget(ctx context.Context, key redis.Key) error {
	if !key.Valid() || key.Kind() != redis.StringKind {
		return redis.Misuse("%q is not a plain string", key)
	}
	redis.FailBefore("touch")
	err := s.Client.Del(ctx, s.Name(key)).Err()
	redis.FailAfter("touch")
	return redis.Wrap(ctx, err)
}

// TouchMember writes the last use of a token in an organization and the time at which its user was last seen there. It needs no
// transaction because no other data depends on them.
func (s *Store) TouchMember(ctx context.Context, use MemberUse) error {
	for _, key := range []redis.Key{use.Token, use.Seen} {
		if !key.Valid() {
			return redis.Misuse("%q is no key", key)
		}
	}
	pipe := s.Client.Pipeline()
	pipe.Set(ctx, s.Name(use.Token), use.At.Truncate(time.Minute).Unix(), use.Keep)
	if use.User != "" {
		pipe.HSet(ctx, s.Name(use.Seen), use.User, use.At.UnixMilli())
	}
	return redis.Execute(ctx, "touch", pipe)
}

// MemberUse is a use of a token by a member of an organization.
type MemberUse struct {
	Token redis.Key // STRING of the time of the last use of the token
	Seen  redis.Key // HASH of the times when members were last seen
	User  string    // "" = a program that the user installed; then nobody was seen
	At    time.Time
	Keep  time.Duration // time for which Token is kept
}
