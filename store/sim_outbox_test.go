package store_test

import (
	"errors"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// In half of the simulations the content and the organization are on different masters, and the organization's has a
// replica: commits add their objects to the outbox, and the content's master fails repeatedly.

// failover removes everything that the replica of the content's master has not received.
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
	for space := range m.shrunk { // the sizes are lost with the objects
		_, err := m.sweeper.store.Measure(m.t.Context(), space)
		switch {
		case err == nil:
			delete(m.shrunk, space)
		case !m.sweeper.hook.isDead():
			m.problem("measure: %v", err)
		}
	}
}

// updateReplica records the objects that are stored now as received by the replica.
func (m *simulation) updateReplica() {
	m.replica = map[string]bool{}
	for key, hashes := range m.contents() {
		for _, hash := range hashes {
			m.replica[key+hash] = true
		}
	}
}

// contents returns the hashes of all objects by key.
func (m *simulation) contents() map[string][]string {
	all := map[string][]string{}
	for _, key := range m.server.Keys() {
		if strings.Contains(key, "{"+txn.SpacePrefix) && strings.Contains(key, "}:o:") {
			if hashes, err := m.server.HKeys(key); err == nil { // an error means that the key was removed
				all[key] = hashes
			}
		}
	}
	return all
}

// deliver empties the outbox, like a job, possibly during a sweep.
func (m *simulation) deliver() {
	err := m.sweeper.store.Deliver(m.t.Context(), m.org, nil)
	m.updateReplica()
	if err != nil && !m.sweeper.hook.isDead() && !errors.Is(err, txn.ErrBusy) {
		m.problem("deliver: %v", err)
	}
}

// checkOutbox completes interrupted deliveries and checks that the outbox is empty.
func (m *simulation) checkOutbox() {
	if !m.useOutbox {
		return
	}
	m.failover()
	m.deliver()
	if m.server.Exists(store.Name(m.sweeper.store, txn.OutboxKey(m.org))) {
		m.problem("the outbox is not empty")
	}
}
