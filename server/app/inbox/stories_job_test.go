package inbox_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// observer is a hook that records which summaries each script writes. A run of the job commits one script.
type observer struct {
	world   *servertest.World
	seen    map[string]string
	batches [][]string // ids as returned by store.RequestID
}

// DialHook implements redis.Hook.
func (o *observer) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (o *observer) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook implements redis.Hook.
func (o *observer) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		err := next(ctx, command)
		if o.world != nil && strings.HasPrefix(command.Name(), "eval") {
			o.record(ctx)
		}
		return err
	}
}

// record appends the ids of the summaries that have changed since the last call as a batch. It ignores the progress of the job.
func (o *observer) record(ctx context.Context) {
	o.world.T.Helper()
	now, err := o.world.Store.Client.HGetAll(ctx, o.world.Store.Name(store.SummariesKey(o.world.Org))).Result()
	o.world.Must(err)
	var batch []string
	for id, summary := range now {
		if o.seen[id] != summary && strings.Contains(id, "-") {
			batch = append(batch, id)
		}
	}
	if o.seen = now; len(batch) > 0 {
		slices.Sort(batch)
		o.batches = append(o.batches, batch)
	}
}

// newObservedQueue returns an organization with an observer. watch runs all due jobs and then starts the observation.
func newObservedQueue(t *testing.T, hooks ...redis.Hook) (d queueWorld, watch func() *observer) {
	t.Helper()
	o := &observer{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(append(c.Hooks, o), hooks...) })
	d = newQueueWorld(w)
	return d, func() *observer {
		d.runJobs()
		o.world = w
		o.record(t.Context())
		o.batches = nil
		return o
	}
}

// runDueJobs runs the jobs that are due within a minute and returns the ids of the computed summaries by run.
func (o *observer) runDueJobs() [][]string {
	o.batches = nil
	o.world.Clock.Advance(time.Minute)
	servertest.RunJobs(o.world)
	return o.batches
}

// batchSize is the number of summaries of a space computed per run.
const batchSize = 8

// TestJobComputesMissingSummariesFirst checks that after a change of the space, the job computes the summaries requested by
// lists, then those of changed change requests, and then the others, oldest first, in batches and each once.
func TestJobComputesMissingSummariesFirst(t *testing.T) {
	t.Parallel()
	d, watch := newObservedQueue(t)
	var all []string
	for i := range 30 {
		as := "editor"
		if i == 19 || i == 24 || i == 27 {
			as = "creator"
		}
		r := servertest.Do(d.World, "admin", api.GetChangeRequest, d.openRequest(as, fmt.Sprint(i), ""))
		all = append(all, store.RequestID(r.Space, r.Number))
	}
	merged, moved := d.openRequest("admin", "Merged", ""), servertest.Ref(d.CreateRequest("creator", d.space, "Moved"))
	draft := store.RequestID(d.space, servertest.Do(d.World, "admin", api.GetChangeRequest, moved).Number)
	o := watch()
	d.MustMerge(merged)
	d.Change(moved, servertest.Insert("Another page", "", "Words.\n"))
	mine := api.ListQueueInput{Organization: d.Org, ChangeRequestPeople: api.ChangeRequestPeople{Creator: d.Users["creator"].ID}}
	for _, q := range servertest.Do(d.World, "admin", api.ListChangeRequestQueue, mine).Items {
		servertest.Equal(t, q.Subject+" is missing", true, q.Summary.Pending)
	}
	missed := []string{all[19], all[24], all[27]}
	others := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(missed, id) })
	merge := store.RequestID(d.space, servertest.Do(d.World, "admin", api.GetChangeRequest, merged).Number)
	want := slices.Collect(slices.Chunk(slices.Concat(missed, sortedIDs(merge, draft), others), batchSize))
	for i := range want {
		slices.Sort(want[i])
	}
	servertest.Equal(t, "turns", fmt.Sprint(want), fmt.Sprint(o.runDueJobs()))
	servertest.Equal(t, "turns, when nothing moved", "[]", fmt.Sprint(o.runDueJobs()))
}

func sortedIDs(ids ...string) []string {
	slices.Sort(ids)
	return ids
}

// TestLargeSpaceDoesNotDelayOthers checks that a merge into a space with many open change requests does not delay other spaces:
// their summaries are computed after one or two batches of the large space.
func TestLargeSpaceDoesNotDelayOthers(t *testing.T) {
	t.Parallel()
	d, watch := newObservedQueue(t)
	const many = 10 * batchSize
	for i := range many {
		d.openRequest("editor", fmt.Sprint(i), "")
	}
	merged := d.openRequest("creator", "Merged", "")
	elsewhere := servertest.Ref(d.CreateRequest("editor", d.NewSpace().ID, "Elsewhere"))
	o := watch()
	d.MustMerge(merged)
	d.Clock.Advance(time.Second)
	d.Change(elsewhere, servertest.Insert("A page", "", "Words.\n"))
	before, after, found := 0, 0, false
	for _, batch := range o.runDueJobs() {
		if len(batch) > batchSize {
			t.Errorf("%d are computed in a turn, want %d at most", len(batch), batchSize)
		}
		for _, id := range batch {
			switch {
			case store.HeadSpace(id) == elsewhere.Space:
				found = true
			case found:
				after++
			default:
				before++
			}
		}
	}
	if !found || before > 2*batchSize {
		t.Errorf("computed there: %t, and before that %d of the large space, want %d at most", found, before, 2*batchSize)
	}
	servertest.Equal(t, "computed of the large space", many+1, before+after)
}

// TestDisconnectedListDoesNotHideMissingSummary checks that if the client of a list disconnects before any of its calls to
// Redis, the next list requests the missing summaries, so that the job computes them first.
func TestDisconnectedListDoesNotHideMissingSummary(t *testing.T) {
	t.Parallel()
	hook := &servertest.WriteHook{Reads: true}
	d, watch := newObservedQueue(t, hook)
	for i := range batchSize {
		d.openRequest("editor", fmt.Sprint(i), "")
	}
	last := store.RequestID(d.space, d.ReadRequest(d.openRequest("creator", "Last", "")).Number)
	list := func() servertest.Response {
		return servertest.Try(d.World, "admin", api.ListChangeRequestQueue, api.ListQueueInput{
			Organization: d.Org, ChangeRequestPeople: api.ChangeRequestPeople{Creator: d.Users["creator"].ID},
		})
	}
	handler, o := d.Handler, watch()
	for n, more := int64(1), true; more && !t.Failed(); n++ {
		d.MustMerge(d.openRequest("admin", fmt.Sprint("Merged ", n), ""))
		ctx, disconnect := context.WithCancel(t.Context())
		d.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { handler.ServeHTTP(w, r.WithContext(ctx)) })
		more = hook.Before(n, disconnect, func() { list() })
		d.Handler = handler
		disconnect()
		servertest.Equal(t, "status", http.StatusOK, list().Status)
		if batches := o.runDueJobs(); len(batches) < 2 || !slices.Contains(batches[0], last) {
			t.Errorf("disconnected before call %d: %s is not in the first of the batches %v", n, last, batches)
		}
	}
}
