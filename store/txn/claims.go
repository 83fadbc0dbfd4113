package txn

import (
	"context"
	_ "embed"
	"errors"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

//go:embed claim.lua
var claimSource string

// Claim is the claim of a unique name.
type Claim struct {
	Owner     string
	WrittenAt time.Time // by the clock of Redis; later than all earlier writes of the claim

	value string
}

// ClaimGrace is the minimum age of a claim before it may be considered abandoned.
const ClaimGrace = 10 * time.Minute

// Claim claims a globally unique name before the commit and waits for the replicas (ErrLagging). If the owner has the name, the
// claim is written again with a later time. If the name has another owner, Update returns a *ClaimedError; the caller checks
// whether that claim is still valid (see Store.Unclaim).
func (tx *Tx) Claim(name redis.Key, owner string) {
	if tx.requireClaimable(name, owner) {
		tx.preparation.claims = append(tx.preparation.claims, KeyMember{name, owner})
	}
}

// Unclaim releases the claim that owner has of a name after the commit, so that others can have the name at once. The
// transaction must write the record of the owner, which does not have the name afterwards. Claims that were written since before
// the commit are kept: their transactions have read the record after the commit and give the name back to it. hasName reads the
// record again after the commit; if it has the name, the claim is kept, too. Errors are only logged: a claim without an owner
// can be taken after ClaimGrace.
func (tx *Tx) Unclaim(name redis.Key, owner string, hasName func(ctx context.Context) (bool, error)) {
	if tx.requireClaimable(name, owner) {
		tx.preparation.released = append(tx.preparation.released, release{KeyMember: KeyMember{name, owner}, hasName: hasName})
	}
}

// requireClaimable reports whether a name and an owner are valid; otherwise the transaction fails.
func (tx *Tx) requireClaimable(name redis.Key, owner string) bool {
	ok := name.Valid() && name.Kind() == redis.StringKind && name.Tag() != tx.shard.Tag() && redis.ValidID(owner)
	if !ok {
		tx.fail("claim of %q for %q", name, owner)
	}
	return ok
}

// claim claims the name wanted.Key for the owner wanted.Member, or takes it over from an earlier attempt of this Update. On a
// Cluster it waits for the replicas; otherwise a failover could give a name to a second owner.
func (s *Store) claim(
	ctx context.Context, shard redis.Shard, wanted KeyMember, ownClaims map[redis.Key]string, written *redis.WriteGeneration,
) error {
	name := wanted.Key
	pipe := s.Client.Pipeline()
	generation := s.QueueGeneration(ctx, pipe, name)
	reply := pipe.Eval(ctx, claimSource, []string{s.Name(name)}, wanted.Member, s.FixedTime(), ownClaims[name])
	if err := redis.Execute(ctx, "claim", pipe); err != nil {
		return err
	}
	if s.GenerationComparable(shard, name) {
		written.Add(redis.GenerationReply(generation))
	}
	answer, err := reply.StringSlice()
	if err != nil || len(answer) != 2 {
		return redis.Corrupt("reply to the claim of %s", name)
	}
	claim, err := ParseClaim(name, answer[0])
	if err != nil {
		return err
	}
	if claim.Owner != wanted.Member {
		return &ClaimedError{Key: name, Owner: claim.Owner}
	}
	if answer[1] == "1" {
		ownClaims[name] = claim.value
	} else { // a claim of another Update must not be released with this one
		delete(ownClaims, name)
	}
	return s.WaitForCountedReplicas(ctx, name, redis.GenerationReply(generation), s.ActiveReplicas)
}

// ReplaceClaim claims a name for an owner whose record has it, in place of an old claim, which may be zero. It returns a
// *ClaimedError if another owner has claimed the name since the old claim was read.
func (s *Store) ReplaceClaim(ctx context.Context, name redis.Key, old Claim, owner string) error {
	return s.claim(ctx, redis.Shard{}, KeyMember{name, owner}, map[redis.Key]string{name: old.value}, &redis.WriteGeneration{})
}

// Claim reads a claim; ok is false if the name is free. A claim is valid only if its owner exists and points back,
// because the owner is committed after the claim.
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
	claim, err = ParseClaim(name, value)
	return claim, err == nil, err
}

// ParseClaim parses the stored claim of a name. It returns an ErrCorrupt if it is damaged.
func ParseClaim(name redis.Key, value string) (Claim, error) {
	owner, written, _ := strings.Cut(value, " ")
	millis, err := strconv.ParseInt(written, 10, 64)
	if err != nil {
		return Claim{}, redis.Corrupt("claim %s", name)
	}
	return Claim{Owner: owner, WrittenAt: time.UnixMilli(millis).UTC(), value: value}, nil
}

// ClaimExpired reports whether a claim cannot belong to a commit in progress by the time of Redis: it is older than
// ClaimGrace, or from a clock that was ahead.
func (s *Store) ClaimExpired(ctx context.Context, name redis.Key, claim Claim) (bool, error) {
	now, err := s.KeyTime(ctx, name)
	return now.Sub(claim.WrittenAt).Abs() >= ClaimGrace, err
}

// Unclaim releases a name if its claim is unchanged. The caller knows that no commit in progress depends on the claim:
// it has expired, or its owner cannot be written any more. Otherwise see Tx.Unclaim.
func (s *Store) Unclaim(ctx context.Context, name redis.Key, claim Claim) error {
	return redis.Wrap(ctx, s.unclaimScript.Run(ctx, s.Client, []string{s.Name(name)}, claim.value).Err())
}

// newUnclaimScript returns a compare-and-delete script.
func newUnclaimScript() *goredis.Script {
	return goredis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
}

// releaseClaims releases the claims of an Update that did not commit, unless other Updates have confirmed them. This is best
// effort: a claim without owner expires after ClaimGrace.
func (s *Store) releaseClaims(ctx context.Context, ownClaims map[redis.Key]string) {
	for name, value := range ownClaims {
		_ = s.Unclaim(ctx, name, Claim{value: value}) // the claim expires
	}
}

// release is a claim that is released after the commit.
type release struct {
	KeyMember // name and owner

	hasName func(ctx context.Context) (bool, error)
	read    bool
	claim   Claim // before the commit
}

// readReleased reads the claims to be released, once: another attempt to send the commit may follow one that was applied.
func (s *Store) readReleased(ctx context.Context, released []release) error {
	for i := range released {
		r := &released[i]
		if r.read {
			continue
		}
		claim, _, err := s.Claim(ctx, r.Key)
		if err != nil {
			return err
		}
		r.read, r.claim = true, claim
	}
	return nil
}

// release releases claims after the commit.
func (s *Store) release(ctx context.Context, released []release) {
	for _, r := range released {
		if r.claim.Owner != r.Member {
			continue
		}
		has, err := r.hasName(ctx)
		if err == nil && !has {
			err = s.Unclaim(ctx, r.Key, r.claim)
		}
		if err != nil {
			s.Logger.Debug("claim not released", "owner", r.Member, "error", err)
		}
	}
}
