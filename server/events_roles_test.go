package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// oneSpace is the name of a token of a service account that is limited to one space.
const oneSpace = "one space"

// eventReceivers are the names of the tokens with which TestEventsFollowRoles receives events.
var eventReceivers = []string{
	"admin", "creator", "reviewer", "editor", "commenter", "reader", "guest", "robot", "in the team",
	servertest.AdminReading, servertest.AdminWriting, oneSpace,
}

// eventRefusals maps the names of tokens that receive no events to the statuses of the refusal.
var eventRefusals = map[string][]int{
	"stranger": {http.StatusNotFound}, "elsewhere": {http.StatusNotFound}, "ended": {http.StatusForbidden, http.StatusNotFound},
	"installation":  {http.StatusForbidden, http.StatusUnauthorized}, // the integration is unpublished meanwhile
	"comments only": {http.StatusForbidden}, "deleted": {http.StatusUnauthorized},
}

// eventRoles is a sample organization whose events are received with tokens of every kind.
type eventRoles struct {
	*servertest.World

	sample     *servertest.Sample
	teamMember string // id of the guest with the token "in the team"

	rows    map[string]api.Row
	needs   map[string]auth.Need
	tails   map[string]*eventTail          // open streams by the name of the token
	titles  map[string][]string            // titles that objects have had, by id, and that nothing else has
	answers map[string]servertest.Response // to the reads of this state, by token and path
}

// eventTail collects the messages of an open stream.
type eventTail struct {
	mu       sync.Mutex
	position string
	messages []api.EventMessage
	err      error // set when the stream has ended
}

// newEventRoles returns an organization with a token of each name in eventReceivers and eventRefusals.
func newEventRoles(t *testing.T) *eventRoles {
	t.Helper()
	world, s := servertest.NewSampleWorld(t, storetest.Memory())
	w := &eventRoles{
		World: world, sample: s, rows: map[string]api.Row{}, needs: map[string]auth.Need{}, tails: map[string]*eventTail{},
		titles: map[string][]string{}, answers: map[string]servertest.Response{},
	}
	w.Serve(func(o *server.Options) {
		o.Budgets = budgets.Defaults()
		o.Budgets.CallTime, o.Budgets.SlowTime = int64(time.Hour), int64(time.Hour)
		o.Budgets.StreamPoll, o.Budgets.StreamHeartbeat = int64(5*time.Millisecond), int64(50*time.Millisecond)
	})
	for _, e := range servertest.Endpoints(t) {
		w.rows[e.Row.Name], w.needs[e.Row.Name] = e.Row, e.Need
	}
	servertest.GrantAccess(w.World, s.Handbook, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{w.Users["guest"].ID}})
	servertest.GrantAccess(w.World, s.Site, api.PermissionCreate{Role: new(api.RoleRead), Users: []string{w.Users["guest"].ID}})
	bot := servertest.NewServiceAccount(w.World, "Robot", api.RoleAdmin).ID
	all := []api.Scope{api.ScopeRead, api.ScopeWrite, api.ScopeAdmin}
	servertest.NewServiceToken(w.World, bot, api.ServiceAccountTokenCreate{Name: oneSpace, Scopes: all, Spaces: []string{s.Handbook}})
	servertest.NewServiceToken(w.World, bot, api.ServiceAccountTokenCreate{
		Name: "comments only", Scopes: all, Groups: []api.OperationGroup{"comments"},
	})
	reading := servertest.NewServiceAccount(w.World, "Reading robot", api.RoleRead).ID
	servertest.NewServiceToken(w.World, reading, api.ServiceAccountTokenCreate{Name: "robot"})
	w.teamMember = servertest.Do(w.World, "admin", api.CreateServiceAccount, api.CreateServiceAccountInput{
		Organization: w.Org, Body: api.ServiceAccountCreate{DisplayName: "Guest robot", Role: api.Null[api.Role]()},
	}).ID
	servertest.NewServiceToken(w.World, w.teamMember, api.ServiceAccountTokenCreate{Name: "in the team"})
	servertest.NewToken(w.World, "admin", "elsewhere", api.TokenCreate{Organization: api.Some(s.Other)})
	deleted := servertest.NewToken(w.World, "editor", "deleted", api.TokenCreate{})
	servertest.Do(w.World, "editor", api.DeleteToken, api.TokenRef{Token: deleted.ID})
	w.endToken(servertest.NewToken(w.World, "editor", "ended", api.TokenCreate{}).ID)
	w.Tokens["installation"] = servertest.Do(w.World, "admin", api.CreateInstallationToken, api.InstallationRef{
		IntegrationRef: api.IntegrationRef{Integration: s.Linter}, Installation: s.Installation,
	}).Token
	return w
}

// endToken ends a token of the editor for the organization.
func (w *eventRoles) endToken(id string) {
	w.T.Helper()
	servertest.Do(w.World, "admin", api.DeleteMemberToken, api.MemberTokenRef{
		MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID}, Token: id,
	})
}

// follow opens a stream with each token until the end of the test.
func (w *eventRoles) follow() {
	w.T.Helper()
	web := httptest.NewServer(w.Handler)
	ctx, cancel := context.WithCancel(w.T.Context())
	var streams sync.WaitGroup
	drain := w.Server.Drain
	w.T.Cleanup(func() {
		cancel()
		drain()
		streams.Wait()
		web.Close()
	})
	for _, as := range eventReceivers {
		tail := &eventTail{}
		w.tails[as] = tail
		c := client.New(web.URL, client.WithToken(w.Tokens[as]), client.WithRetries(0))
		in := api.TailEventsInput{Organization: w.Org}
		streams.Go(func() {
			for m, err := range c.Events.Tail(ctx, in) {
				tail.add(m, err)
			}
		})
	}
	w.catchUp()
}

func (e *eventTail) add(m api.EventMessage, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.err = err
		return
	}
	if m.ID != "" {
		e.position = m.ID
	}
	e.messages = append(e.messages, m)
}

// take returns the messages since the last call, and the error with which the stream has ended.
func (e *eventTail) take() ([]api.EventMessage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	messages := e.messages
	e.messages = nil
	return messages, e.err
}

func (e *eventTail) hasReached(position string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err != nil || strings.HasPrefix(e.position, position+"-")
}

// newest returns the id of the newest event.
func (w *eventRoles) newest() string {
	w.T.Helper()
	found := w.Store.Client.XRevRangeN(w.T.Context(), w.Store.Name(store.EventsKey(w.Org)), "+", "-", 1).Val()
	if len(found) == 0 {
		w.T.Fatal("the log has no events")
	}
	return found[0].ID
}

// catchUp waits until all open streams have the position of the newest event.
func (w *eventRoles) catchUp() {
	w.T.Helper()
	newest, deadline := w.newest(), time.Now().Add(time.Minute)
	for as, tail := range w.tails {
		for !tail.hasReached(newest) { // or ended
			if time.Now().After(deadline) {
				w.T.Fatalf("the stream of %s has not reached %s", as, newest)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// TestEventsFollowRoles checks the events that tokens of every kind receive, by the list and by streams: while an organization has
// changes of all kinds, and after each way in which an object is hidden from somebody or goes away, also of the events before it. Each
// event is received by exactly those who can read its object by the row that reads it, and has nothing of what is hidden from them.
//
//wsd:serial
func TestEventsFollowRoles(t *testing.T) {
	t.Parallel()
	w := newEventRoles(t)
	w.follow()
	w.check("the sample")
	for _, isLast := range []bool{false, true} {
		for _, row := range orderedRows() {
			if row.Writes() && removes(row) == isLast && row.Name != api.DeleteMember.Name {
				w.Send("admin", row.Method, w.SamplePathWith(row, w.sample, spareParams(w.World, row)), w.SampleBody(row, w.sample))
			}
		}
		w.check("every change")
	}
	for _, step := range eventSteps {
		w.run(step)
	}
	kinds := map[string]bool{}
	for _, e := range w.list("admin") {
		kinds[e.Kind] = true
	}
	if len(kinds) < 100 {
		t.Errorf("the events have %d kinds only", len(kinds))
	}
}

// run performs a step on objects of its own and checks what is received afterwards.
func (w *eventRoles) run(step eventStep) {
	w.T.Helper()
	o := w.newObjects()
	if step.before != nil {
		step.before(w, o)
	}
	w.catchUp()
	w.answers = map[string]servertest.Response{}
	readers := map[string]bool{}
	for as, tail := range w.tails {
		_, _ = tail.take() // of the steps before
		readers[as] = w.shows(as, o)
	}
	began := w.newest()
	step.hide(w, o)
	if step.end != "" {
		w.awaitEnd(step.end)
	}
	if step.later != nil {
		step.later(w, o)
	}
	w.catchUp()
	w.check(step.name, o.collection, o.shelf, o.space, o.site)
	for as, tail := range w.tails {
		messages, err := tail.take()
		w.checkTail(step, as, began, messages, err)
		isLost := readers[as] && !w.shows(as, o)
		if want := slices.Contains(step.lose, as) || step.end == as; isLost != want {
			w.T.Errorf("%s: %s sees events of the space: before %t, lost %t, want %t", step.name, as, readers[as], isLost, want)
		}
	}
	delete(w.tails, step.end)
	if step.undo != nil {
		step.undo(w, o)
	}
}

// checkTail checks the messages of a stream during a step: its events are those that are listed after it, and a loss is announced.
func (w *eventRoles) checkTail(step eventStep, as, began string, messages []api.EventMessage, err error) {
	w.T.Helper()
	if step.end == as {
		return // it has ended before the changes that follow
	}
	if err != nil {
		w.T.Errorf("%s: the stream of %s has ended: %v", step.name, as, err)
		return
	}
	var sent, listed []string
	isAnnounced := false
	for _, m := range messages {
		if m.Event != nil {
			sent = append(sent, m.Event.ID+" "+m.Event.Kind)
		}
		isAnnounced = isAnnounced || m.Type == api.EventMessageAccess
		if m.Type == api.EventMessageGap {
			w.T.Errorf("%s: %s received a gap", step.name, as)
		}
	}
	for _, e := range slices.Backward(w.list(as)) {
		if isIDAfter(e.ID, began) {
			listed = append(listed, e.ID+" "+e.Kind)
		}
	}
	servertest.Equal(w.T, step.name+": listed, and sent to "+as, listed, sent)
	if slices.Contains(step.lose, as) && !isAnnounced {
		w.T.Errorf("%s: the loss is not announced to %s", step.name, as)
	}
}

// awaitEnd waits for the end of the stream of a token.
func (w *eventRoles) awaitEnd(as string) {
	w.T.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		tail := w.tails[as]
		tail.mu.Lock()
		hasEnded := tail.err != nil
		tail.mu.Unlock()
		if hasEnded {
			return
		}
		if time.Now().After(deadline) {
			w.T.Fatalf("the stream of %s has not ended", as)
		}
	}
}
