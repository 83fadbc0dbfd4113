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

// Pauses between readiness checks.
const (
	waitStep = 50 * time.Millisecond
	waitMax  = time.Second
)

// Admit examines the Redis and returns an error if data would be lost. It is called after Connect and before any
// other use. If Redis is temporarily unavailable and Config.Waiting is set, it waits until the context ends. With
// Config.Examine it does nothing.
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
			return cmp.Or(last, err) // last is more specific than the error of the deadline
		}
		if hopeless := c.startError(); hopeless != nil {
			return hopeless
		}
		if last == nil || UnavailableReason(err) != UnavailableReason(last) {
			waiting(err)
		}
		last = err
		if PauseUpTo(ctx, min(waitStep<<min(n, 10), waitMax)) != nil {
			return last
		}
	}
}

// causeTexts maps prefixes of error replies to descriptions of their cause.
var causeTexts = map[string]string{
	"LOADING": "it is loading its data", "READONLY": "it is a replica", "MASTERDOWN": "its master is away",
	"CLUSTERDOWN": "its cluster is not complete", "TRYAGAIN": "its cluster is being resharded", "ASK": "its cluster is being resharded",
	"MOVED": "a master is being replaced", "OOM": "its memory is full",
	"BUSY": "it is busy with a script", "NOREPLICAS": "it has too few replicas to write", "MISCONF": "it cannot write to its disk",
}

// UnavailableReason returns a short description of why Redis is unavailable. It contains no address, so anonymous callers may see
// it.
func UnavailableReason(err error) string {
	for _, word := range transientReplies {
		if goredis.HasErrorPrefix(err, word) {
			return causeTexts[word]
		}
	}
	if errors.Is(err, errTLS) {
		return "a TLS connection to it cannot be made"
	}
	if neverSent(err) {
		return "it cannot be reached"
	}
	return "it does not answer"
}

// CheckName returns the name of the check for an error, which may be shown to anonymous callers.
func CheckName(err error) string { return errorCheck("connection", err, "").Name }

// trimPrefixes returns the text of an error without the prefixes of package store.
func trimPrefixes(err error) string {
	text := strings.TrimPrefix(err.Error(), ErrUnavailable.Error()+": ")
	return strings.TrimPrefix(text, "store: redis: ")
}

// PauseUpTo waits for a random time of at most longest.
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
