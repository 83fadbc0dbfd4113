package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
)

// TestRepliersFollowReplies checks after each of many additions and deletions that the repliers are those that all replies give, and
// that no earlier list was changed.
func TestRepliersFollowReplies(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var replies []ReplyDocument
	var repliers Repliers
	for n := range 2000 {
		before, copied := repliers, NewRepliers(replies)
		if len(replies) == 0 || r.IntN(100) < 55 {
			var d ReplyDocument
			d.Private.Author = fmt.Sprintf("u_%d", r.IntN(30))
			d.Fields.PostedAt = api.At(start.Add(time.Duration(n/3) * time.Second)) // some at the same time
			replies, repliers = append(replies, d), repliers.with(d)
		} else {
			at := r.IntN(len(replies))
			repliers = repliers.without(replies[at])
			replies = slices.Delete(replies, at, at+1)
		}
		if all := NewRepliers(replies); !repliers.Equal(all) || repliers.Count() != len(replies) {
			t.Fatalf("after %d steps: %v, want %v", n, repliers, all)
		}
		if !before.Equal(copied) {
			t.Fatalf("step %d changed the earlier list", n)
		}
		latest := repliers.Latest(20)
		if len(latest) != min(20, len(repliers)) ||
			!slices.IsSortedFunc(latest, func(a, b Replier) int { return b.LatestAt().Compare(a.LatestAt().Time) }) {
			t.Fatalf("latest: %v", latest)
		}
		for _, d := range replies {
			listed := slices.ContainsFunc(latest, func(p Replier) bool { return p.User == d.Private.Author })
			if last := latest[len(latest)-1].LatestAt(); !listed && d.Fields.PostedAt.After(last.Time) {
				t.Fatalf("%v is not among the latest", d)
			}
		}
	}
}
