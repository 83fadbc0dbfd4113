package redis

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// topologyAge is how long a look at the nodes of a Cluster is good for.
const topologyAge = time.Second

// replicaMemory is how long a Cluster counts as one with replicas after the last
// was seen.
const replicaMemory = 10 * time.Minute

// topology is how many replicas each master of a Cluster has, by its address.
type topology struct {
	mu       sync.Mutex
	at       time.Time
	seen     time.Time // when there was a replica: in a failover there is none for a moment
	replicas map[string]int
	alone    map[string]time.Time // masters without one -> since when
}

// Replicas is how many replicas the Cluster lists for the master of a key,
// connected or not; none where there is no Cluster. What is not known counts as
// one.
func (c *Conn) Replicas(ctx context.Context, key Key) int {
	return c.counted(ctx, key, (*topology).of)
}

// Standing is replicas without those that it had a while ago: who follows again
// gets everything first.
func (c *Conn) Standing(ctx context.Context, key Key) int {
	return c.counted(ctx, key, func(t *topology, master string) int { return t.replicas[master] })
}

// counted looks at the nodes, unless that was done a moment ago, and counts the
// replicas of the master of a key.
func (c *Conn) counted(ctx context.Context, key Key, count func(t *topology, master string) int) int {
	cluster, ok := c.Client.(*goredis.ClusterClient)
	if !ok {
		return 0
	}
	node, err := cluster.MasterForKey(ctx, c.Name(key))
	if err != nil {
		return 1
	}
	t := &c.topology
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.alone == nil {
		t.alone = map[string]time.Time{}
	}
	if time.Since(t.at) > topologyAge && !t.look(ctx, node) {
		return 1
	}
	n := count(t, node.Options().Addr)
	if n == 0 && t.any() && t.look(ctx, node) { // the look was that of a failover, perhaps
		n = count(t, node.Options().Addr)
	}
	return n
}

// look asks a node for the replicas of all masters, and reports whether they are
// known, now or from before.
func (t *topology) look(ctx context.Context, node *goredis.Client) bool {
	if shards, err := node.ClusterShards(ctx).Result(); err == nil { // CLUSTER SLOTS leaves out who has just come
		t.at, t.replicas = time.Now(), replicasOf(shards)
	}
	return t.replicas != nil
}

// any reports whether some master has a replica.
func (t *topology) any() bool {
	for _, n := range t.replicas {
		if n > 0 {
			return true
		}
	}
	return false
}

// of is how many replicas a master has. In a failover it has none for a moment:
// where others have some, none is believed only after replicaMemory.
func (t *topology) of(master string) int {
	for addr, n := range t.replicas {
		if n > 0 {
			t.seen = t.at
			delete(t.alone, addr)
		} else if t.alone[addr].IsZero() {
			t.alone[addr] = t.at
		}
	}
	n := t.replicas[master]
	since, alone := t.alone[master]
	if n > 0 || time.Since(t.seen) >= replicaMemory || alone && time.Since(since) >= replicaMemory {
		return n
	}
	return 1
}

// replicasOf counts the replicas that have not failed.
func replicasOf(shards []goredis.ClusterShard) map[string]int {
	counts := map[string]int{}
	for _, shard := range shards {
		n, masters := 0, []string(nil)
		for _, node := range shard.Nodes {
			switch {
			case node.Role != "master" && node.Health != "fail":
				n++
			case node.Role == "master":
				masters = append(masters, net.JoinHostPort(node.IP, strconv.FormatInt(max(node.Port, node.TLSPort), 10)))
			}
		}
		for _, master := range masters {
			counts[master] = n
		}
	}
	return counts
}

// confirmSource answers the generation of the master that has a key, and how many
// replicas are connected to it.
const confirmSource = `local info = redis.call('INFO', 'replication')
return {string.match(info, 'master_replid:(%x+)') or '', tonumber(string.match(info, 'connected_slaves:(%d+)') or '0')}`

// ConfirmKey waits until every replica that the master of a key has connected holds
// what was written there in a generation. It is ErrLagging if they do not in time,
// and ErrStale if that is over.
// Where there is no Cluster, nothing is to be waited for: a commit that rests on
// it is on the same master.
func (c *Conn) ConfirmKey(ctx context.Context, key Key, generation string) error {
	return c.ConfirmBy(ctx, key, generation, c.Replicas)
}

// ConfirmBy is ConfirmKey where somebody counts the replicas of a master that has
// none connected: if there are some, they are behind.
func (c *Conn) ConfirmBy(ctx context.Context, key Key, generation string, count func(ctx context.Context, key Key) int) error {
	cluster, ok := c.Client.(*goredis.ClusterClient)
	if !ok || generation == "" {
		return nil
	}
	FailBefore("confirm")
	defer FailAfter("confirm")
	conn, reply, err := c.askMaster(ctx, cluster, key)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if len(reply) != 2 {
		return Corrupt("answer about the replicas: %v", reply)
	}
	if reply[0] != generation {
		return fmt.Errorf("%w: the master of %s has changed", ErrStale, key)
	}
	connected, _ := reply[1].(int64)
	if connected == 0 && count(ctx, key) == 0 {
		return nil
	}
	held, err := conn.Wait(ctx, int(max(connected, 1)), c.replicaWait).Result()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if held < max(connected, 1) {
		return fmt.Errorf("%w: %d of %d replicas of the master of %s", ErrLagging, held, max(connected, 1), key)
	}
	return nil
}

// Bounds of the looks for the master of a key that moves meanwhile.
const (
	maxAsks = 8
	askStep = 8 * time.Millisecond
)

// askMaster sends confirmSource to the master of a key, and returns the connection
// that answered: WAIT is about what was written before its last command.
func (c *Conn) askMaster(ctx context.Context, cluster *goredis.ClusterClient, key Key) (conn *goredis.Conn, reply []any, err error) {
	for n := range maxAsks {
		if err := PauseUpTo(ctx, askStep<<n*time.Duration(min(n, 1))+1); err != nil {
			return nil, nil, err
		}
		node, err := cluster.MasterForKey(ctx, c.Name(key))
		if err != nil {
			return nil, nil, Wrap(ctx, err)
		}
		conn = node.Conn()
		reply, err = conn.Eval(ctx, confirmSource, []string{c.Name(key)}).Slice()
		if err == nil {
			return conn, reply, nil
		}
		_ = conn.Close() // the error is the cause
		if !goredis.HasErrorPrefix(err, "MOVED") {
			return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		cluster.ReloadState(ctx)
	}
	return nil, nil, fmt.Errorf("%w: the master of %s is not found", ErrUnavailable, key)
}

// Confirm waits until what was written in shards since the ground was asked for
// will outlive their masters. It is ErrStale if one has changed meanwhile.
func (c *Conn) Confirm(ctx context.Context, g Ground, shards ...Shard) error {
	for _, shard := range shards {
		if err := c.ConfirmKey(ctx, shard.Key(StreamKind, "events"), g.generations[shard.tag]); err != nil {
			return err
		}
	}
	return nil
}
