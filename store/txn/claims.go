package txn

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Claim claims a globally unique name before the commit and waits for the replicas (ErrLagging). If the name has
// another owner, Update returns a *ClaimedError; the caller checks whether that claim is still valid (see Store.Unclaim).
func (tx *Tx) Claim(name redis.Key, owner string) {
	if !name.Valid() || name.Kind() != redis.StringKind || name.Tag() == tx.shard.Tag() || !redis.ValidID(owner) {
		tx.fail("claim of %q for %q", name, owner)
		return
	}
	tx.preparation.claims = append(tx.preparation.claims, KeyMember{name, owner})
}

// claim claims the name wanted.Key for the owner wanted.Member, or takes it over from an earlier attempt of this Update. An
// existing claim is kept. On a Cluster it waits for the replicas; otherwise a failover could give a name to a second owner.
func (s *Store) claim(
	ctx context.Context, shard redis.Shard, wanted KeyMember, now time.Time, ownClaims map[redis.Key]string, written *redis.WriteGeneration,
) error {
	name, owner := wanted.Key, wanted.Member
	value := owner + " " + strconv.FormatInt(now.UnixMilli(), 10)
	pipe := s.Client.Pipeline()
	generation := s.QueueGeneration(ctx, pipe, name)
	taken := pipe.SetNX(ctx, s.Name(name), value, 0)
	if err := redis.Execute(ctx, "claim", pipe); err != nil {
		return err
	}
	if s.GenerationComparable(shard, name) {
		written.Add(redis.GenerationReply(generation))
	}
	current := value
	if !taken.Val() {
		var err error
		current, err = s.Client.Get(ctx, s.Name(name)).Result()
		if errors.Is(err, goredis.Nil) { // released concurrently: read again
			return s.claim(ctx, shard, wanted, now, ownClaims, written)
		}
		if err != nil {
			return redis.Wrap(ctx, err)
		}
	}
	holder, _, _ := strings.Cut(current, " ")
	switch {
	case current == value: // claimed now or by a repeated command
	case ownClaims[name] != "" && current == ownClaims[name]:
		if err := s.Client.Set(ctx, s.Name(name), value, 0).Err(); err != nil {
			return redis.Wrap(ctx, err)
		}
	case holder == owner:
		return s.WaitForCountedReplicas(ctx, name, redis.GenerationReply(generation), s.ActiveReplicas)
	default:
		return &ClaimedError{Key: name, Owner: holder}
	}
	ownClaims[name] = value
	return s.WaitForCountedReplicas(ctx, name, redis.GenerationReply(generation), s.ActiveReplicas)
}

// Claim is the claim of a unique name.
type Claim struct {
	Owner     string
	CreatedAt time.Time // creation time by the clock of Redis

	value string
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
	owner, created, _ := strings.Cut(value, " ")
	millis, err := strconv.ParseInt(created, 10, 64)
	if err != nil {
		return Claim{}, false, redis.Corrupt("claim %s", name)
	}
	return Claim{Owner: owner, CreatedAt: time.UnixMilli(millis).UTC(), value: value}, true, nil
}

// ClaimGrace is the minimum age of a claim before it may be considered abandoned.
const ClaimGrace = 10 * time.Minute

// ClaimExpired reports whether a claim cannot belong to a commit in progress by the time of Redis: it is older than
// ClaimGrace, or from a clock that was ahead.
func (s *Store) ClaimExpired(ctx context.Context, name redis.Key, claim Claim) (bool, error) {
	now, err := s.KeyTime(ctx, name)
	return now.Sub(claim.CreatedAt).Abs() >= ClaimGrace, err
}

// Unclaim releases a name if its claim is unchanged.
func (s *Store) Unclaim(ctx context.Context, name redis.Key, claim Claim) error {
	return redis.Wrap(ctx, s.unclaimScript.Run(ctx, s.Client, []string{s.Name(name)}, claim.value).Err())
}

// newUnclaimScript returns a compare-and-delete script.
func newUnclaimScript() *goredis.Script {
	return goredis.NewScript(`if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`)
}

// releaseClaims releases the claims of an Update that did not commit. This is best effort: a claim without owner expires
// after ClaimGrace.
func (s *Store) releaseClaims(ctx context.Context, ownClaims map[redis.Key]string) {
	for name, value := range ownClaims {
		_ = s.Unclaim(ctx, name, Claim{value: value}) // the claim expires
	}
}
