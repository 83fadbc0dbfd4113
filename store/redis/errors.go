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

// Errors that callers are expected to distinguish with errors.Is. Every other error is a defect or damaged data.
var (
	// ErrUnavailable is returned if Redis did not answer in time or cannot serve now. Nothing was written unless the
	// error also is an ErrUnknown.
	ErrUnavailable = errors.New("store: redis is unavailable")
	// ErrUnknown is returned if a commit was sent and its reply was lost, so that it may or may not have been
	// applied; repeating it with its idempotency key is safe. Every ErrUnknown is an ErrUnavailable.
	ErrUnknown = errors.New("store: the outcome of the commit is unknown")
	// ErrBusy is returned after repeated conflicts with other writers. Nothing was written.
	ErrBusy = errors.New("store: too much contention, try again")
	// ErrStale is returned if a guard has changed, such as the record that authorized the caller. Nothing was
	// written.
	ErrStale = errors.New("store: the decision rests on stale data")
	// ErrLagging is returned if the replicas do not receive the data that a commit would refer to in time. Nothing
	// was committed.
	ErrLagging = errors.New("store: the replicas do not follow")
	// ErrCorrupt is returned if stored bytes are invalid.
	ErrCorrupt = errors.New("store: corrupt data")
	// ErrMisuse is returned if the calling code violated a rule of this package.
	ErrMisuse = errors.New("store: misuse")
	// ErrRefused is returned if Redis is configured such that data would be lost (see Store.Doctor).
	ErrRefused = errors.New("store: refusing this redis")
	// ErrNoServer is returned if no URL was given and no server program is on PATH.
	ErrNoServer = errors.New("store: neither redis-server nor valkey-server is on PATH")
	// ErrFull is returned if Redis or its disk is full. Nothing was written, and retrying is useless. Every ErrFull
	// is an ErrUnavailable.
	ErrFull = errors.New("store: redis is full")
	// ErrNoData is returned if existing data is required and there is none (see store.Config.Existing).
	ErrNoData = errors.New("no data here")
	// ErrLocked is returned if another process uses the data directory (see Config.Attach).
	ErrLocked = errors.New("store: the data directory is in use")
)

// Misuse returns an ErrMisuse with the formatted message.
func Misuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMisuse, fmt.Sprintf(format, args...))
}

// Corrupt returns an ErrCorrupt with the formatted message.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

// transientReplies lists the error codes of temporary conditions. The driver follows redirections itself, but in a failover two
// nodes may redirect to each other until the driver gives up.
var transientReplies = []string{
	"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MOVED", "ASK", "OOM", "BUSY", "NOREPLICAS", "MISCONF",
}

// Wrap converts an error of the client into one of this package. Callers must handle a missing value (redis.Nil)
// before.
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

// IsFull reports whether Redis, or the gate of wsd, refused a write for lack of space.
func IsFull(err error) bool {
	return errors.Is(err, ErrFull) || goredis.HasErrorPrefix(err, "OOM") || goredis.HasErrorPrefix(err, "MISCONF")
}

// fullError is a refused write for lack of space. It matches ErrFull.
type fullError struct{ cause error }

// Error implements error.
func (f *fullError) Error() string { return ErrUnavailable.Error() + ": " + f.cause.Error() }

// Is reports whether target is ErrFull or ErrUnavailable.
func (f *fullError) Is(target error) bool { return target == ErrFull || target == ErrUnavailable }

// Unwrap returns the cause.
func (f *fullError) Unwrap() error { return f.cause }

// unknownError is the error of a commit whose reply was lost. It matches ErrUnknown.
type unknownError struct{ cause error }

// Error implements error.
func (u *unknownError) Error() string { return ErrUnknown.Error() + ": " + u.cause.Error() }

// Is reports whether target is ErrUnknown or ErrUnavailable.
func (u *unknownError) Is(target error) bool { return target == ErrUnknown || target == ErrUnavailable }

// Unwrap returns the cause.
func (u *unknownError) Unwrap() error { return u.cause }

// WrapCommit is Wrap for a script that writes. A script that Redis refused or that was never sent was not executed;
// after any other failure it may have been.
func WrapCommit(ctx context.Context, err error) error {
	wrapped := Wrap(ctx, err)
	if wrapped == nil || isReply(err) || neverSent(err) {
		return wrapped
	}
	return &unknownError{err}
}

// isReply reports whether err is an error reply of a server.
func isReply(err error) bool {
	var reply goredis.Error
	return errors.As(err, &reply) && !errors.Is(err, goredis.ErrClosed)
}

// neverSent reports whether a command failed because no connection was available.
func neverSent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial" ||
		errors.Is(err, goredis.ErrClosed) || errors.Is(err, goredis.ErrPoolTimeout) || errors.Is(err, goredis.ErrPoolExhausted)
}

// IsUnavailable reports whether err is a failure of the connection or of the current state of the server, not of the
// command.
func IsUnavailable(err error) bool {
	for _, word := range transientReplies {
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
