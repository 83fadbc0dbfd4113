package storetest

import (
	"context"
	"errors"
	"fmt"
)

// Outage is a way in which one or several masters fail. It can be used repeatedly.
type Outage struct {
	Ready   func(context.Context) error // waits until every replica is up to date
	Detach  func(context.Context) error // disconnects the replicas from further writes; they keep their role
	Promote func(context.Context) error // promotes the replicas in their current state
	Crash   func(context.Context) error // kills the masters and waits for an automatic failover
	Clear   func(context.Context) error // deletes everything
}

// Outage returns the outage of the master.
func (s *Sentinel) Outage() Outage {
	detach := func(ctx context.Context) error {
		var replica *Redis
		err := await(ctx, "the replica", func(ctx context.Context) bool { // the sentinels may change the master on a busy machine
			found, err := s.Replica(ctx)
			if err != nil {
				return false
			}
			replica = found
			text, err := found.replication(ctx)
			return err == nil && infoField(text, "role") == "slave"
		})
		if err != nil {
			return err
		}
		return replica.Detach(ctx)
	}
	return Outage{Ready: s.Ready, Detach: detach, Promote: s.Failover, Crash: s.Crash, Clear: s.Clear}
}

// Outage returns the outage of the masters of keys, which must differ.
func (c *Cluster) Outage(keys ...string) Outage {
	each := func(do func(ctx context.Context, key string) error) func(context.Context) error {
		return func(ctx context.Context) error {
			for _, key := range keys {
				if err := do(ctx, key); err != nil {
					return fmt.Errorf("%s: %w", key, err)
				}
			}
			return nil
		}
	}
	detach := func(ctx context.Context, key string) error {
		replica, err := c.Replica(ctx, key)
		if err != nil {
			return err
		}
		return replica.Detach(ctx)
	}
	return Outage{Ready: c.Ready, Detach: each(detach), Promote: each(c.Failover), Crash: each(c.Crash), Clear: c.Clear}
}

// Crash kills the master and returns when the sentinels have promoted the replica and the old master has restarted as
// its replica.
func (s *Sentinel) Crash(ctx context.Context) error {
	old, err := s.Master(ctx)
	if err != nil {
		return err
	}
	next, err := s.Replica(ctx)
	if err != nil {
		return err
	}
	old.Kill()
	if err := await(ctx, "the new master", func(ctx context.Context) bool { return s.agrees(ctx, next) }); err != nil {
		return err
	}
	if err := old.Start(ctx); err != nil {
		return err
	}
	client := old.Client()
	defer func() { _ = client.Close() }()                                      // only read from
	if err := client.ReplicaOf(ctx, loopback, next.port()).Err(); err != nil { // the sentinels would reconfigure it only after 8 s
		return fmt.Errorf("storetest: crash: %w", err)
	}
	return next.Attach(ctx)
}

// Clear deletes everything.
func (s *Sentinel) Clear(ctx context.Context) error {
	master, err := s.Master(ctx)
	if err != nil {
		return err
	}
	return master.clear(ctx)
}

// Crash kills the master of a key and returns when its replica was promoted automatically and the old master has
// restarted as its replica.
func (c *Cluster) Crash(ctx context.Context, key string) error {
	old, err := c.Master(ctx, key)
	if err != nil {
		return err
	}
	next, err := c.Replica(ctx, key)
	if err != nil {
		return err
	}
	old.Kill()
	err = await(ctx, "the new master", func(ctx context.Context) bool {
		text, err := next.replication(ctx)
		return err == nil && infoField(text, "role") == "master"
	})
	if err != nil {
		return err
	}
	if err := old.Start(ctx); err != nil {
		return err
	}
	if err := old.awaitReplicaOf(ctx, next); err != nil {
		return err
	}
	return next.Attach(ctx)
}

// Clear deletes everything.
func (c *Cluster) Clear(ctx context.Context) error {
	var failures []error
	for _, node := range c.Nodes {
		if text, err := node.replication(ctx); err != nil || infoField(text, "role") == "master" {
			failures = append(failures, err, node.clear(ctx))
		}
	}
	return errors.Join(failures...)
}

func (r *Redis) clear(ctx context.Context) error {
	client := r.Client()
	defer func() { _ = client.Close() }() // only read from
	if err := client.FlushAll(ctx).Err(); err != nil {
		return fmt.Errorf("storetest: clear: %w", err)
	}
	return nil
}

// awaitReplicaOf waits until a server is a replica of master.
func (r *Redis) awaitReplicaOf(ctx context.Context, master *Redis) error {
	return await(ctx, "the new master", func(ctx context.Context) bool {
		text, err := r.replication(ctx)
		return err == nil && infoField(text, "role") == "slave" && infoField(text, "master_port") == master.port()
	})
}
