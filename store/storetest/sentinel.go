package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	goredis "github.com/redis/go-redis/v9"
)

const (
	sentinelCount = 3
	masterName    = "main" // name of the monitored master
)

// Sentinel is a master with a replica, monitored by three sentinels, on loopback.
type Sentinel struct {
	Servers   []*Redis // the first is the initial master
	sentinels []*Redis
}

// StartSentinel runs the servers with their data below a directory and waits until the sentinels are connected to
// each other and the replica. A master that does not answer for a second is replaced.
func StartSentinel(ctx context.Context, directory string) (*Sentinel, error) {
	settings := []string{"--appendonly", "yes", "--appendfsync", "everysec", "--repl-diskless-sync-delay", "0"}
	master, err := StartRedis(ctx, filepath.Join(directory, "master"), settings...)
	if err != nil {
		return nil, err
	}
	s := &Sentinel{Servers: []*Redis{master}}
	replica, err := StartRedis(ctx, filepath.Join(directory, "replica"), append(settings, "--replicaof", loopback, master.port())...)
	if err == nil {
		s.Servers = append(s.Servers, replica)
		s.sentinels, err = startSentinels(ctx, directory, master)
	}
	if err == nil {
		err = s.ready(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// startSentinels runs the sentinels, which update their configuration files.
func startSentinels(ctx context.Context, directory string, master *Redis) ([]*Redis, error) {
	program, err := serverProgram()
	if err != nil {
		return nil, err
	}
	var running []*Redis
	for i := range sentinelCount {
		port, err := freePort(ctx)
		if err != nil {
			return running, err
		}
		watcher := &Redis{Directory: filepath.Join(directory, "sentinel-"+strconv.Itoa(i)), Addr: loopback + ":" + port, program: program}
		file := filepath.Join(watcher.Directory, "sentinel.conf")
		watcher.args = []string{file, "--sentinel"}
		lines := []string{
			"port " + port, "bind " + loopback, "dir " + watcher.Directory, "logfile redis.log",
			fmt.Sprintf("sentinel monitor %s %s %s 2", masterName, loopback, master.port()),
			"sentinel down-after-milliseconds " + masterName + " 1000", "sentinel failover-timeout " + masterName + " 5000",
		}
		err = errors.Join(os.MkdirAll(watcher.Directory, 0o700), os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		if err == nil {
			err = watcher.Start(ctx)
		}
		if err != nil {
			return running, err
		}
		running = append(running, watcher)
	}
	return running, nil
}

// ready waits until a failover would succeed.
func (s *Sentinel) ready(ctx context.Context) error {
	master, err := s.Master(ctx)
	if err != nil {
		return err
	}
	clients := make([]*goredis.Client, len(s.sentinels))
	for i, watcher := range s.sentinels {
		clients[i] = watcher.Client()
		defer func() { _ = clients[i].Close() }() // only read from
	}
	return await(ctx, "the sentinels", func(ctx context.Context) bool {
		return allMatch(clients, func(client *goredis.Client) bool {
			return replyContains(client.Info(ctx, "sentinel"), "status=ok,address="+master.Addr+",slaves=1,sentinels="+
				strconv.Itoa(sentinelCount))
		})
	})
}

// Master returns the current master according to the sentinels.
func (s *Sentinel) Master(ctx context.Context) (*Redis, error) {
	return s.queryMaster(ctx, s.sentinels[0])
}

// queryMaster returns the current master according to one sentinel.
func (s *Sentinel) queryMaster(ctx context.Context, watcher *Redis) (*Redis, error) {
	client := watcher.Client()
	defer func() { _ = client.Close() }() // only read from
	parts, err := client.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	at := slices.IndexFunc(s.Servers, func(r *Redis) bool { return r.Addr == strings.Join(parts, ":") })
	if at < 0 {
		return nil, fmt.Errorf("storetest: the master is %v, which is none of the servers", parts)
	}
	return s.Servers[at], nil
}

// URL returns the address for store.Config.
func (s *Sentinel) URL() string {
	addrs := make([]string, len(s.sentinels))
	for i, watcher := range s.sentinels {
		addrs[i] = watcher.Addr
	}
	return "redis+sentinel://" + strings.Join(addrs, ",") + "/" + masterName
}

// Close kills all servers.
func (s *Sentinel) Close() {
	killAll(s.sentinels)
	killAll(s.Servers)
}
