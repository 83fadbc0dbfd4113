package storetest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

const (
	masterCount = 3
	slotCount   = 16384
)

// Cluster is a Redis Cluster of three masters with a replica each, on loopback.
type Cluster struct{ Nodes []*Redis }

// StartCluster runs a Cluster with its data below a directory and waits until it serves all slots and every replica
// is connected. A master that does not answer for a second is replaced.
func StartCluster(ctx context.Context, directory string) (*Cluster, error) {
	var nodes []*Redis
	var err error
	for n := range maxPortAttempts { // the port of a bus may be taken concurrently
		nodes, err = startServers(ctx, filepath.Join(directory, strconv.Itoa(n)), 2*masterCount, clusterSettings(ctx))
		if err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	c := &Cluster{Nodes: nodes}
	if err := c.form(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func clusterSettings(ctx context.Context) func(int) ([]string, error) {
	return func(int) ([]string, error) {
		bus, err := freePort(ctx)
		return []string{
			"--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "1000",
			"--appendonly", "yes", "--appendfsync", "everysec", "--repl-diskless-sync-delay", "0",
		}, err
	}
}

// form joins the nodes into one Cluster: the first ones are the masters.
func (c *Cluster) form(ctx context.Context) error {
	clients := make([]*goredis.Client, len(c.Nodes))
	for i, node := range c.Nodes {
		clients[i] = node.Client()
		defer func() { _ = clients[i].Close() }() // only read from
	}
	if err := c.meet(ctx, clients); err != nil {
		return fmt.Errorf("storetest: form a cluster: %w", err)
	}
	err := await(ctx, "the introduction of the nodes", func(ctx context.Context) bool {
		return allMatch(clients, func(client *goredis.Client) bool {
			text, err := client.ClusterNodes(ctx).Result()
			return err == nil && strings.Count(text, "connected\n")+strings.Count(text, "connected ") >= len(clients)
		})
	})
	if err != nil {
		return err
	}
	for i, client := range clients[masterCount:] {
		id, err := clients[i].ClusterMyID(ctx).Result()
		if err = errors.Join(err, client.ClusterReplicate(ctx, id).Err()); err != nil {
			return fmt.Errorf("storetest: form a cluster: %w", err)
		}
	}
	return await(ctx, "the cluster", func(ctx context.Context) bool {
		return allMatch(clients, func(client *goredis.Client) bool { return replyContains(client.ClusterInfo(ctx), "cluster_state:ok") }) &&
			allMatch(clients[masterCount:], func(client *goredis.Client) bool {
				return replyContains(client.Info(ctx, "replication"), "master_link_status:up")
			})
	})
}

// meet assigns slots to the masters and joins all nodes to the first.
func (c *Cluster) meet(ctx context.Context, clients []*goredis.Client) error {
	for i, client := range clients[:masterCount] {
		err := errors.Join(
			client.ClusterAddSlotsRange(ctx, i*slotCount/masterCount, (i+1)*slotCount/masterCount-1).Err(),
			client.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(),
		)
		if err != nil {
			return err
		}
	}
	for i, node := range c.Nodes[1:] {
		bus, err := clients[i+1].ConfigGet(ctx, "cluster-port").Result()
		if err == nil {
			err = clients[0].Do(ctx, "CLUSTER", "MEET", loopback, node.port(), bus["cluster-port"]).Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Master returns the node that currently serves a key.
func (c *Cluster) Master(ctx context.Context, key string) (*Redis, error) {
	client := goredis.NewClusterClient(&goredis.ClusterOptions{Addrs: c.addrs()})
	defer func() { _ = client.Close() }() // only read from
	shards, err := client.ClusterShards(ctx).Result()
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	slot := int64(Slot(key))
	for _, shard := range shards {
		if !slices.ContainsFunc(shard.Slots, func(r goredis.SlotRange) bool { return r.Start <= slot && slot <= r.End }) {
			continue
		}
		for _, node := range c.Nodes {
			if slices.ContainsFunc(shard.Nodes, func(n goredis.Node) bool {
				return n.Role == "master" && n.Health == "online" && strconv.FormatInt(n.Port, 10) == node.port()
			}) {
				return node, nil
			}
		}
	}
	return nil, errors.New("storetest: nobody serves " + strconv.Quote(key))
}

// URL returns the address for store.Config.
func (c *Cluster) URL() string { return "redis+cluster://" + strings.Join(c.addrs(), ",") }

func (c *Cluster) addrs() []string {
	addrs := make([]string, len(c.Nodes))
	for i, node := range c.Nodes {
		addrs[i] = node.Addr
	}
	return addrs
}

// Close kills all nodes.
func (c *Cluster) Close() { killAll(c.Nodes) }

// allMatch reports whether passes returns true for every client.
func allMatch(clients []*goredis.Client, passes func(*goredis.Client) bool) bool {
	for _, client := range clients {
		if !passes(client) {
			return false
		}
	}
	return true
}

// replyContains reports whether a reply contains a text.
func replyContains(reply *goredis.StringCmd, text string) bool {
	return reply.Err() == nil && strings.Contains(reply.Val(), text)
}
