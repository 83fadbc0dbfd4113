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

// maxTopologyAge is how long the topology of a Cluster is cached.
const maxTopologyAge = time.Second

// replicaRetention is how long a Cluster counts as replicated after its last replica was seen.
const replicaRetention = 10 * time.Minute

// topology caches the number of replicas of each master of a Cluster by address.
type topology struct {
	mu           sync.Mutex
	updatedAt    time.Time
	lastSeen     time.Time // when a replica was last seen; a failover may leave none for a moment
	replicas     map[string]int
	unreplicated map[string]time.Time // masters without replicas and since when
}

// Replicas returns the number of replicas, connected or not, that the Cluster lists for the master of a key: 0
// without a Cluster, 1 if unknown.
func (c *Conn) Replicas(ctx context.Context, key Key) int {
	return c.countReplicas(ctx, key, (*topology).replicasOf)
}

// ActiveReplicas is like Replicas but does not count replicas that the master lost some time ago: a replica that reconnects
// is synchronized first.
func (c *Conn) ActiveReplicas(ctx context.Context, key Key) int {
	return c.countReplicas(ctx, key, func(t *topology, master string) int { return t.replicas[master] })
}

// countReplicas refreshes the topology unless it is recent and counts the replicas of the master of a key.
func (c *Conn) countReplicas(ctx context.Context, key Key, count func(t *topology, master string) int) int {
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
	if t.unreplicated == nil {
		t.unreplicated = map[string]time.Time{}
	}
	if time.Since(t.updatedAt) > maxTopologyAge && !t.update(ctx, node) {
		return 1
	}
	n := count(t, node.Options().Addr)
	if n == 0 && t.hasReplicas() && t.update(ctx, node) { // the topology may have been read during a failover
		n = count(t, node.Options().Addr)
	}
	return n
}

// update reads the replicas of all masters from a node. It reports whether they are known, now or from before.
func (t *topology) update(ctx context.Context, node *goredis.Client) bool {
	if shards, err := node.ClusterShards(ctx).Result(); err == nil { // CLUSTER SLOTS omits new nodes
		t.updatedAt, t.replicas = time.Now(), countHealthyReplicas(shards)
	}
	return t.replicas != nil
}

// hasReplicas reports whether a master has a replica.
func (t *topology) hasReplicas() bool {
	for _, n := range t.replicas {
		if n > 0 {
			return true
		}
	}
	return false
}

// replicasOf returns the number of replicas of a master. In a failover it may have none for a moment: if other masters have
// some, 0 is returned only after replicaRetention.
func (t *topology) replicasOf(master string) int {
	for addr, n := range t.replicas {
		if n > 0 {
			t.lastSeen = t.updatedAt
			delete(t.unreplicated, addr)
		} else if t.unreplicated[addr].IsZero() {
			t.unreplicated[addr] = t.updatedAt
		}
	}
	n := t.replicas[master]
	since, alone := t.unreplicated[master]
	if n > 0 || time.Since(t.lastSeen) >= replicaRetention || alone && time.Since(since) >= replicaRetention {
		return n
	}
	return 1
}

// countHealthyReplicas counts the replicas that have not failed.
func countHealthyReplicas(shards []goredis.ClusterShard) map[string]int {
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

// confirmSource returns the generation of the master of a key and the number of connected replicas.
const confirmSource = `local info = redis.call('INFO', 'replication')
return {string.match(info, 'master_replid:(%x+)') or '', tonumber(string.match(info, 'connected_slaves:(%d+)') or '0')}`

// WaitForKeyReplicas waits until every connected replica of a key's master contains the writes of a generation. It returns
// ErrLagging if they do not in time, and ErrStale if the generation has ended. Without a Cluster it does not wait,
// because dependent commits are on the same master.
func (c *Conn) WaitForKeyReplicas(ctx context.Context, key Key, generation string) error {
	return c.WaitForCountedReplicas(ctx, key, generation, c.Replicas)
}

// WaitForCountedReplicas is like WaitForKeyReplicas but uses count for the replicas of a master that has none connected: if count is not
// 0, they are lagging.
func (c *Conn) WaitForCountedReplicas(ctx context.Context, key Key, generation string, count func(ctx context.Context, key Key) int) error {
	cluster, ok := c.Client.(*goredis.ClusterClient)
	if !ok || generation == "" {
		return nil
	}
	FailBefore("confirm")
	defer FailAfter("confirm")
	conn, reply, err := c.queryMaster(ctx, cluster, key)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // only read from
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
	confirmed, err := conn.Wait(ctx, int(max(connected, 1)), c.replicaWait).Result()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if confirmed < max(connected, 1) {
		return fmt.Errorf("%w: %d of %d replicas of the master of %s", ErrLagging, confirmed, max(connected, 1), key)
	}
	return nil
}

// Limits of the attempts to find the master of a key that is moving.
const (
	maxMasterAttempts = 8
	masterRetryStep   = 8 * time.Millisecond
)

// queryMaster sends confirmSource to the master of a key and returns the connection it used, because WAIT refers to the
// last write of its connection.
func (c *Conn) queryMaster(ctx context.Context, cluster *goredis.ClusterClient, key Key) (conn *goredis.Conn, reply []any, err error) {
	for n := range maxMasterAttempts {
		if err := PauseUpTo(ctx, masterRetryStep<<n*time.Duration(min(n, 1))+1); err != nil {
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
		_ = conn.Close() // err is the relevant error
		if !goredis.HasErrorPrefix(err, "MOVED") {
			return nil, nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		cluster.ReloadState(ctx)
	}
	return nil, nil, fmt.Errorf("%w: the master of %s is not found", ErrUnavailable, key)
}

// WaitForReplicas waits until the writes in shards since g was read will survive a failure of their masters. It returns
// ErrStale if a master has changed.
func (c *Conn) WaitForReplicas(ctx context.Context, g Generations, shards ...Shard) error {
	for _, shard := range shards {
		if err := c.WaitForKeyReplicas(ctx, shard.Key(StreamKind, "events"), g.generations[shard.tag]); err != nil {
			return err
		}
	}
	return nil
}
