package tuitest

import (
	"slices"
	"sync"
	"time"

	"docspace.dev/wsd/tui/drafts"
)

// journalState is the state of the in-memory journal in addition to drafts.
type journalState struct {
	mu      sync.Mutex
	locked  map[string]bool
	dropped []drafts.DroppedDraft
	frozen  []drafts.Submission
	marks   []drafts.Mark
}

// Journal is an in-memory drafts.Journal.
type Journal struct {
	mu     sync.Mutex
	Drafts map[string]drafts.Draft
	Fail   error

	FailHold error // returned by Hold
	state    journalState
}

// Hold implements drafts.Journal.
func (m *Journal) Hold(id string) (func(), error) {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	if m.FailHold != nil {
		return nil, m.FailHold
	}
	if m.state.locked[id] {
		return nil, drafts.ErrHeld
	}
	if m.state.locked == nil {
		m.state.locked = map[string]bool{}
	}
	m.state.locked[id] = true
	return func() {
		m.state.mu.Lock()
		defer m.state.mu.Unlock()
		delete(m.state.locked, id)
	}, nil
}

// Discard implements drafts.Journal.
func (m *Journal) Discard(d drafts.Draft, at time.Time) error {
	m.state.mu.Lock()
	m.state.dropped = append([]drafts.DroppedDraft{{Draft: d, DroppedAt: at}}, m.state.dropped...)
	m.state.mu.Unlock()
	return m.Delete(d.ID())
}

// Dropped implements drafts.Journal.
func (m *Journal) Dropped(time.Time) ([]drafts.DroppedDraft, error) {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	return slices.Clone(m.state.dropped), nil
}

// Restore implements drafts.Journal.
func (m *Journal) Restore(d drafts.DroppedDraft) error {
	m.state.mu.Lock()
	m.state.dropped = slices.DeleteFunc(m.state.dropped, func(o drafts.DroppedDraft) bool {
		return o.Draft.ID() == d.Draft.ID() && o.DroppedAt.Equal(d.DroppedAt)
	})
	m.state.mu.Unlock()
	return m.Save(d.Draft)
}

// Freeze implements drafts.Journal.
func (m *Journal) Freeze(s drafts.Submission) error {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	m.state.frozen = append(m.state.frozen, s)
	return m.Fail
}

// Frozen implements drafts.Journal.
func (m *Journal) Frozen() ([]drafts.Submission, error) {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	return slices.Clone(m.state.frozen), nil
}

// Thaw implements drafts.Journal.
func (m *Journal) Thaw(s drafts.Submission) error {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	m.state.frozen = slices.DeleteFunc(m.state.frozen, func(o drafts.Submission) bool { return o.ID == s.ID })
	return nil
}

// Sent implements drafts.Journal.
func (m *Journal) Sent(s drafts.Submission) error {
	m.mu.Lock()
	for _, d := range append(slices.Clone(s.Drafts), listOf(s.Review)...) {
		if have, ok := m.Drafts[d.ID()]; ok && have.Equal(d) {
			delete(m.Drafts, d.ID())
		}
	}
	m.mu.Unlock()
	return m.Thaw(s)
}

func listOf(d *drafts.Draft) []drafts.Draft {
	if d == nil {
		return nil
	}
	return []drafts.Draft{*d}
}

// KeepMark implements drafts.Journal.
func (m *Journal) KeepMark(mark drafts.Mark) error {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	m.state.marks = append(m.state.marks, mark)
	return m.Fail
}

// Marks implements drafts.Journal.
func (m *Journal) Marks() ([]drafts.Mark, error) {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	return slices.Clone(m.state.marks), nil
}

// DropMark implements drafts.Journal.
func (m *Journal) DropMark(mark drafts.Mark) error {
	m.state.mu.Lock()
	defer m.state.mu.Unlock()
	m.state.marks = slices.DeleteFunc(m.state.marks, func(o drafts.Mark) bool { return o.Key == mark.Key })
	return nil
}

// Save implements drafts.Journal.
func (m *Journal) Save(d drafts.Draft) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Fail != nil {
		return m.Fail
	}
	m.Drafts[d.ID()] = d
	return nil
}

// Delete implements drafts.Journal.
func (m *Journal) Delete(id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.Drafts, id)
	return m.Fail
}

// All implements drafts.Journal.
func (m *Journal) All() ([]drafts.Draft, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []drafts.Draft
	for _, d := range m.Drafts {
		all = append(all, d)
	}
	return all, nil
}
