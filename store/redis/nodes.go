package redis

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ServingNode is an entry of the list of serving nodes.
type ServingNode struct {
	Format       int      // newest data format that the node supports
	ID           string   // unique to the process
	Label        string   // Config.NodeLabel, or "" for builds that do not register it
	Fingerprints []string // of the secrets that the node holds

	Lease time.Time // end of its lease, by the clock of Redis
}

// Name returns the name of the node for messages.
func (n ServingNode) Name() string {
	if n.Label != "" {
		return n.Label
	}
	return n.ID
}

// member returns the entry of the list: format, id, label and fingerprints, separated by spaces. Builds that do not know the
// label and the fingerprints read the format only.
func (n ServingNode) member() string {
	return strings.Join(append([]string{strconv.Itoa(n.Format), n.ID, n.Label}, n.Fingerprints...), " ")
}

// parseNode parses an entry of the list of serving nodes.
func parseNode(member string) (n ServingNode, err error) {
	parts := strings.Split(member, " ")
	if n.Format, err = strconv.Atoi(parts[0]); err != nil {
		return n, Corrupt("serving node %q", member)
	}
	if len(parts) > 1 {
		n.ID = parts[1]
	}
	if len(parts) > 2 {
		n.Label, n.Fingerprints = parts[2], parts[3:]
	}
	return n, nil
}

// self returns the entry of this process.
func (c *Conn) self() ServingNode {
	return ServingNode{
		Format: c.formatState.known, ID: c.node, Label: strings.Join(strings.Fields(c.config.NodeLabel), "-"),
		Fingerprints: c.heldFingerprints(),
	}
}

// ServingNodes returns the serving nodes.
func (c *Conn) ServingNodes(ctx context.Context) ([]ServingNode, error) { return c.listNodes(ctx, "") }

// listNodes returns the serving nodes; member is added to the list unless it is "".
func (c *Conn) listNodes(ctx context.Context, member string) ([]ServingNode, error) {
	replies, err := c.formatState.script.Run(ctx, c.Client, []string{c.Name(NodesKey())}, c.FixedTime(), member,
		NodeLease.Milliseconds()).StringSlice()
	if err != nil {
		return nil, Wrap(ctx, err)
	}
	nodes := make([]ServingNode, 0, len(replies)/2)
	for pair := range slices.Chunk(replies, 2) {
		node, err := parseNode(pair[0])
		if err != nil {
			return nil, err
		}
		end, err := strconv.ParseFloat(pair[len(pair)-1], 64)
		if err != nil {
			return nil, Corrupt("lease %q of serving node %q", pair[len(pair)-1], pair[0])
		}
		node.Lease = time.UnixMilli(int64(end)).UTC()
		nodes = append(nodes, node)
	}
	return nodes, nil
}

// lease is the lease of a serving node by its own clock.
type lease struct {
	mu      sync.Mutex
	serving bool      // this process is a serving node
	renewed time.Time // before the last successful renewal was sent
}

// begin marks the process as a serving node.
func (l *lease) begin() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.serving = true
}

// renew sets the time before a successful renewal was sent.
func (l *lease) renew(at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed = at
}

// isValid reports whether the lease has not expired. Processes that do not serve need none.
func (l *lease) isValid(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.serving || !l.renewed.IsZero() && now.Sub(l.renewed) < NodeLease
}
