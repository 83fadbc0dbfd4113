package txn

import (
	"errors"
	"fmt"

	"docspace.dev/wsd/store/redis"
)

// Errors that callers are expected to distinguish with errors.Is. Every other error is a defect or damaged data.
var (
	// ErrBusy is returned if every attempt conflicted with other writers. Nothing was written.
	ErrBusy = redis.ErrBusy
	// ErrTooLarge is returned if a transaction exceeds MaxKeys or MaxBytes. Nothing was sent.
	ErrTooLarge = errors.New("store: transaction too large")
	// ErrOutboxFull is returned if too many bytes are waiting for the replicas. Nothing was committed. It wraps
	// ErrLagging.
	ErrOutboxFull = errors.New("store: the outbox is full")
	// ErrExists is returned if a claim has another owner (see ClaimedError).
	ErrExists = errors.New("store: already taken")
	// ErrNoSibling is returned if the order lacks a member that a position names.
	ErrNoSibling = errors.New("store: no such sibling")
	// ErrNotAdjacent is returned if a position names two members that are not adjacent.
	ErrNotAdjacent = errors.New("store: the two siblings are not adjacent")
	// ErrLeaseLost is returned if the leased job was completed or leased to another process.
	ErrLeaseLost = errors.New("store: the lease of the job is lost")
)

// ClaimedError is the error of a commit whose claim has another owner. It matches ErrExists.
type ClaimedError struct {
	Key   redis.Key
	Owner string // value of the existing claim
}

// Error implements error.
func (c *ClaimedError) Error() string { return fmt.Sprintf("store: %s is taken", c.Key) }

// Is reports whether target is ErrExists.
func (c *ClaimedError) Is(target error) bool { return target == ErrExists }
