package orgs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
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
	// refusalInterval is the minimum time between two events of refused requests with tokens of a user.
	refusalInterval = time.Minute
	// maxUserRefusals is the maximum number of these events of a user on a day.
	maxUserRefusals = 10
	// minRefusals is the least number of these events that an organization gets on a day.
	minRefusals = 4
	// refusalShare is the inverse of the share of the events of refused requests in a log.
	refusalShare = 100
	// allTokens is the field of store.RefusalsKey of tokens that are bound to no organization.
	allTokens = "all"

	day = 24 * time.Hour
)

// MaxRefusals returns the maximum number of events of refused requests that an organization gets on a day, so that they are at most
// 1 % of the events that are kept for a time.
func MaxRefusals(events int64, kept time.Duration) int64 {
	days := max(int64(kept/day), 1)
	return max(events/refusalShare/days, minRefusals)
}

// refusalState describes the refused requests with tokens of a user that have no event yet, and the events of the last day.
type refusalState struct {
	At      api.Time `json:"at,omitzero"` // of the last event
	Day     int64    `json:"day"`         // since 1970
	Events  int      `json:"events"`      // of that day
	Count   int      `json:"count"`       // of requests that have no event yet
	Token   string   `json:"token"`       // of the last of them
	Address string   `json:"address,omitzero"`
}

// ReportRefusal adds refused requests to the log of their user, and copies the event to the logs of the organizations that the token
// opens. Requests within a minute of the last event, or beyond the events of a day, are part of a later event: then hasMore is set, and
// the method has to be called again, with a Count of 0.
func (s *Service) ReportRefusal(ctx context.Context, r auth.Refusal) (hasMore bool, err error) {
	now, err := s.refusalState(ctx, r)
	if err != nil {
		return false, err
	}
	now.add(r)
	var followed []string
	if now.isDue(s.Clock()) {
		if followed, err = s.followTokens(ctx, r.User, r.Organization); err != nil {
			return false, err
		}
	}
	err = s.Store.Update(ctx, store.User(r.User), txn.UpdateOptions{}, func(tx *store.Tx) error {
		text, _, err := tx.Field(store.RefusalsKey(r.User), cmp.Or(r.Organization, allTokens))
		if err != nil {
			return err
		}
		state, err := decodeRefusals(text)
		if err != nil {
			return err
		}
		state.add(r)
		if state.isDue(tx.Now()) {
			tx.Event(state.event(tx.Now(), r))
			state.written(tx.Now())
		}
		hasMore = state.Count > 0
		data, err := json.Marshal(state)
		tx.SetField(store.RefusalsKey(r.User), cmp.Or(r.Organization, allTokens), string(data))
		return err
	})
	for _, org := range followed {
		if err == nil {
			err = s.copyTokenEvents(ctx, org, r.User)
		}
	}
	return hasMore, err
}

// refusalState reads the state of the refused requests of a user and an organization.
func (s *Service) refusalState(ctx context.Context, r auth.Refusal) (refusalState, error) {
	b := s.Store.NewBatch()
	text := b.Field(store.RefusalsKey(r.User), cmp.Or(r.Organization, allTokens))
	if err := b.Do(ctx); err != nil {
		return refusalState{}, fmt.Errorf("read refused requests: %w", err)
	}
	return decodeRefusals(text.Value())
}

func decodeRefusals(text string) (state refusalState, err error) {
	if text == "" {
		return state, nil
	}
	if err := json.Unmarshal([]byte(text), &state); err != nil {
		return state, fmt.Errorf("%w: refused requests: %w", redis.ErrCorrupt, err)
	}
	return state, nil
}

// add adds refused requests.
func (st *refusalState) add(r auth.Refusal) {
	if r.Count > 0 {
		st.Count, st.Token, st.Address = st.Count+r.Count, r.Token, r.Address
	}
}

// isDue reports whether the requests may have an event now.
func (st *refusalState) isDue(now time.Time) bool {
	return st.Count > 0 && now.Sub(st.At.Time).Abs() >= refusalInterval && (st.Day != dayOf(now) || st.Events < maxUserRefusals)
}

// written notes that the requests have an event.
func (st *refusalState) written(now time.Time) {
	if today := dayOf(now); st.Day != today {
		st.Day, st.Events = today, 0
	}
	*st = refusalState{At: api.At(now), Day: st.Day, Events: st.Events + 1}
}

// event returns the event of the requests in the log of their user.
func (st *refusalState) event(now time.Time, r auth.Refusal) map[string]string {
	fields := operatorEvent(now, eventTokenRefused, st.Token)
	fields[eventlog.User], fields[eventlog.Count] = r.User, strconv.Itoa(st.Count)
	if r.Organization != "" {
		fields[eventlog.Organization] = r.Organization
	}
	eventlog.Audit{Address: st.Address}.Set(fields)
	return fields
}

// dayOf returns the number of days between 1970 and a time.
func dayOf(t time.Time) int64 { return t.Unix() / int64(day/time.Second) }

// today is the field of store.RefusedKey.
const today = "today"

// countRefusal counts an event of refused requests in the log of an organization. It reports whether the organization gets it.
func (s *Service) countRefusal(tx *store.Tx, org string) (bool, error) {
	text, _, err := tx.Field(store.RefusedKey(org), today)
	if err != nil {
		return false, err
	}
	now, count := strconv.FormatInt(dayOf(tx.Now()), 10), int64(0)
	if known, number, _ := strings.Cut(text, " "); known == now {
		count, _ = strconv.ParseInt(number, 10, 64) // 0 if damaged
	}
	if count >= MaxRefusals(int64(s.Store.MaxEvents()), s.EventsKept) {
		return false, nil
	}
	tx.SetField(store.RefusedKey(org), today, now+" "+strconv.FormatInt(count+1, 10))
	return true, nil
}
