package storetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

const (
	loopback = "127.0.0.1"
	poll     = 20 * time.Millisecond // between two looks at a process
	startUp  = 30 * time.Second      // until a process, or all of them together, serve
	attempts = 5                     // to find a port that nobody takes meanwhile
)

// errShort tells a test that it has to ask NeedServer.
var errShort = errors.New("storetest: -short runs no Redis server")

// Redis is a server program that a test runs on a port of loopback, to kill it
// and to start it again on the same port and data.
type Redis struct {
	Directory string // with its data and its log
	Addr      string // host:port

	program string
	args    []string
	process *os.Process
	ended   chan struct{}
}

// StartRedis runs a server with its data in a directory and waits until it
// answers. The arguments follow those for port and directory.
func StartRedis(ctx context.Context, directory string, args ...string) (*Redis, error) {
	if testing.Short() {
		return nil, errShort
	}
	program, err := serverProgram()
	if err != nil {
		return nil, err
	}
	var failures []error
	for range attempts {
		port, err := freePort(ctx)
		if err != nil {
			return nil, err
		}
		r := &Redis{
			Directory: directory, Addr: net.JoinHostPort(loopback, port), program: program,
			args: append([]string{"--port", port, "--bind", loopback, "--dir", directory, "--logfile", "redis.log", "--save", ""}, args...),
		}
		err = r.Start(ctx)
		if err == nil {
			return r, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// serverProgram finds what the store would run as a child.
func serverProgram() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", redis.ErrNoServer
}

// freePort returns a port of loopback that nobody listens on now.
func freePort(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}

// Start runs the server, again after Kill, and waits until it answers.
func (r *Redis) Start(ctx context.Context) error {
	if err := os.MkdirAll(r.Directory, 0o700); err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	started := make(chan error)
	r.ended = make(chan struct{})
	go r.run(started)
	if err := <-started; err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	client := r.Client()
	defer func() { _ = client.Close() }()
	err := await(ctx, "a redis-server on "+r.Addr, func(ctx context.Context) bool {
		return !r.running() || client.Ping(ctx).Err() == nil
	})
	if err == nil && !r.running() {
		log, _ := os.ReadFile(filepath.Join(r.Directory, "redis.log"))
		err = fmt.Errorf("storetest: redis-server on %s ended:\n%s", r.Addr, log)
	}
	if err != nil {
		r.Kill()
	}
	return err
}

// StartWithout starts the server again after Kill, with more arguments, and does not wait until it answers.
func (r *Redis) StartWithout(_ context.Context, more ...string) error {
	r.args = append(r.args, more...)
	started := make(chan error)
	r.ended = make(chan struct{})
	go r.run(started)
	if err := <-started; err != nil {
		return fmt.Errorf("storetest: %w", err)
	}
	return nil
}

// run runs the process. The signal by which it dies with this one comes from the
// end of the thread that started it, so the thread stays.
func (r *Redis) run(started chan<- error) {
	defer close(r.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := exec.Command(r.program, r.args...) //nolint:gosec,noctx // found on PATH; ended by Kill
	command.SysProcAttr = attributes()
	err := command.Start()
	r.process = command.Process
	started <- err
	if err == nil {
		_ = command.Wait() // it is killed
	}
}

func (r *Redis) running() bool {
	select {
	case <-r.ended:
		return false
	default:
		return true
	}
}

// Kill ends the process as kill -9 does and waits for its end.
func (r *Redis) Kill() {
	if r.process != nil {
		end(r.process) // it may have ended by itself
	}
	<-r.ended
}

// URL is the address for store.Config.
func (r *Redis) URL() string { return "redis://" + r.Addr }

// Client returns a client for what a test does beside the store.
func (r *Redis) Client() *goredis.Client {
	return goredis.NewClient(&goredis.Options{Addr: r.Addr, DialTimeout: time.Second, MaxRetries: -1, DisableIdentity: true})
}

// port is the number in the address.
func (r *Redis) port() string {
	_, port, _ := net.SplitHostPort(r.Addr)
	return port
}

// await looks again and again until it is as wanted, within startUp.
func await(ctx context.Context, what string, ready func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startUp)
	defer cancel()
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for !ready(ctx) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("storetest: %s is not ready after %s", what, startUp)
		case <-tick.C:
		}
	}
	return nil
}

// several starts n servers at the same time, each in a directory of its own.
func several(ctx context.Context, directory string, n int, args func(i int) ([]string, error)) ([]*Redis, error) {
	servers, failures := make([]*Redis, n), make([]error, n)
	done := make(chan struct{})
	for i := range n {
		go func() {
			defer func() { done <- struct{}{} }()
			more, err := args(i)
			if err == nil {
				servers[i], err = StartRedis(ctx, filepath.Join(directory, strconv.Itoa(i)), more...)
			}
			failures[i] = err
		}()
	}
	for range n {
		<-done
	}
	if err := errors.Join(failures...); err != nil {
		killAll(servers)
		return nil, err
	}
	return servers, nil
}

func killAll(servers []*Redis) {
	for _, server := range servers {
		if server != nil {
			server.Kill()
		}
	}
}
