package auth_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestSecretChangeWaitsForNodes checks that the old value of a secret is not forgotten before every serving node has renewed its
// lease twice or serves no more, that the nodes are named, and that a node that does neither is an error that a repetition resolves.
func TestSecretChangeWaitsForNodes(t *testing.T) {
	t.Parallel()
	const step = redis.NodeLease / 3
	for name, c := range map[string]struct {
		nodes    string         // serving at the beginning
		renewing map[int]string // those that renew their lease in a pause, by its number
		stuck    string         // is listed all the time and never renews its lease
		reports  []string       // nodes waited for
		pauses   int
		err      string
	}{
		"nobody serves":     {},
		"two renewals":      {"a b", map[int]string{1: "a b", 2: "a b"}, "", []string{"a b"}, 2, ""},
		"one after another": {"a b", map[int]string{1: "a", 2: "a b", 3: "b"}, "", []string{"a b", "b"}, 3, ""},
		"a crashed node":    {"a b", map[int]string{1: "a", 2: "a"}, "", []string{"a b", "b"}, 3, ""},
		"a node that joins": {"a", map[int]string{1: "a b", 2: "a", 3: "b"}, "", []string{"a", "a b", "b"}, 3, ""},
		"a stuck node": {
			"a",
			map[int]string{1: "a", 2: "a"},
			"z",
			[]string{"a z", "z"},
			7,
			"have not read that in 1m0s: z; stop or restart them",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := servertest.NewWorld(t, storetest.Memory())
			recordSecrets(w)
			list := func(node string, lease time.Duration) {
				t.Helper()
				w.Must(w.Store.Client.ZAdd(t.Context(), w.Store.Name(redis.NodesKey()), goredis.Z{
					Score: float64(w.Clock.Now().Add(lease).UnixMilli()), Member: "1 id-" + node + " " + node,
				}).Err())
			}
			for node := range strings.FieldsSeq(c.nodes) {
				list(node, redis.NodeLease)
			}
			if c.stuck != "" {
				list(c.stuck, time.Hour)
			}
			pauses := 0
			var reports []string
			wait := auth.NodeWait{Pause: func(ctx context.Context) error {
				pauses++
				known, err := w.Store.Fingerprints(ctx)
				w.Must(err)
				if !redis.IsEndingSecret(known, auth.SecretVariable) {
					t.Errorf("pause %d: the old secret is accepted or forgotten: %v", pauses, known)
				}
				w.Clock.Advance(step)
				for node := range strings.FieldsSeq(c.renewing[pauses]) {
					list(node, redis.NodeLease)
				}
				return nil
			}, Report: func(nodes []string) { reports = append(reports, strings.Join(nodes, " ")) }}
			settings := secretsOf(strings.Repeat("another ", 8), "")
			settings.OldEncryptionKey = ""
			options := auth.SecretOptions{Leaked: true, Wait: wait}
			err := mustPlan(w, settings, options).Apply(t.Context())
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
			if pauses != c.pauses || !slices.Equal(reports, c.reports) {
				t.Errorf("%d pauses for %q, want %d for %q", pauses, reports, c.pauses, c.reports)
			}
			if c.stuck != "" {
				w.Must(w.Store.Client.ZRem(t.Context(), w.Store.Name(redis.NodesKey()), "1 id-"+c.stuck+" "+c.stuck).Err())
				w.Must(mustPlan(w, settings, options).Apply(t.Context()))
			}
			if known, err := w.Store.Fingerprints(t.Context()); err != nil || redis.HasOldSecrets(known) {
				t.Errorf("in the end: %v %v", known, err)
			}
		})
	}
}
