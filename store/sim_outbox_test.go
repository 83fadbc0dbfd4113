package store_test

import (
	"errors"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// In half of the simulations the content is on another master than the organization, which has a replica: commits carry
// their objects, and that master is lost again and again.

// failover takes away what the replica of the content's master does not have: all that was stored since it followed.
func (m *simulation) failover() {
	for key, hashes := range m.contents() {
		for _, hash := range hashes {
			if m.replica[key+hash] {
				continue
			}
			m.server.HDel(key, hash)
			m.total.lost.Add(1)
			_, rest, _ := strings.Cut(key, "{")
			space, _, _ := strings.Cut(rest, "}")
			m.shrunk[space] = true
		}
	}
	for space := range m.shrunk { // the sizes are lost together with the objects
		_, err := m.keeper.store.Measure(m.t.Context(), space)
		switch {
		case err == nil:
			delete(m.shrunk, space)
		case !m.keeper.fate.isDead():
			m.problem("measure: %v", err)
		}
	}
}

// follow lets the replica have everything.
func (m *simulation) follow() {
	m.replica = map[string]bool{}
	for key, hashes := range m.contents() {
		for _, hash := range hashes {
			m.replica[key+hash] = true
		}
	}
}

// contents are the hashes of all objects, by key.
func (m *simulation) contents() map[string][]string {
	all := map[string][]string{}
	for _, key := range m.server.Keys() {
		if strings.Contains(key, "{"+txn.SpacePrefix) && strings.Contains(key, "}:o:") {
			if hashes, err := m.server.HKeys(key); err == nil { // else it is gone since
				all[key] = hashes
			}
		}
	}
	return all
}

// deliver empties the outbox, as a job does. A sweep may be at it.
func (m *simulation) deliver() {
	err := m.keeper.store.Deliver(m.t.Context(), m.org, nil)
	m.follow()
	if err != nil && !m.keeper.fate.isDead() && !errors.Is(err, txn.ErrBusy) {
		m.problem("deliver: %v", err)
	}
}

// checkOutbox ends what a failover interrupted: everything is in its place then, and nothing is carried any more.
func (m *simulation) checkOutbox() {
	if !m.carry {
		return
	}
	m.failover()
	m.deliver()
	if m.server.Exists(store.Name(m.keeper.store, txn.OutboxKey(m.org))) {
		m.problem("the outbox is not empty")
	}
}
