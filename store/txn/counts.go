package txn

import (
	"errors"
	"sync/atomic"

	"docspace.dev/wsd/store/redis"
)

// Counts are numbers of transactions of this process.
type Counts struct {
	Commits int64 // without dry runs
	Reruns  int64 // transactions that ran again because something that they read had changed
	Busy    int64 // ended with ErrBusy: they ran again too often
	Stale   int64 // ended with ErrStale: a guard had changed
	Unknown int64 // ended with ErrUnknown
}

// counts counts transactions.
type counts struct{ commits, reruns, busy, stale, unknown atomic.Int64 }

// Counts returns the numbers of transactions so far.
func (s *Store) Counts() Counts {
	c := &s.counts
	return Counts{
		Commits: c.commits.Load(), Reruns: c.reruns.Load(), Busy: c.busy.Load(), Stale: c.stale.Load(), Unknown: c.unknown.Load(),
	}
}

// addFailure counts a transaction that ended with err.
func (c *counts) addFailure(err error) {
	switch {
	case errors.Is(err, redis.ErrUnknown):
		c.unknown.Add(1)
	case errors.Is(err, redis.ErrStale):
		c.stale.Add(1)
	case errors.Is(err, ErrBusy):
		c.busy.Add(1)
	}
}
