package redis

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Pauses between two looks whether Redis is ready.
const (
	waitStep = 50 * time.Millisecond
	waitMax  = time.Second
)

// Admit examines the Redis and refuses one on which data would be lost. Who opens
// a store calls it after Connect, before anything else. If it is not there or not ready yet, and somebody is
// told, it waits as long as the context lets it: what passes by itself is no
// reason to give up, and what does not is. Where everything is only to be examined,
// it does nothing.
func (c *Conn) Admit(ctx context.Context) error {
	if c.config.Examine {
		return nil
	}
	waiting := c.config.Waiting
	var last error
	for n := 0; ; n++ {
		err := c.admit(ctx)
		if err == nil || waiting == nil || !errors.Is(err, ErrUnavailable) {
			return err
		}
		if ctx.Err() != nil {
			return cmp.Or(last, err) // which says more than that the time is over
		}
		if hopeless := c.hopeless(); hopeless != nil {
			return hopeless
		}
		if last == nil || Why(err) != Why(last) {
			waiting(err)
		}
		last = err
		if PauseUpTo(ctx, min(waitStep<<min(n, 10), waitMax)) != nil {
			return last
		}
	}
}

// causes are what the first words of replies mean, for people.
var causes = map[string]string{
	"LOADING": "it is loading its data", "READONLY": "it is a replica", "MASTERDOWN": "its master is away",
	"CLUSTERDOWN": "its cluster is not complete", "TRYAGAIN": "its cluster is being resharded", "ASK": "its cluster is being resharded",
	"MOVED": "a master is being replaced", "OOM": "its memory is full",
	"BUSY": "it is busy with a script", "NOREPLICAS": "it has too few replicas to write", "MISCONF": "it cannot write to its disk",
}

// Why says in a few words why Redis is unavailable. It names no address: strangers
// may read it.
func Why(err error) string {
	for _, word := range transient {
		if goredis.HasErrorPrefix(err, word) {
			return causes[word]
		}
	}
	if neverSent(err) {
		return "it cannot be reached"
	}
	return "it does not answer"
}

// Reason is the name of the check that an error comes to, for strangers and
// programs.
func Reason(err error) string { return failed("connection", err, "").Name }

// plainly is the text of an error without what package store says in front of it.
func plainly(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrUnavailable.Error()+": ")
	return strings.TrimPrefix(text, "store: redis: ")
}

// PauseUpTo waits, at most so long.
func PauseUpTo(ctx context.Context, longest time.Duration) error {
	timer := time.NewTimer(rand.N(longest) + 1) //nolint:gosec // jitter
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return Wrap(ctx, ctx.Err())
	}
}
