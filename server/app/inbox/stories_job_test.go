package inbox_test

import (
	"context"
	"fmt"
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

// observer is a hook that sees, script by script, which summaries are written. Of a turn of the job that is one commit.
type observer struct {
	world *servertest.World
	seen  map[string]string
	turns [][]string // RequestIDs
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
			o.look(ctx)
		}
		return err
	}
}

// look notes the summaries that are others than before. The mark of how far the job has come is none.
func (o *observer) look(ctx context.Context) {
	o.world.T.Helper()
	now, err := o.world.Store.Client.HGetAll(ctx, o.world.Store.Name(store.SummariesKey(o.world.Org))).Result()
	o.world.Must(err)
	var turn []string
	for id, summary := range now {
		if o.seen[id] != summary && strings.Contains(id, "-") {
			turn = append(turn, id)
		}
	}
	if o.seen = now; len(turn) > 0 {
		slices.Sort(turn)
		o.turns = append(o.turns, turn)
	}
}

// observed is a desk whose jobs are observed from now on, after what is due has been done.
func observed(t *testing.T) (d desk, watch func() *observer) {
	t.Helper()
	o := &observer{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, o) })
	d = newDesk(w)
	return d, func() *observer {
		d.settled()
		o.world = w
		o.look(t.Context())
		o.turns = nil
		return o
	}
}

// work does the jobs that are due in a minute, and returns which summaries were computed, turn by turn.
func (o *observer) work() [][]string {
	o.turns = nil
	o.world.Clock.Advance(time.Minute)
	servertest.RunJobs(o.world)
	return o.turns
}

// aTurn is how many summaries of a space are computed before its job stands back.
const aTurn = 8

// When a space moves, the job computes what lists showed as missing, then what moved itself, and then the oldest first; so
// many at a time, each once.
func TestTheJobComputesFirstWhatIsMissed(t *testing.T) {
	t.Parallel()
	d, watch := observed(t)
	var all []string
	for i := range 30 {
		as := "editor"
		if i == 19 || i == 24 || i == 27 {
			as = "creator"
		}
		r := servertest.Do(d.World, "admin", api.GetChangeRequest, d.opened(as, fmt.Sprint(i), ""))
		all = append(all, store.RequestID(r.Space, r.Number))
	}
	merged, moved := d.opened("admin", "Merged", ""), servertest.Ref(d.Request("creator", d.space, "Moved"))
	draft := store.RequestID(d.space, servertest.Do(d.World, "admin", api.GetChangeRequest, moved).Number)
	o := watch()
	d.Merged(merged)
	d.Change(moved, servertest.Insert("Another page", "", "Words.\n"))
	mine := api.ListQueueInput{Organization: d.Org, ChangeRequestPeople: api.ChangeRequestPeople{Creator: d.Users["creator"].ID}}
	for _, q := range servertest.Do(d.World, "admin", api.ListChangeRequestQueue, mine).Items {
		servertest.Equal(t, q.Subject+" is missing", true, q.Summary.Pending)
	}
	missed := []string{all[19], all[24], all[27]}
	others := slices.DeleteFunc(slices.Clone(all), func(id string) bool { return slices.Contains(missed, id) })
	merge := store.RequestID(d.space, servertest.Do(d.World, "admin", api.GetChangeRequest, merged).Number)
	want := slices.Collect(slices.Chunk(slices.Concat(missed, inOrder(merge, draft), others), aTurn))
	for i := range want {
		slices.Sort(want[i])
	}
	servertest.Equal(t, "turns", fmt.Sprint(want), fmt.Sprint(o.work()))
	servertest.Equal(t, "turns, when nothing moved", "[]", fmt.Sprint(o.work()))
}

func inOrder(ids ...string) []string {
	slices.Sort(ids)
	return ids
}

// A merge into a space with many open change requests keeps no other space waiting: what moves there is computed after a
// turn or two of the large one, not behind all of it.
func TestALargeSpaceKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	d, watch := observed(t)
	const many = 10 * aTurn
	for i := range many {
		d.opened("editor", fmt.Sprint(i), "")
	}
	merged := d.opened("creator", "Merged", "")
	elsewhere := servertest.Ref(d.Request("editor", d.NewSpace().ID, "Elsewhere"))
	o := watch()
	d.Merged(merged)
	d.Clock.Advance(time.Second)
	d.Change(elsewhere, servertest.Insert("A page", "", "Words.\n"))
	before, after, there := 0, 0, false
	for _, turn := range o.work() {
		if len(turn) > aTurn {
			t.Errorf("%d are computed in a turn, want %d at most", len(turn), aTurn)
		}
		for _, id := range turn {
			switch {
			case store.HeadSpace(id) == elsewhere.Space:
				there = true
			case there:
				after++
			default:
				before++
			}
		}
	}
	if !there || before > 2*aTurn {
		t.Errorf("computed there: %t, and before that %d of the large space, want %d at most", there, before, 2*aTurn)
	}
	servertest.Equal(t, "computed of the large space", many+1, before+after)
}
