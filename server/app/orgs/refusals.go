package orgs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

const (
	// refusalShare is the inverse of the share that events of refused requests have of the events that an organization keeps.
	refusalShare = 100
	// eventBytes is the usual memory of an event, see docs/operations.md.
	eventBytes = 500
	// allTokens is the field of store.RefusalsKey of tokens that are bound to no organization.
	allTokens = "all"
	// refusedDays is the field of store.RefusedKey.
	refusedDays = "days"

	day = 24 * time.Hour
)

// refusalIntervals are the minimum times between two events of refused requests with tokens of a user, by the number of such events of
// the day.
var refusalIntervals = []struct {
	events   int
	interval time.Duration
}{{5, time.Minute}, {15, 10 * time.Minute}}

// longestRefusalInterval follows refusalIntervals.
const longestRefusalInterval = time.Hour

// refusalState describes the refused requests with tokens of a user that have no event yet, and the events of the last day.
type refusalState struct {
	At      api.Time `json:"at,omitzero"` // of the last event
	Day     int64    `json:"day"`         // since 1970
	Events  int      `json:"events"`      // of that day
	Count   int      `json:"count"`       // of requests that have no event yet
	Token   string   `json:"token"`       // of the last of them
	Address string   `json:"address,omitzero"`
	// EndedIn are the organizations for which all tokens of the requests were ended.
	EndedIn []string `json:"endedIn,omitempty"`
}

// ReportRefusal adds refused requests to the log of their user, and copies the event to the logs of the organizations in which the token
// works. Requests that come too soon after the last event are stored and become part of a later event: then isPending is set, and the
// method has to be called again at the time next, with a Count of 0 if there are no others.
func (s *Service) ReportRefusal(ctx context.Context, r auth.Refusal) (isPending bool, next time.Time, err error) {
	state, err := s.readRefusals(ctx, r)
	if err != nil {
		return false, next, err
	}
	state.add(r)
	isDue := state.isDue(s.Clock())
	if r.Count == 0 && !isDue {
		return state.Count > 0, state.next(s.Clock()), nil
	}
	var followed []string
	if isDue {
		followed, err = s.followTokens(ctx, r.User, tokenChange{organization: r.Organization, endedIn: state.EndedIn})
		s.warnMissingEvents(ctx, r.User, err)
	}
	err = s.Store.Update(ctx, store.User(r.User), txn.UpdateOptions{}, func(tx *store.Tx) error {
		state, err = s.addRefusals(ctx, tx, r, isDue)
		return err
	})
	if err != nil {
		return false, next, err
	}
	s.warnMissingEvents(ctx, r.User, s.copyToLogs(ctx, r.User, followed))
	return state.Count > 0, state.next(s.Clock()), nil
}

// addRefusals stores refused requests, with an event if isDue is set and no other node has written one meanwhile. With the event, it
// removes older ones of the user, because they contain addresses.
func (s *Service) addRefusals(ctx context.Context, tx *store.Tx, r auth.Refusal, isDue bool) (refusalState, error) {
	field := cmp.Or(r.Organization, allTokens)
	text, _, err := tx.Field(store.RefusalsKey(r.User), field)
	if err != nil {
		return refusalState{}, err
	}
	state := s.decodeRefusals(ctx, r.User, text)
	state.add(r)
	if isDue && state.isDue(tx.Now()) {
		tx.Event(state.event(tx.Now(), r))
		state = state.afterEvent(tx.Now())
		if err := s.removeUserEvents(ctx, tx); err != nil {
			return state, err
		}
	}
	data, err := json.Marshal(state)
	tx.SetField(store.RefusalsKey(r.User), field, string(data))
	return state, err
}

// removeUserEvents removes the events of a user that are older than events are kept, unless removals are on hold.
func (s *Service) removeUserEvents(ctx context.Context, tx *store.Tx) error {
	now, err := tx.Time()
	if err != nil {
		return err
	}
	before := now.Add(-s.EventsKept)
	switch delay, err := tx.RemovalDelay(ctx, before); {
	case errors.Is(err, redis.ErrRemovalHeld):
		return nil
	case err != nil:
		return err
	case delay == 0:
		tx.RemoveEvents(before)
	}
	return nil
}

// readRefusals reads the state of the refused requests of a user and an organization.
func (s *Service) readRefusals(ctx context.Context, r auth.Refusal) (refusalState, error) {
	b := s.Store.NewBatch()
	text := b.Field(store.RefusalsKey(r.User), cmp.Or(r.Organization, allTokens))
	if err := b.Do(ctx); err != nil {
		return refusalState{}, fmt.Errorf("read refused requests: %w", err)
	}
	return s.decodeRefusals(ctx, r.User, text.Value()), nil
}

// decodeRefusals decodes a state. One that is damaged is logged and replaced.
func (s *Service) decodeRefusals(ctx context.Context, user, text string) (state refusalState) {
	if text == "" {
		return state
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		s.Log.WarnContext(ctx, "the number of refused requests is damaged; it begins with 0 again", "user", user, "error", err)
		return refusalState{}
	}
	return state
}

// add adds refused requests.
func (st *refusalState) add(r auth.Refusal) {
	if r.Count == 0 {
		return
	}
	if st.Count > 0 {
		r.EndedIn = auth.CommonEnds(st.EndedIn, r.EndedIn)
	}
	st.Count, st.Token, st.Address, st.EndedIn = st.Count+r.Count, r.Token, r.Address, r.EndedIn
}

// next returns the earliest time of the next event, given the present time.
func (st *refusalState) next(now time.Time) time.Time {
	if st.At.IsZero() {
		return now
	}
	events, interval := st.Events, longestRefusalInterval
	if st.Day < dayOf(now) {
		events = 0
	}
	for _, r := range slices.Backward(refusalIntervals) {
		if events < r.events {
			interval = r.interval
		}
	}
	return st.At.Add(interval)
}

// isDue reports whether the requests may have an event now. If the clock has gone back by more than the clocks of nodes differ, they may.
func (st *refusalState) isDue(now time.Time) bool {
	return st.Count > 0 && (!now.Before(st.next(now)) || now.Before(st.At.Add(-longestRefusalInterval)))
}

// afterEvent returns the state after an event of the requests.
func (st *refusalState) afterEvent(now time.Time) refusalState {
	today, events := dayOf(now), 1
	if st.Day >= today {
		today, events = st.Day, events+st.Events
	}
	return refusalState{At: api.At(now), Day: today, Events: events}
}

// event returns the event of the requests in the log of their user.
func (st *refusalState) event(now time.Time, r auth.Refusal) map[string]string {
	fields := operatorEvent(now, eventTokenRefused, st.Token)
	fields[eventlog.User], fields[eventlog.Count] = r.User, strconv.Itoa(st.Count)
	for name, value := range map[string]string{
		eventlog.Organization: r.Organization, eventlog.EndedIn: strings.Join(st.EndedIn, " "),
	} {
		if value != "" {
			fields[name] = value
		}
	}
	eventlog.Audit{Address: st.Address}.Set(fields)
	return fields
}

// dayOf returns the number of days between 1970 and a time.
func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

// refusalLimit is the maximum number of events of refused requests that an organization gets in a number of days.
type refusalLimit struct{ events, days int64 }

// newRefusalLimit returns the limit of an organization that keeps a number of events for a time: 1 % of them, spread evenly.
func newRefusalLimit(events int64, kept time.Duration) refusalLimit {
	days, total := max(int64(kept/day), 1), max(events/refusalShare, 1)
	if total >= days {
		return refusalLimit{events: total / days, days: 1}
	}
	return refusalLimit{events: 1, days: (days + total - 1) / total}
}

// maxRefusals returns the limit of an organization, if there are events of refused requests.
func (s *Service) maxRefusals(ctx context.Context, org string, events []store.Event) (none refusalLimit, err error) {
	for _, e := range events {
		if e.Fields[eventlog.Type] != eventTokenRefused {
			continue
		}
		logs, err := store.EventLogs(ctx, s.Store, []string{org})
		if err != nil {
			return none, err
		}
		log := logs[org]
		kept := log.KeptEntries(int64(s.Store.MaxEvents()))
		if log.MaxBytes > 0 {
			kept = min(kept, max(log.MaxBytes/eventBytes, store.MinEventsKept))
		}
		return newRefusalLimit(kept, log.KeptAge(s.EventsKept)), nil
	}
	return none, nil
}

// count counts an event of refused requests in the log of an organization. It reports whether the organization gets it.
func (l refusalLimit) count(tx *store.Tx, org string) (bool, error) {
	text, _, err := tx.Field(store.RefusedKey(org), refusedDays)
	if err != nil {
		return false, err
	}
	counts, today := map[int64]int64{}, dayOf(tx.Now())
	if json.Unmarshal([]byte(text), &counts) != nil || counts == nil {
		counts = map[int64]int64{} // absent or damaged: the count begins again
	}
	maps.DeleteFunc(counts, func(d, _ int64) bool { return d <= today-l.days || d > today+1 }) // the clock of a node may be ahead
	count := int64(0)
	for _, n := range counts {
		count += n
	}
	if count >= l.events {
		return false, nil
	}
	counts[today]++
	data, err := json.Marshal(counts)
	tx.SetField(store.RefusedKey(org), refusedDays, string(data))
	return true, err
}
