package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// eventsWorld is a world on an emulation whose clock the test sets.
type eventsWorld struct {
	*servertest.World

	emulation *miniredis.Miniredis
	ahead     atomic.Int64 // by which the clock of the node differs, in nanoseconds
}

func newEventsWorld(t *testing.T) *eventsWorld {
	t.Helper()
	e := &eventsWorld{emulation: miniredis.NewMiniRedis()}
	e.World = servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
		clock := c.Clock
		c.Emulation, c.Time = e.emulation, func() time.Time { return clock().Add(time.Duration(e.ahead.Load())) }
		e.emulation.SetTime(clock())
	})
	return e
}

// count returns the number of events of the organization.
func (e *eventsWorld) count() int { return len(storetest.Stream(e.T, e.Store, store.EventsKey(e.Org))) }

// runJobs runs the jobs that are due after a time.
func (e *eventsWorld) runJobs(after time.Duration) {
	e.T.Helper()
	e.Clock.Advance(after)
	e.emulation.SetTime(e.Clock.Now())
	e.Must(e.Server.RunDueJobs(e.T.Context()))
}

// agreeOnTime makes the clocks agree again, until removals are no longer on hold.
func (e *eventsWorld) agreeOnTime() {
	e.T.Helper()
	e.ahead.Store(0)
	e.Must(e.Store.CheckClocks(e.T.Context()))
	e.Clock.Advance(25 * time.Hour) // after which a jump is forgotten
	e.Must(e.Store.CheckClocks(e.T.Context()))
}

// addEvents adds events with values that the log of the organization does not have elsewhere.
func (e *eventsWorld) addEvents(n int) {
	e.T.Helper()
	const most = 500
	for done := 0; done < n; done += most {
		e.Must(e.Store.Update(e.T.Context(), store.Organization(e.Org), txn.UpdateOptions{EnforceQuota: true}, func(tx *store.Tx) error {
			for range min(most, n-done) {
				tx.Event(map[string]string{"type": "teams.update", "id": e.Org, "at": "1", "details": strings.Repeat("x", 300)})
			}
			return nil
		}))
	}
}

// log returns the event log of the organization with its memory.
func (e *eventsWorld) log() store.EventLog {
	e.T.Helper()
	logs, err := store.EventLogs(e.T.Context(), e.Store, []string{e.Org})
	e.Must(err)
	e.Must(store.MeasureEventLogs(e.T.Context(), e.Store, logs, true))
	return logs[e.Org]
}

// TestOldEventsAreRemoved checks that a job removes the events that are older than they are kept, no others, and none while the clock
// of Redis differs from that of the node.
func TestOldEventsAreRemoved(t *testing.T) {
	t.Parallel()
	w := newEventsWorld(t)
	space := w.NewSpace()
	first := w.count()
	w.runJobs(server.DefaultEventsKept - time.Hour)
	servertest.Equal(t, "events before they are too old", first, w.count())
	servertest.Do(w.World, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space.ID, Body: api.SpacePatch{Title: api.Some("Later")}})

	w.ahead.Store(int64(2 * server.DefaultEventsKept))
	w.runJobs(time.Hour)
	servertest.Equal(t, "events while the clocks differ", first+1, w.count())

	w.agreeOnTime()
	w.runJobs(time.Hour)
	servertest.Equal(t, "events afterwards", 1, w.count())
	var page api.LogPage[api.Event]
	servertest.Decode(w.World, w.Call("admin", http.MethodGet, "/v1/orgs/"+w.Org+"/events", nil, http.StatusOK), &page)
	servertest.Equal(t, "the event that is left", "spaces.update", page.Items[0].Kind)
	w.runJobs(time.Hour)
	servertest.Equal(t, "events after another round", 1, w.count())
}

// TestEventsOverATenthOfTheQuotaAreRemoved checks that a job removes the oldest events of an organization whose log takes more than a
// tenth of its quota of bytes, not while clocks are in doubt, and not again for a few more events; that wsd doctor and wsd quota name
// the organization, and that nothing is refused.
func TestEventsOverATenthOfTheQuotaAreRemoved(t *testing.T) {
	t.Parallel()
	w, lines := newEventsWorld(t), &bytes.Buffer{}
	w.Serve(func(o *server.Options) { o.Log = slog.New(slog.NewTextHandler(lines, nil)) })
	space := w.NewSpace()
	w.addEvents(4000)
	log := w.log()
	quota := log.Bytes * 6
	servertest.SetQuota(w.World, w.Org, map[string]*int64{txn.FieldBytes: &quota})
	servertest.Equal(t, "limited by its quota", true, w.log().IsLimitedByQuota())
	kept, exceeds := w.log().Excess()
	if !exceeds || kept < 2000 || kept > 2400 {
		t.Fatalf("%d events are to be kept of %+v", kept, log)
	}

	w.ahead.Store(int64(2 * server.DefaultEventsKept))
	w.runJobs(time.Hour)
	servertest.Equal(t, "events while the clocks differ", int(log.Entries), w.count())
	w.agreeOnTime()
	w.runJobs(time.Hour)
	servertest.Equal(t, "events afterwards", int(kept), w.count())
	if n := strings.Count(lines.String(), "more than the organization may keep are removed"); n != 1 {
		t.Errorf("%d lines in the log:\n%s", n, lines)
	}

	servertest.Do(w.World, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: space.ID, Body: api.SpacePatch{Title: api.Some("Later")}})
	w.addEvents(20)
	w.runJobs(time.Hour)
	servertest.Equal(t, "events after a few more", int(kept)+21, w.count())

	q, err := orgs.Accounts{Store: w.Store}.OrganizationQuotas(t.Context(), w.Org)
	w.Must(err)
	if line := q.EventLog.String(); !strings.HasSuffix(line, " (a tenth of the quota); beyond that the oldest are removed") {
		t.Error(line)
	}
	d, err := server.Diagnose(t.Context(), w.Store, auth.SecretSettings{External: true}, 0)
	w.Must(err)
	i := slices.IndexFunc(d.Checks, func(c redis.Check) bool { return c.Name == "event-logs" })
	c := d.Checks[i]
	if c.Verdict != redis.VerdictWarn || !strings.Contains(c.Message, w.Org+" has ") || !strings.Contains(c.Hint, "quota set") {
		t.Errorf("%+v", c)
	}
}

// TestEventsCountForNoQuota checks that events are added to an organization that has used up its quota, and change no use.
func TestEventsCountForNoQuota(t *testing.T) {
	t.Parallel()
	w := newEventsWorld(t)
	use := func() []orgs.Limit {
		limits, _, err := orgs.Accounts{Store: w.Store}.OrganizationLimits(t.Context(), w.Org)
		w.Must(err)
		return limits
	}
	one := int64(1)
	servertest.SetQuota(w.World, w.Org, map[string]*int64{txn.FieldBytes: &one, txn.FieldRecords: &one})
	before, entries := use(), w.count()
	w.addEvents(2000)
	servertest.Equal(t, "events", entries+2000, w.count())
	servertest.Equal(t, "use", before, use())
	w.runJobs(time.Hour)
	servertest.Equal(t, "events with a quota of one byte", store.MinEventsKept, w.count())
}

// TestOrganizationKeepsFewerEvents checks that an organization keeps no more events, and for no longer, than is set for it, and that
// its admins see that.
func TestOrganizationKeepsFewerEvents(t *testing.T) {
	t.Parallel()
	w := newEventsWorld(t)
	own := func(events, days *int64) {
		servertest.SetQuota(w.World, w.Org, map[string]*int64{txn.FieldEvents: events, txn.FieldEventDays: days})
	}
	show := func() api.EventLog {
		return servertest.Do(w.World, "admin", api.OldestAudit, api.OrganizationRef{Organization: w.Org})
	}
	w.addEvents(2000)
	log := show()
	servertest.Equal(t, "what all keep", []int64{90, txn.DefaultMaxEvents}, []int64{log.KeptDays, log.KeptEntries})
	servertest.Equal(t, "the oldest event", servertest.OldestEvent(w.World), log.Oldest.ID)
	servertest.Equal(t, "entries", int64(w.count()), log.Entries)
	if log.Bytes < 300*log.Entries || log.MaxBytes != 0 {
		t.Errorf("%+v", log)
	}
	own(new(int64(1500)), new(int64(30)))
	w.runJobs(time.Hour)
	servertest.Equal(t, "events with a number of its own", 1500, w.count())
	log = show()
	servertest.Equal(t, "what it keeps", []int64{30, 1500}, []int64{log.KeptDays, log.KeptEntries})
	w.runJobs(30*24*time.Hour - 2*time.Hour)
	servertest.Equal(t, "events before they are too old", 1500, w.count())
	own(nil, nil)
	w.runJobs(3 * time.Hour)
	servertest.Equal(t, "events without its own days", 1500, w.count())
	own(nil, new(int64(30)))
	w.runJobs(time.Hour)
	servertest.Equal(t, "events that are older", 0, w.count())
	log = show()
	if log.Oldest != nil || log.Entries != 0 || log.Bytes != 0 {
		t.Errorf("an empty log: %+v", log)
	}
}
