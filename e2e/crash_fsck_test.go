package e2e

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// corruption is damage that `wsd fsck` must find.
type corruption struct {
	damage     func(t *testing.T, client *redis.Client, e *fixture)
	want       string // part of the output
	repairable bool   // whether --repair fixes it
}

func corruptions() map[string]corruption {
	org := func(e *fixture) string { return "wsd:{" + e.organization + "}:" }
	return map[string]corruption{
		"a comment is not listed": {func(t *testing.T, client *redis.Client, e *fixture) {
			must(t, client.ZRem(t.Context(), org(e)+"ix:comments:"+e.guide, e.comment))
		}, "missing, implied by", true},
		"a permission differs": {func(t *testing.T, client *redis.Client, e *fixture) {
			must(t, client.HSet(t.Context(), org(e)+"shapes", e.guide, "{}"))
		}, "differs from", true},
		"a count is wrong": {func(t *testing.T, client *redis.Client, e *fixture) {
			must(t, client.HSet(t.Context(), org(e)+"counts", e.guide, "9 9 9 9"))
		}, "differs from the indexes", true},
		"a text is gone": {func(t *testing.T, client *redis.Client, e *fixture) {
			keys, err := client.Keys(t.Context(), "wsd:{"+e.guide+"}:o:*").Result()
			if err != nil || len(keys) == 0 {
				t.Fatalf("%v %v", keys, err)
			}
			must(t, client.Del(t.Context(), keys...))
		}, "object is missing", false},
		"a record is damaged": {func(t *testing.T, client *redis.Client, e *fixture) {
			must(t, client.Set(t.Context(), org(e)+"cm:"+e.comment, "1 1 {}\n{\"body\":", 0))
		}, "cannot be read", false},
	}
}

// TestFsckFindsCorruption seeds one corruption at a time.
func TestFsckFindsCorruption(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	l := newCrashTester(t)
	for name, c := range corruptions() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := l.newExperiment(t, operation{prepare: c.damage})
			if _, err := x.host.run(t, "fsck"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("not found: %v", err)
			}
			_, repaired := x.host.run(t, "fsck", "--repair")
			_, clean := x.host.run(t, "fsck")
			if (repaired == nil) != c.repairable || (clean == nil) != c.repairable {
				t.Errorf("repair: %v\nafterwards: %v", repaired, clean)
			}
			if c.repairable && l.view(t, x.host) != l.baseline {
				t.Error("the repair changed what is shown")
			}
		})
	}
}
