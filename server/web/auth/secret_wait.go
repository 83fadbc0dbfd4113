package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/store/redis"
)

// NodeWait holds the functions with which a SecretChange waits until every serving node has read it.
type NodeWait struct {
	Pause  func(ctx context.Context) error // waits until the next read of the list of nodes; nil = nodeWaitInterval
	Report func(nodes []string)            // is called with the names of the awaited nodes when they change; nil = no reports
}

const (
	nodeWaitInterval = time.Second
	nodeWaitLimit    = 2 * redis.NodeLease // a node that crashed is listed for one
)

// renewals counts the renewals of a serving node's lease since the beginning of a wait.
type renewals struct {
	lease time.Time
	count int
}

// neededRenewals is the number of renewals after which a node has read the fingerprints that were set before: it reads them at the
// end of each renewal, and the second one begins after the end of the first.
const neededRenewals = 2

// repeatUntilRead runs a step on all records, waits until every serving node has read the fingerprints of the data, and repeats the
// step for what nodes wrote before that.
func (c *SecretChange) repeatUntilRead(ctx context.Context, s step) error {
	if err := c.repeat(ctx, s); err != nil {
		return err
	}
	waited, err := c.awaitNodes(ctx)
	if err != nil || !waited {
		return err
	}
	return c.repeat(ctx, s)
}

// awaitNodes waits until every serving node has read the fingerprints of the data or serves no more, and reports whether there
// was one. After nodeWaitLimit it returns an error that names those that have not.
func (c *SecretChange) awaitNodes(ctx context.Context) (waited bool, err error) {
	wait := c.options.Wait
	if wait.Pause == nil {
		wait.Pause = pauseBetweenReads
	}
	deadline := c.store.Now().Add(nodeWaitLimit)
	seen := map[string]renewals{} // by node
	var reported []string
	for {
		nodes, err := c.store.ServingNodes(ctx)
		if err != nil {
			return waited, err
		}
		var late []string
		for _, node := range nodes {
			if seen[node.ID] = seen[node.ID].advance(node.Lease, waited); seen[node.ID].count < neededRenewals {
				late = append(late, node.Name())
			}
		}
		if len(late) == 0 {
			return waited, nil
		}
		slices.Sort(late)
		if waited = true; c.store.Now().After(deadline) {
			return waited, fmt.Errorf("the secrets are changed, but these nodes have not read that in %s: %s; stop or restart them, then "+
				"run the command again", nodeWaitLimit, strings.Join(late, ", "))
		}
		if wait.Report != nil && !slices.Equal(late, reported) {
			wait.Report(late)
			reported = late
		}
		if err := wait.Pause(ctx); err != nil {
			return waited, err
		}
	}
}

// advance returns the renewals after a read of the list, with the end of the lease. isLate is set except at the first read of a
// wait: a node that is listed for the first time at a later one has acquired its lease since.
func (r renewals) advance(lease time.Time, isLate bool) renewals {
	isFirst := r.lease.IsZero()
	if lease.After(r.lease) && (!isFirst || isLate) {
		r.count++
	}
	r.lease = lease
	return r
}

// pauseBetweenReads waits for nodeWaitInterval.
func pauseBetweenReads(ctx context.Context) error {
	timer := time.NewTimer(nodeWaitInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
