package txn

import (
	"context"
	"slices"
	"strings"
	"sync"

	"docspace.dev/wsd/store/redis"
)

// locks serialises the transactions of one process that want the same keys.
// It only saves work: correctness rests on the commit's checks.
type locks struct {
	mu   sync.Mutex
	held map[redis.Key]*lock
}

type lock struct {
	token chan struct{} // full = free
	users int           // holders and waiters, under locks.mu
}

// acquire waits for all keys in one global order and returns what releases
// them.
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
	if l.held == nil {
		l.held = map[redis.Key]*lock{}
	}
	entry := l.held[key]
	if entry == nil {
		entry = &lock{token: make(chan struct{}, 1)}
		entry.token <- struct{}{}
		l.held[key] = entry
	}
	entry.users++
	return entry
}

func (l *locks) leave(key redis.Key, holder bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.held[key]
	if holder {
		entry.token <- struct{}{}
	}
	if entry.users--; entry.users == 0 {
		delete(l.held, key)
	}
}
