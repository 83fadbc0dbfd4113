package txn

import (
	"errors"
	"fmt"

	"docspace.dev/wsd/store/redis"
)

// The errors of this package that a caller is expected to tell apart, with
// errors.Is. Every other error is a defect or damaged data.
var (
	// ErrBusy: other writers won every attempt. Nothing was written.
	ErrBusy = redis.ErrBusy
	// ErrTooLarge: the transaction is beyond MaxKeys or MaxBytes. Nothing was sent.
	ErrTooLarge = errors.New("store: transaction too large")
	// ErrOutboxFull: too much waits for the replicas. Nothing was committed. It is
	// an ErrLagging.
	ErrOutboxFull = errors.New("store: the outbox is full")
	// ErrExists: a claim is held by somebody else (see Claimed).
	ErrExists = errors.New("store: already taken")
	// ErrNoSibling: the member that a position names is not in the order.
	ErrNoSibling = errors.New("store: no such sibling")
	// ErrNotAdjacent: a position names two members with others between them.
	ErrNotAdjacent = errors.New("store: the two siblings are not adjacent")
	// ErrLeaseLost: a job that this process was at is somebody else's, or done.
	ErrLeaseLost = errors.New("store: the lease of the job is lost")
)

// Claimed is the error of a commit whose claim somebody else holds. It is an
// ErrExists.
type Claimed struct {
	Key   redis.Key
	Owner string // the value that the holder wrote
}

// Error implements error.
func (c *Claimed) Error() string { return fmt.Sprintf("store: %s is taken", c.Key) }

// Is makes errors.Is(err, ErrExists) true.
func (c *Claimed) Is(target error) bool { return target == ErrExists }
