package txn

import (
	"context"
	"slices"
	"strings"
	"sync"

	"docspace.dev/wsd/store/redis"
)

// locks serializes transactions of one process that write the same keys. It only saves work: correctness is
// guaranteed by the checks of the commit.
type locks struct {
	mu      sync.Mutex
	entries map[redis.Key]*lock
}

type lock struct {
	token chan struct{} // full = unlocked
	users int           // holders and waiters, guarded by locks.mu
}

// acquire locks all keys in a global order and returns a function that unlocks them.
func (l *locks) acquire(ctx context.Context, keys []redis.Key) (release func(), err error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, func(a, b redis.Key) int { return strings.Compare(a.String(), b.String()) })
	keys = slices.Compact(keys)
	taken := 0
	release = func() {
		for _, key := range keys[:taken] {
			l.leave(key, true)
		}
	}
	for _, key := range keys {
		select {
		case <-l.enter(key).token:
			taken++
		case <-ctx.Done():
			l.leave(key, false)
			release()
			return nil, redis.Wrap(ctx, ctx.Err())
		}
	}
	return release, nil
}

func (l *locks) enter(key redis.Key) *lock {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries == nil {
		l.entries = map[redis.Key]*lock{}
	}
	entry := l.entries[key]
	if entry == nil {
		entry = &lock{token: make(chan struct{}, 1)}
		entry.token <- struct{}{}
		l.entries[key] = entry
	}
	entry.users++
	return entry
}

func (l *locks) leave(key redis.Key, holder bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.entries[key]
	if holder {
		entry.token <- struct{}{}
	}
	if entry.users--; entry.users == 0 {
		delete(l.entries, key)
	}
}
