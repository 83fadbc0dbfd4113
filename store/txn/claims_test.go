package txn_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

const claimedHostname = "docs.example.org"

// setHostname gives the hostname to an organization.
func setHostname(ctx context.Context, s *store.Store, org string) error {
	return setHostnameIf(ctx, s, org)
}

// setHostnameInVain is setHostname with a guard that does not hold, so that the commit fails after the claim.
func setHostnameInVain(ctx context.Context, s *store.Store, org string) error {
	return setHostnameIf(ctx, s, org, txn.FieldGuard(store.HeadsKey(org), "absent", "value", true))
}

func setHostnameIf(ctx context.Context, s *store.Store, org string, guards ...txn.Guard) error {
	return s.Update(ctx, store.Organization(org), txn.UpdateOptions{Guards: guards}, func(tx *store.Tx) error {
		o, err := tx.Organization(org)
		if err != nil || o.Fields.Hostname == claimedHostname {
			return err
		}
		o.Fields.ID, o.Fields.Hostname = org, claimedHostname
		tx.Claim(store.HostnameKey(claimedHostname), org)
		_, err = tx.PutOrganization(o)
		return err
	})
}

// clearHostname takes the hostname from an organization.
func clearHostname(ctx context.Context, s *store.Store, org string) error {
	return s.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		o, err := tx.Organization(org)
		if err != nil || o.Fields.Hostname == "" {
			return err
		}
		o.Fields.Hostname = ""
		tx.ReleaseHostname(org, claimedHostname)
		_, err = tx.PutOrganization(o)
		return err
	})
}

// claimant is one of several concurrent Updates, with a store of its own. Each of its commands waits for a grant.
type claimant struct {
	storetest.Trips

	store   *store.Store
	waiting chan struct{} // a value for each command that waits; closed at the end of the Update
	granted chan struct{}
	active  bool
	err     error
}

// ProcessHook implements redis.Hook.
func (c *claimant) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		c.wait()
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (c *claimant) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		c.wait()
		return next(ctx, commands)
	}
}

func (c *claimant) wait() {
	if c.active {
		c.waiting <- struct{}{}
		<-c.granted
	}
}

// claimWorld is an emulated Redis with claimants.
type claimWorld struct {
	t         *testing.T
	claimants []*claimant
}

func newClaimWorld(t *testing.T, claimants int) *claimWorld {
	t.Helper()
	w, emulation := &claimWorld{t: t}, miniredis.NewMiniRedis()
	for range claimants {
		c := &claimant{}
		c.store = storetest.Memory().Open(t, func(config *store.Config) {
			config.Emulation, config.Prefix = emulation, "claims:"
			config.Hooks = append(config.Hooks, c)
		})
		w.claimants = append(w.claimants, c)
	}
	return w
}

// run runs an Update for each claimant concurrently. choose returns which of the waiting claimants, given by number, runs its
// next command.
func (w *claimWorld) run(updates []func(ctx context.Context, s *store.Store) error, choose func(waiting []int) int) {
	var waiting []int
	for i, update := range updates {
		c := w.claimants[i]
		c.active, c.waiting, c.granted = true, make(chan struct{}), make(chan struct{})
		go func() {
			defer close(c.waiting)
			c.err = update(w.t.Context(), c.store)
		}()
		if _, ok := <-c.waiting; ok {
			waiting = append(waiting, i)
		}
	}
	for len(waiting) > 0 {
		i := choose(waiting)
		w.claimants[i].granted <- struct{}{}
		if _, ok := <-w.claimants[i].waiting; !ok {
			waiting = slices.DeleteFunc(waiting, func(other int) bool { return other == i })
		}
	}
	for _, c := range w.claimants {
		c.active = false
	}
}

// check checks that at most one organization has the hostname, and that it is the owner of the claim.
func (w *claimWorld) check(context string, orgs ...string) {
	w.t.Helper()
	s := w.claimants[0].store
	claim, _, err := s.Claim(w.t.Context(), store.HostnameKey(claimedHostname))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, org := range orgs {
		hostname, err := s.LoadHostname(w.t.Context(), org)
		if err != nil {
			w.t.Fatal(err)
		}
		if hostname != "" && claim.Owner != org {
			w.t.Errorf("%s: %s has the hostname, the claim is that of %q", context, org, claim.Owner)
		}
	}
	for i, c := range w.claimants {
		if c.err != nil && !errors.Is(c.err, txn.ErrExists) && !errors.Is(c.err, redis.ErrStale) {
			w.t.Errorf("%s: claimant %d: %v", context, i, c.err)
		}
	}
}

// reset removes the organizations and the claim, and gives the hostname to an organization if it is not empty.
func (w *claimWorld) reset(owner string, orgs ...string) {
	w.t.Helper()
	s := w.claimants[0].store
	keys := []redis.Key{store.HostnameKey(claimedHostname)}
	for _, org := range orgs {
		keys = append(keys, store.OrganizationKey(org))
	}
	for _, key := range keys {
		if err := s.Client.Del(w.t.Context(), s.Name(key)).Err(); err != nil {
			w.t.Fatal(err)
		}
	}
	if owner != "" {
		if err := setHostname(w.t.Context(), s, owner); err != nil {
			w.t.Fatal(err)
		}
	}
}

// claimRaces are concurrent Updates of the organizations o_a and o_b. The first one has the hostname before, except in the races
// whose name begins with free.
var claimRaces = map[string][]func(ctx context.Context, s *store.Store) error{
	"set and clear":            {of("o_a", setHostname), of("o_a", clearHostname)},
	"clear twice":              {of("o_a", clearHostname), of("o_a", clearHostname)},
	"clear and set elsewhere":  {of("o_a", clearHostname), of("o_b", setHostname)},
	"free: set by two":         {of("o_a", setHostname), of("o_b", setHostname)},
	"free: set twice":          {of("o_a", setHostname), of("o_a", setHostname)},
	"free: set, once in vain":  {of("o_a", setHostnameInVain), of("o_a", setHostname)},
	"free: set in vain by one": {of("o_a", setHostnameInVain), of("o_b", setHostname)},
	"clear, set in vain":       {of("o_a", clearHostname), of("o_a", setHostnameInVain)},
	"set, clear and set elsewhere": {
		of("o_a", setHostname), of("o_a", clearHostname), of("o_b", setHostname),
	},
	"free: set, once in vain, and elsewhere": {
		of("o_a", setHostnameInVain), of("o_a", setHostname), of("o_b", setHostname),
	},
	"set, clear, set in vain and elsewhere": {
		of("o_a", setHostname), of("o_a", clearHostname), of("o_a", setHostnameInVain), of("o_b", setHostname),
	},
}

func of(org string, update func(ctx context.Context, s *store.Store, org string) error) func(ctx context.Context, s *store.Store) error {
	return func(ctx context.Context, s *store.Store) error { return update(ctx, s, org) }
}

// TestConcurrentClaimsHaveOneOwnerCampaign runs concurrent claims, confirmations, releases and failing Updates in random orders of
// their commands, and checks that whoever has the hostname owns its claim.
func TestConcurrentClaimsHaveOneOwnerCampaign(t *testing.T) {
	t.Parallel()
	runs, seed := storetest.Campaign(t, "claims", 100, 5_000)
	for name, updates := range claimRaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random, w := rand.New(rand.NewPCG(seed, 0)), newClaimWorld(t, len(updates))
			owner := "o_a"
			if name[:4] == "free" {
				owner = ""
			}
			for range runs {
				w.reset(owner, "o_a", "o_b")
				order := ""
				w.run(updates, func(waiting []int) int {
					next := waiting[random.IntN(len(waiting))]
					order += strconv.Itoa(next)
					return next
				})
				if w.check("commands in the order "+order, "o_a", "o_b"); t.Failed() {
					return
				}
			}
		})
	}
}

// TestReleasedHostnameIsFree checks that a hostname is free as soon as its owner gives it up, unless the claim was confirmed.
func TestReleasedHostnameIsFree(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		key := store.HostnameKey(claimedHostname)
		for _, step := range []func(context.Context, *store.Store, string) error{setHostname, clearHostname} {
			if err := step(t.Context(), s, "o_a"); err != nil {
				t.Fatal(err)
			}
		}
		if claim, ok, err := s.Claim(t.Context(), key); ok || err != nil {
			t.Errorf("after the release: %+v, %v", claim, err)
		}
		storetest.WantError(t, setHostnameInVain(t.Context(), s, "o_a"), redis.ErrStale)
		if claim, ok, err := s.Claim(t.Context(), key); ok || err != nil {
			t.Errorf("after an Update that failed: %+v, %v", claim, err)
		}
	})
}

// TestConfirmedClaimHasLaterTime checks that each confirmation writes a later time, also after the clock was set back.
func TestConfirmedClaimHasLaterTime(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		key := store.HostnameKey(claimedHostname)
		claim := func() txn.Claim {
			t.Helper()
			storetest.Update(t, s, "o_a", func(tx *store.Tx) error {
				tx.Claim(key, "o_a")
				tx.SetField(store.HeadsKey("o_a"), "x", "y")
				return nil
			})
			claim, _, err := s.Claim(t.Context(), key)
			if err != nil || claim.Owner != "o_a" {
				t.Fatalf("%+v, %v", claim, err)
			}
			return claim
		}
		first := claim()
		second := claim()
		if !second.WrittenAt.After(first.WrittenAt) {
			t.Errorf("written at %v, confirmed at %v", first.WrittenAt, second.WrittenAt)
		}
		ahead := second.WrittenAt.Add(time.Hour)
		if err := s.Client.Set(t.Context(), s.Name(key), fmt.Sprint("o_a ", ahead.UnixMilli()), 0).Err(); err != nil {
			t.Fatal(err)
		}
		if third := claim(); !third.WrittenAt.Equal(ahead.Add(time.Millisecond)) {
			t.Errorf("written at %v, confirmed at %v", ahead, third.WrittenAt)
		}
		if err := s.Unclaim(t.Context(), key, second); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := s.Claim(t.Context(), key); !ok || err != nil {
			t.Errorf("released by its earlier value, %v", err)
		}
	})
}
