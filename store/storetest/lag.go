package storetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

// Detach disconnects a replica from further writes while it keeps its role: it may still be promoted, which simulates any lag.
func (r *Redis) Detach(ctx context.Context) error {
	client := r.Client()
	defer func() { _ = client.Close() }() // only read from
	// A replica that sends a password to a master without one is refused.
	if err := client.ConfigSet(ctx, "masterauth", "nobody").Err(); err != nil {
		return fmt.Errorf("storetest: detach: %w", err)
	}
	text, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return fmt.Errorf("storetest: detach: %w", err)
	}
	master := goredis.NewClient(&goredis.Options{
		Addr: net.JoinHostPort(infoField(text, "master_host"), infoField(text, "master_port")), MaxRetries: -1, DisableIdentity: true,
	})
	defer func() { _ = master.Close() }() // only read from
	if err := master.Do(ctx, "CLIENT", "KILL", "TYPE", "replica").Err(); err != nil {
		return fmt.Errorf("storetest: detach: %w", err)
	}
	return nil
}

// Attach reverts Detach.
func (r *Redis) Attach(ctx context.Context) error {
	client := r.Client()
	defer func() { _ = client.Close() }() // only read from
	if err := client.ConfigSet(ctx, "masterauth", "").Err(); err != nil {
		return fmt.Errorf("storetest: attach: %w", err)
	}
	return nil
}

func infoField(text, name string) string {
	_, rest, _ := strings.Cut(text, name+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

// Replica returns the server that is not the master.
func (s *Sentinel) Replica(ctx context.Context) (*Redis, error) {
	master, err := s.Master(ctx)
	if err != nil {
		return nil, err
	}
	for _, server := range s.Servers {
		if server != master {
			return server, nil
		}
	}
	return nil, errors.New("storetest: there is no replica")
}

// Failover promotes the replica in its current state and returns when the sentinels report it as the master. The old
// master becomes its replica and loses writes that the replica lacks.
func (s *Sentinel) Failover(ctx context.Context) error {
	old, err := s.Master(ctx)
	if err != nil {
		return err
	}
	next, err := s.Replica(ctx)
	if err != nil {
		return err
	}
	watcher := s.sentinels[0].Client()
	defer func() { _ = watcher.Close() }() // only read from
	err = await(ctx, "the new master", func(ctx context.Context) bool {
		if s.agrees(ctx, next) {
			return true
		}
		if named, err := s.Master(ctx); err == nil && named == old {
			_ = watcher.Do(ctx, "SENTINEL", "FAILOVER", masterName).Err() // fails during a failover, or if the last check is old
		}
		return false
	})
	if err != nil {
		return err
	}
	client := old.Client()
	defer func() { _ = client.Close() }()                                      // only read from
	if err := client.ReplicaOf(ctx, loopback, next.port()).Err(); err != nil { // the sentinels would reconfigure it only after 8 s
		return fmt.Errorf("storetest: failover: %w", err)
	}
	return next.Attach(ctx)
}

// agrees reports whether every sentinel reports a master.
func (s *Sentinel) agrees(ctx context.Context, master *Redis) bool {
	for _, watcher := range s.sentinels {
		if named, err := s.queryMaster(ctx, watcher); err != nil || named != master {
			return false
		}
	}
	return true
}

// Ready waits until the replica is up to date and a failover would succeed. In the meantime the sentinels may change
// the master.
func (s *Sentinel) Ready(ctx context.Context) error {
	var last *Redis
	var target int64
	err := await(ctx, "the replica", func(ctx context.Context) bool {
		master, err := s.Master(ctx)
		if err != nil {
			return false
		}
		if master != last {
			if target, err = master.offset(ctx); err != nil {
				return false
			}
			last = master
		}
		replica, err := s.Replica(ctx)
		return err == nil && replica.Attach(ctx) == nil && replica.hasOffset(ctx, target)
	})
	if err != nil {
		return err
	}
	return s.ready(ctx)
}

// Replica returns the replica of the node that serves a key.
func (c *Cluster) Replica(ctx context.Context, key string) (*Redis, error) {
	master, err := c.Master(ctx, key)
	if err != nil {
		return nil, err
	}
	for _, node := range c.Nodes {
		if text, err := node.replication(ctx); err == nil && infoField(text, "role") == "slave" &&
			infoField(text, "master_port") == master.port() {
			return node, nil
		}
	}
	return nil, errors.New("storetest: nobody follows the master of " + key)
}

// Failover promotes the replica of a key's master in its current state and returns when the old master is its
// replica, which loses writes that the promoted one lacks.
func (c *Cluster) Failover(ctx context.Context, key string) error {
	old, err := c.Master(ctx, key)
	if err != nil {
		return err
	}
	next, err := c.Replica(ctx, key)
	if err != nil {
		return err
	}
	client := next.Client()
	defer func() { _ = client.Close() }() // only read from
	err = await(ctx, "the new master", func(ctx context.Context) bool {
		text, err := next.replication(ctx)
		// the replica was not promoted yet, or the old master had an equally recent epoch
		if err == nil && infoField(text, "role") != "master" {
			_ = client.Do(ctx, "CLUSTER", "FAILOVER", "TAKEOVER").Err() // repeated until it is the master
		}
		text, failed := old.replication(ctx)
		return err == nil && failed == nil && infoField(text, "role") == "slave" && infoField(text, "master_port") == next.port()
	})
	if err != nil {
		return err
	}
	return next.Attach(ctx)
}

// Ready waits until every replica is up to date and all nodes agree on the topology.
func (c *Cluster) Ready(ctx context.Context) error {
	var failures []error
	for _, node := range c.Nodes {
		failures = append(failures, node.Attach(ctx))
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	err := await(ctx, "the cluster", func(ctx context.Context) bool {
		serving := 0
		for _, node := range c.Nodes {
			text, err := node.replication(ctx)
			switch {
			case err != nil:
				return false
			case infoField(text, "role") == "master" && infoField(text, "connected_slaves") == "1":
				serving++
			case infoField(text, "role") == "slave" && infoField(text, "master_link_status") == "up":
			default:
				return false
			}
		}
		return serving == masterCount && c.agrees(ctx)
	})
	if err != nil {
		return err
	}
	for _, node := range c.Nodes {
		text, err := node.replication(ctx)
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(c.Nodes, func(n *Redis) bool { return n.port() == infoField(text, "master_port") }); at >= 0 {
			failures = append(failures, node.catchUp(ctx, c.Nodes[at]))
		}
	}
	return errors.Join(failures...)
}

// agrees reports whether all nodes have the same masters, replicas and epochs.
func (c *Cluster) agrees(ctx context.Context) bool {
	var known []string
	for _, node := range c.Nodes {
		client := node.Client()
		text, err := client.ClusterNodes(ctx).Result()
		_ = client.Close() // the test is over
		if err != nil || strings.Count(text, "slave ") != len(c.Nodes)-masterCount || strings.Contains(text, "fail") {
			return false
		}
		var view []string
		for line := range strings.Lines(text) {
			if f := strings.Fields(strings.Replace(line, "myself,", "", 1)); len(f) > 6 {
				view = append(view, strings.Join([]string{f[0], f[2], f[3], f[6]}, " "))
			}
		}
		slices.Sort(view)
		known = append(known, strings.Join(view, "\n"))
	}
	return len(slices.Compact(known)) == 1
}

// catchUp waits until a replica has all current writes of its master.
func (r *Redis) catchUp(ctx context.Context, master *Redis) error {
	target, err := master.offset(ctx)
	if err != nil {
		return err
	}
	return await(ctx, "the replica", func(ctx context.Context) bool { return r.hasOffset(ctx, target) })
}

// offset returns the replication offset of a master.
func (r *Redis) offset(ctx context.Context) (int64, error) {
	text, err := r.replication(ctx)
	if err != nil {
		return 0, err
	}
	offset, err := strconv.ParseInt(infoField(text, "master_repl_offset"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("storetest: %w", err)
	}
	return offset, nil
}

// hasOffset reports whether a replica is connected and has reached an offset.
func (r *Redis) hasOffset(ctx context.Context, offset int64) bool {
	text, err := r.replication(ctx)
	at, failed := strconv.ParseInt(infoField(text, "slave_repl_offset"), 10, 64)
	return err == nil && failed == nil && infoField(text, "master_link_status") == "up" && at >= offset
}

// replication returns the replication section of INFO.
func (r *Redis) replication(ctx context.Context) (string, error) {
	client := r.Client()
	defer func() { _ = client.Close() }() // only read from
	text, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	return text, nil
}
