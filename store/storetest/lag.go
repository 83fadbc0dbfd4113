package storetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Detach keeps a replica from what is written from now on, and nobody notices: it goes on as a replica, and may be
// promoted. That is a lag of any length.
func (r *Redis) Detach(ctx context.Context) error {
	client := r.Client()
	defer func() { _ = client.Close() }()
	// A replica that sends a password to a master without one is refused.
	if err := client.ConfigSet(ctx, "masterauth", "nobody").Err(); err != nil {
		return fmt.Errorf("storetest: detach: %w", err)
	}
	text, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return fmt.Errorf("storetest: detach: %w", err)
	}
	master := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort(infoField(text, "master_host"), infoField(text, "master_port")), MaxRetries: -1, DisableIdentity: true,
	})
	defer func() { _ = master.Close() }()
	if err := master.Do(ctx, "CLIENT", "KILL", "TYPE", "replica").Err(); err != nil {
		return fmt.Errorf("storetest: detach: %w", err)
	}
	return nil
}

// Attach takes Detach back.
func (r *Redis) Attach(ctx context.Context) error {
	client := r.Client()
	defer func() { _ = client.Close() }()
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

// Failover makes the replica the master, as it is, and returns when the sentinels name it. The old master follows it
// and forgets what the replica did not have.
func (s *Sentinel) Failover(ctx context.Context) error {
	old, err := s.Master(ctx)
	if err != nil {
		return err
	}
	next, err := s.Replica(ctx)
	if err != nil {
		return err
	}
	watcher := s.watchers[0].Client()
	defer func() { _ = watcher.Close() }()
	err = await(ctx, "the new master", func(ctx context.Context) bool {
		if s.agree(ctx, next) {
			return true
		}
		if named, err := s.Master(ctx); err == nil && named == old {
			_ = watcher.Do(ctx, "SENTINEL", "FAILOVER", watched).Err() // one is under way, or the replica was not looked at lately
		}
		return false
	})
	if err != nil {
		return err
	}
	client := old.Client()
	defer func() { _ = client.Close() }()
	if err := client.ReplicaOf(ctx, loopback, next.port()).Err(); err != nil { // the sentinels would do so after 8 s
		return fmt.Errorf("storetest: failover: %w", err)
	}
	return next.Attach(ctx)
}

// agree reports whether every sentinel names a master.
func (s *Sentinel) agree(ctx context.Context, master *Redis) bool {
	for _, watcher := range s.watchers {
		if named, err := s.namedBy(ctx, watcher); err != nil || named != master {
			return false
		}
	}
	return true
}

// Ready waits until the replica has what the master has and a failover would succeed.
func (s *Sentinel) Ready(ctx context.Context) error {
	replica, err := s.Replica(ctx)
	if err != nil {
		return err
	}
	if err := replica.Attach(ctx); err != nil {
		return err
	}
	master, err := s.Master(ctx)
	if err != nil {
		return err
	}
	if err := replica.catchUp(ctx, master); err != nil {
		return err
	}
	return s.ready(ctx)
}

// Replica returns the node that follows the one that serves a key.
func (c *Cluster) Replica(ctx context.Context, key string) (*Redis, error) {
	master, err := c.Master(ctx, key)
	if err != nil {
		return nil, err
	}
	for _, node := range c.Nodes {
		if text, err := node.replication(ctx); err == nil && infoField(text, "role") == "slave" && infoField(text, "master_port") == master.port() {
			return node, nil
		}
	}
	return nil, errors.New("storetest: nobody follows the master of " + key)
}

// Failover makes the replica of the master of a key the master, as it is, and returns when the old one follows it: it
// forgets what the replica did not have.
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
	defer func() { _ = client.Close() }()
	if err := client.Do(ctx, "CLUSTER", "FAILOVER", "TAKEOVER").Err(); err != nil {
		return fmt.Errorf("storetest: failover: %w", err)
	}
	if err := old.follows(ctx, next); err != nil {
		return err
	}
	return next.Attach(ctx)
}

// Ready waits until every replica has what its master has, and all nodes know who that is.
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
		return serving == masters
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

// catchUp waits until a replica has all that its master has now.
func (r *Redis) catchUp(ctx context.Context, master *Redis) error {
	text, err := master.replication(ctx)
	if err != nil {
		return err
	}
	behind, err := strconv.ParseInt(infoField(text, "master_repl_offset"), 10, 64)
	if err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	return await(ctx, "the replica", func(ctx context.Context) bool {
		text, err := r.replication(ctx)
		at, failed := strconv.ParseInt(infoField(text, "slave_repl_offset"), 10, 64)
		return err == nil && failed == nil && infoField(text, "master_link_status") == "up" && at >= behind
	})
}

// replication is what a server says of its replication.
func (r *Redis) replication(ctx context.Context) (string, error) {
	client := r.Client()
	defer func() { _ = client.Close() }()
	text, err := client.Info(ctx, "replication").Result()
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	return text, nil
}
