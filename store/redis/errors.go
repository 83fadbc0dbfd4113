package redis

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// The errors of this package that a caller is expected to tell apart, with
// errors.Is. Every other error is a defect or damaged data.
var (

	// ErrUnavailable: Redis did not answer in time, or cannot serve now. Nothing
	// was written, unless the error is an ErrUnknown, too.
	ErrUnavailable = errors.New("store: redis is unavailable")
	// ErrUnknown: a commit was sent and its answer never came, so it was made or
	// it was not; its idempotency key tells. Every ErrUnknown is an ErrUnavailable.
	ErrUnknown = errors.New("store: the outcome of the commit is unknown")
	// ErrBusy: others are at the same thing, again and again. Nothing was written.
	ErrBusy = errors.New("store: too much contention, try again")
	// ErrStale: a guard does not hold any more: what the caller was authorized
	// by has changed. Nothing was written.
	ErrStale = errors.New("store: the decision rests on stale data")
	// ErrLagging: the replicas do not hold in time what a commit would refer to.
	// Nothing was committed.
	ErrLagging = errors.New("store: the replicas do not follow")
	// ErrCorrupt: stored bytes are not what they have to be.
	ErrCorrupt = errors.New("store: corrupt data")
	// ErrMisuse: the calling code broke a rule of this package.
	ErrMisuse = errors.New("store: misuse")
	// ErrRefused: Redis is set up so that data would be lost (see Store.Doctor).
	ErrRefused = errors.New("store: refusing this redis")
	// ErrNoServer: no URL was given and no server program is on PATH.
	ErrNoServer = errors.New("store: neither redis-server nor valkey-server is on PATH")
	// ErrFull: Redis, or its disk, takes nothing more. Nothing was written, and
	// trying again is of no use. Every ErrFull is an ErrUnavailable.
	ErrFull = errors.New("store: redis is full")
	// ErrNoData: there is no data yet where data is looked for (see
	// store.Config.Existing).
	ErrNoData = errors.New("no data here")
	// ErrLocked: another process uses the data directory (see Config.Attach).
	ErrLocked = errors.New("store: the data directory is in use")
)

// Misuse makes an ErrMisuse.
func Misuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMisuse, fmt.Sprintf(format, args...))
}

// Corrupt makes an ErrCorrupt.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// transient lists the first words of replies by which a healthy set-up says
// "not now". The driver follows a redirection by itself, but in a failover two
// nodes may send it from one to the other until it gives up.
var transient = []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "OOM", "BUSY", "NOREPLICAS", "MISCONF"}

// Wrap turns an error of the client into one of this package. A missing value
// (redis.Nil) has to be handled before.
func Wrap(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return ctx.Err()
	case IsFull(err):
		return &fullError{err}
	case IsUnavailable(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("store: redis: %w", err)
}

// IsFull reports whether Redis, or wsd in its place, refuses a write for want of
// room.
func IsFull(err error) bool {
	return errors.Is(err, ErrFull) || goredis.HasErrorPrefix(err, "OOM") || goredis.HasErrorPrefix(err, "MISCONF")
}

// fullError is a refusal for want of room: an ErrFull.
type fullError struct{ cause error }

// Error implements error.
func (f *fullError) Error() string { return ErrUnavailable.Error() + ": " + f.cause.Error() }

// Is makes it an ErrFull and an ErrUnavailable.
func (f *fullError) Is(target error) bool { return target == ErrFull || target == ErrUnavailable }

// Unwrap returns the refusal.
func (f *fullError) Unwrap() error { return f.cause }

// unsettled is the error of a commit whose answer never came: an ErrUnknown.
type unsettled struct{ cause error }

// Error implements error.
func (u *unsettled) Error() string { return ErrUnknown.Error() + ": " + u.cause.Error() }

// Is makes it an ErrUnknown and an ErrUnavailable.
func (u *unsettled) Is(target error) bool { return target == ErrUnknown || target == ErrUnavailable }

// Unwrap returns what broke.
func (u *unsettled) Unwrap() error { return u.cause }

// WrapCommit is wrap for a script that writes. What Redis refuses it does not
// carry out, and what was never sent neither; with any other failure it may have.
func WrapCommit(ctx context.Context, err error) error {
	wrapped := Wrap(ctx, err)
	if wrapped == nil || isReply(err) || neverSent(err) {
		return wrapped
	}
	return &unsettled{err}
}

// isReply reports whether err is what a server answered, not that none did.
func isReply(err error) bool {
	var reply goredis.Error
	return errors.As(err, &reply) && !errors.Is(err, goredis.ErrClosed)
}

// neverSent reports whether a command failed for want of a connection.
func neverSent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial" ||
		errors.Is(err, goredis.ErrClosed) || errors.Is(err, goredis.ErrPoolTimeout) || errors.Is(err, goredis.ErrPoolExhausted)
}

// IsUnavailable reports whether err is a failure of the connection or of the
// server's present state, rather than of the command.
func IsUnavailable(err error) bool {
	for _, word := range transient {
		if goredis.HasErrorPrefix(err, word) {
			return true
		}
	}
	if isReply(err) {
		return false
	}
	var network net.Error
	return errors.As(err, &network) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, goredis.ErrClosed) ||
		errors.Is(err, goredis.ErrPoolTimeout) || errors.Is(err, goredis.ErrPoolExhausted) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		strings.Contains(err.Error(), "all sentinels")
}
