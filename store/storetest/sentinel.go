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
	sentinels = 3
	watched   = "main" // the name of the master that they watch
)

// Sentinel is a master with a replica, watched by three sentinels, on loopback.
type Sentinel struct {
	Servers  []*Redis // the first is the master at the beginning
	watchers []*Redis
}

// StartSentinel runs the servers with their data below a directory and waits
// until the sentinels know each other and the replica. A master that does not
// answer for a second is replaced.
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
		s.watchers, err = watchers(ctx, directory, master)
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

// watchers runs the sentinels. They write into their configuration files what
// they find out.
func watchers(ctx context.Context, directory string, master *Redis) ([]*Redis, error) {
	program, err := serverProgram()
	if err != nil {
		return nil, err
	}
	var running []*Redis
	for i := range sentinels {
		port, err := freePort(ctx)
		if err != nil {
			return running, err
		}
		watcher := &Redis{Directory: filepath.Join(directory, "sentinel-"+strconv.Itoa(i)), Addr: loopback + ":" + port, program: program}
		file := filepath.Join(watcher.Directory, "sentinel.conf")
		watcher.args = []string{file, "--sentinel"}
		lines := []string{
			"port " + port, "bind " + loopback, "dir " + watcher.Directory, "logfile redis.log",
			fmt.Sprintf("sentinel monitor %s %s %s 2", watched, loopback, master.port()),
			"sentinel down-after-milliseconds " + watched + " 1000", "sentinel failover-timeout " + watched + " 5000",
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
	clients := make([]*goredis.Client, len(s.watchers))
	for i, watcher := range s.watchers {
		clients[i] = watcher.Client()
		defer func() { _ = clients[i].Close() }()
	}
	return await(ctx, "the sentinels", func(ctx context.Context) bool {
		return all(clients, func(client *goredis.Client) bool {
			return says(client.Info(ctx, "sentinel"), "status=ok,address="+master.Addr+",slaves=1,sentinels="+strconv.Itoa(sentinels))
		})
	})
}

// Master returns the server that the sentinels take for the master.
func (s *Sentinel) Master(ctx context.Context) (*Redis, error) {
	return s.namedBy(ctx, s.watchers[0])
}

// namedBy returns the server that a sentinel takes for the master.
func (s *Sentinel) namedBy(ctx context.Context, watcher *Redis) (*Redis, error) {
	client := watcher.Client()
	defer func() { _ = client.Close() }()
	parts, err := client.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", watched).StringSlice()
	if err != nil {
		return nil, fmt.Errorf("storetest: %w", err)
	}
	at := slices.IndexFunc(s.Servers, func(r *Redis) bool { return r.Addr == strings.Join(parts, ":") })
	if at < 0 {
		return nil, fmt.Errorf("storetest: the master is %v, which is none of the servers", parts)
	}
	return s.Servers[at], nil
}

// URL is the address for store.Config.
func (s *Sentinel) URL() string {
	addrs := make([]string, len(s.watchers))
	for i, watcher := range s.watchers {
		addrs[i] = watcher.Addr
	}
	return "redis+sentinel://" + strings.Join(addrs, ",") + "/" + watched
}

// Close ends all servers.
func (s *Sentinel) Close() {
	killAll(s.watchers)
	killAll(s.Servers)
}
