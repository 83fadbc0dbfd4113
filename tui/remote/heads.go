package remote

import (
	"context"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
)

// Head is the head of a change request.
type Head struct {
	Revision string
	Status   api.ChangeRequestStatus // "" if it is not known
	MovedAt  time.Time               // time of the last change
}

// Heads holds the newest known head of each change request. Every response that contains a head sets it, so that all
// parts of the screen agree on it. The response to the latest call wins. Commands set heads while the screen reads
// them, so Heads is safe for concurrent use. The zero value is ready to use.
type Heads struct {
	mu      sync.Mutex
	heads   map[Target]knownHead
	calls   int
	changes int
}

// knownHead is a head with the number of the call whose response contained it.
type knownHead struct {
	Head
	call int
}

// nextCall returns the number of a new call, which is higher than those of earlier calls.
func (h *Heads) nextCall() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	return h.calls
}

// set sets the head of a change request from the response to a call, unless a later call has set it.
func (h *Heads) set(at Target, call int, head Head) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, known := h.heads[at]
	if known && before.call > call {
		return
	}
	if h.heads == nil {
		h.heads = map[Target]knownHead{}
	}
	if head.Status == "" {
		head.Status = before.Status
	}
	h.heads[at] = knownHead{head, call}
	if before.Head != head {
		h.changes++
	}
}

// Head returns the newest known head of a change request. known is false if none is known.
func (h *Heads) Head(at Target) (head Head, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found, known := h.heads[at]
	return found.Head, known
}

// HasMoved reports whether the head of a change request is known to be other than a revision.
func (h *Heads) HasMoved(at Target, revision string) bool {
	head, known := h.Head(at)
	return known && revision != "" && head.Revision != revision
}

// Changes returns how often a head has changed.
func (h *Heads) Changes() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changes
}

// ChangeRequest returns a change request and records its head.
func (c *Connection) ChangeRequest(ctx context.Context, at Target) (api.ChangeRequest, error) {
	call := c.Heads.nextCall()
	r, err := c.Client.ChangeRequest(ctx, at)
	if err != nil {
		return r, err
	}
	head := Head{Revision: r.Revision, Status: r.Status, MovedAt: r.UpdatedAt.Time}
	c.Heads.set(at, call, head)
	if named := (Target{Space: at.Space, ChangeRequest: r.ID}); named != at { // asked by number
		c.Heads.set(named, call, head)
	}
	return r, nil
}

// recordEvents records the head after the events of a change request.
func (h *Heads) recordEvents(at Target, call int, events []api.TimelineEvent) {
	head, known := h.Head(at)
	if !known {
		return // the change request is not shown yet, so nothing depends on its head
	}
	for _, e := range events {
		switch e.Kind {
		case api.TimelineMerged:
			head.Status = api.StatusMerged
		case api.TimelineArchived:
			head.Status = api.StatusArchived
		case api.TimelineOpened:
			head.Status = api.StatusOpen
		case api.TimelineDrafted:
			head.Status = api.StatusDraft
		case api.TimelineEdited, api.TimelineImported, api.TimelineUpdated, api.TimelineSuggestionApplied:
			if e.Revision != "" && e.At.After(head.MovedAt) { // the event is later than the known head
				head.Revision, head.MovedAt = e.Revision, e.At.Time
			}
		default: // the head stays
		}
	}
	h.set(at, call, head)
}
