package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// The job computes so many summaries before it stands back in the line, so that a space with many change requests delays
// no other one. To find them it looks at so many.
const (
	computedAtOnce = 8
	lookedAtOnce   = 64
)

// Summarize is the job that computes the summaries of a space: first those that lists showed as missing, then those whose
// change request moved, then, where the space has moved, all of them, the oldest first.
func (s *Service) Summarize(ctx context.Context, lease store.Lease) error {
	t, err := s.beginTurn(ctx, lease)
	if err != nil {
		return err
	}
	if t.gone {
		return s.Store.Update(ctx, store.Organization(t.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if _, there, err := tx.Head(t.org, t.space); err != nil || there {
				return errors.Join(err, lease.Hold(tx.Tx))
			}
			return lease.Finish(tx.Tx)
		})
	}
	if err := t.walk(ctx); err != nil {
		return err
	}
	for _, id := range t.ids {
		if err := t.compute(ctx, id); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(t.org), txn.UpdateOptions{}, t.commit)
}

// turn is what the job does before it stands back.
type turn struct {
	service    *Service
	lease      store.Lease
	org, space string
	head       store.Head
	gone       bool // the space is
	wanted     []string
	ids        []string // to compute
	all        bool     // the whole space is to be walked through
	mark       store.SummaryMark
	walked     bool // to the end
	computed   map[string]store.Summary
	given      map[string]bool // up: it cannot be told
}

// beginTurn reads what is to be done.
func (s *Service) beginTurn(ctx context.Context, lease store.Lease) (*turn, error) {
	t := &turn{service: s, lease: lease, org: lease.Organization, space: lease.Arg, computed: map[string]store.Summary{}, given: map[string]bool{}}
	b := s.Store.Pipeline()
	wanted := b.Range(store.WantedKey(t.org, t.space), "", computedAtOnce, false)
	head, mark := b.Field(store.HeadsKey(t.org), t.space), b.Field(store.SummariesKey(t.org), t.space)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read which summaries are wanted: %w", err)
	}
	text, there := head.Get()
	if t.gone = !there; t.gone {
		return t, nil
	}
	var err error
	if t.head, err = store.ParseHead(text); err != nil {
		return nil, err
	}
	if t.mark, err = store.ParseSummaryMark(mark.Value()); err != nil {
		return nil, err
	}
	t.wanted = wanted.Value()
	for _, member := range t.wanted {
		by, id := store.SplitWanted(member)
		if by == store.WantedByAll {
			t.all = true
		} else if !slices.Contains(t.ids, id) {
			t.ids = append(t.ids, id)
		}
	}
	return t, nil
}

// walked are the states of change requests that have summaries, in the order of the walk.
var walkedStates = [...]api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft}

// walk fills the turn with change requests whose summary is not about the head of the space, the oldest first.
func (t *turn) walk(ctx context.Context) error {
	if !t.all {
		return nil
	}
	if t.mark.Space == "" {
		t.mark = store.SummaryMark{Space: t.head.Revision, Status: walkedStates[0]}
	}
	for len(t.ids) < computedAtOnce && !t.walked {
		b := t.service.Store.Pipeline()
		members := b.Range(store.RequestsByCreationKey(t.org, t.space, t.mark.Status), t.mark.After, lookedAtOnce, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("walk through change requests: %w", err)
		}
		if err := t.look(ctx, members.Value()); err != nil {
			return err
		}
		if len(members.Value()) < lookedAtOnce && len(t.ids) < computedAtOnce {
			t.nextState()
		}
	}
	return nil
}

// nextState goes on with the next state, or ends the walk.
func (t *turn) nextState() {
	at := slices.Index(walkedStates[:], t.mark.Status) + 1
	if t.walked = at == len(walkedStates); !t.walked {
		t.mark.Status, t.mark.After = walkedStates[at], ""
	}
}

// look takes up those of some members that are to be computed, as long as there is room.
func (t *turn) look(ctx context.Context, members []string) error {
	ids := make([]string, len(members))
	for i, member := range members {
		ids[i] = store.RequestID(store.SplitRequestMember(member))
	}
	b := t.service.Store.Pipeline()
	heads, summaries := b.Fields(store.HeadsKey(t.org), ids...), b.Fields(store.SummariesKey(t.org), ids...)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read summaries: %w", err)
	}
	for i, id := range ids {
		if len(t.ids) == computedAtOnce {
			return nil
		}
		t.mark.After = members[i]
		text, there := heads.Value()[id]
		if !there {
			continue
		}
		head, err := store.ParseHead(text)
		if err != nil {
			return err
		}
		sum, err := store.ParseSummary(summaries.Value()[id])
		if err != nil {
			return err
		}
		if (sum.Revision != head.Revision || sum.Space != t.head.Revision) && !slices.Contains(t.ids, id) {
			t.ids = append(t.ids, id)
		}
	}
	return nil
}

// compute computes one summary. A change request that is gone has none.
func (t *turn) compute(ctx context.Context, id string) error {
	b := t.service.Store.Pipeline()
	text := b.Field(store.SummariesKey(t.org), id)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read summary: %w", err)
	}
	kept, err := store.ParseSummary(text.Value())
	if err != nil {
		return err
	}
	sum, err := t.service.Reviews.Summarize(ctx, t.org, id, kept)
	switch {
	case err == nil:
		t.computed[id] = sum
	case review.Untold(err):
		t.service.Log.Warn("no summary of a change request", "organization", t.org, "change-request", id, "error", err)
		t.given[id] = true
	case !errors.Is(err, redis.ErrStale):
		return fmt.Errorf("summary of %s: %w", id, err)
	}
	return nil
}

// commit writes what was computed, and says whether there is more to do. What moved meanwhile stays wanted.
func (t *turn) commit(tx *store.Tx) error {
	if err := t.lease.Hold(tx.Tx); err != nil {
		return err
	}
	left, err := tx.Card(store.WantedKey(t.org, t.space))
	if err != nil {
		return err
	}
	settled := map[string]bool{}
	for _, id := range t.ids {
		if settled[id], err = t.put(tx, id); err != nil {
			return err
		}
	}
	for _, member := range t.wanted {
		by, id := store.SplitWanted(member)
		done := settled[id]
		if by == store.WantedByAll {
			if done, err = t.putMark(tx); err != nil {
				return err
			}
		}
		if done {
			tx.Remove(store.WantedKey(t.org, t.space), member)
			left--
		}
	}
	if left == 0 {
		return t.lease.Finish(tx.Tx)
	}
	tx.Schedule(t.org, t.lease.Job(), 0)
	return nil
}

// put writes a summary; done is false if the change request has moved since.
func (t *turn) put(tx *store.Tx, id string) (done bool, err error) {
	head, there, err := tx.Head(t.org, id)
	if err != nil || !there {
		return !there, err
	}
	request, err := tx.ChangeRequest(t.org, id)
	if err != nil {
		return false, err
	}
	tx.NoteReviewed(t.org, request)
	sum, computed := t.computed[id]
	if !computed {
		return t.given[id], nil
	}
	return head.Revision == sum.Revision, tx.PutSummary(t.org, id, sum)
}

// putMark writes how far the walk has come; done is true at its end, unless the space has moved since it began.
func (t *turn) putMark(tx *store.Tx) (done bool, err error) {
	now, _, err := tx.Head(t.org, t.space)
	if err != nil {
		return false, err
	}
	if !t.walked {
		return false, tx.PutSummary(t.org, t.space, t.mark)
	}
	tx.DeleteField(store.SummariesKey(t.org), t.space)
	return now.Revision == t.mark.Space, nil
}
