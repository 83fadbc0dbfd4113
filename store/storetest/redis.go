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
	loopback        = "127.0.0.1"
	pollInterval    = 20 * time.Millisecond // polling interval
	startTimeout    = 2 * time.Minute       // time limit for a process, or a group of them, to become ready on a loaded machine
	maxPortAttempts = 5                     // attempts to find a free port
)

// errShort is returned if a test does not call NeedServer.
var errShort = errors.New("storetest: -short runs no Redis server")

// Redis is a server process on a loopback port that a test can kill and restart on the same port and data.
type Redis struct {
	Directory string // of its data and its log
	Addr      string // host:port

	program     string
	args        []string
	environment []string // besides that of the test
	process     *os.Process
	ended       chan struct{}
}

// StartRedis runs a server with its data in a directory and waits until it answers. args follow those for port and
// directory.
func StartRedis(ctx context.Context, directory string, args ...string) (*Redis, error) {
	return StartRedisWith(ctx, nil, directory, args...)
}

// StartRedisWith is StartRedis with environment variables for the server.
func StartRedisWith(ctx context.Context, environment []string, directory string, args ...string) (*Redis, error) {
	if testing.Short() {
		return nil, errShort
	}
	program, err := serverProgram()
	if err != nil {
		return nil, err
	}
	var failures []error
	for range maxPortAttempts {
		port, err := freePort(ctx)
		if err != nil {
			return nil, err
		}
		r := &Redis{
			Directory: directory, Addr: net.JoinHostPort(loopback, port), program: program, environment: environment,
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

// serverProgram returns the program that the store would run as a child.
func serverProgram() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", redis.ErrNoServer
}

// freePort returns a free loopback port.
func freePort(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return "", fmt.Errorf("storetest: %w", err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}

// Start starts the server, also after Kill, and waits until it answers.
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
	defer func() { _ = client.Close() }() // only read from
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

// StartWithout starts the server after Kill with more arguments and does not wait until it answers.
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

// run runs the process. It locks its OS thread, because the parent death signal of the process is bound to the thread
// that started it.
func (r *Redis) run(started chan<- error) {
	defer close(r.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	command := exec.Command(r.program, r.args...) //nolint:gosec,noctx // found on PATH; ended by Kill
	command.SysProcAttr, command.Env = attributes(), append(os.Environ(), r.environment...)
	err := command.Start()
	r.process = command.Process
	started <- err
	if err == nil {
		_ = command.Wait() // it was killed
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

// Kill kills the process and waits for its end.
func (r *Redis) Kill() {
	if r.process != nil {
		kill(r.process) // it may have exited already
	}
	<-r.ended
}

// URL returns the address for store.Config.
func (r *Redis) URL() string { return "redis://" + r.Addr }

// Client returns a client for direct commands of a test.
func (r *Redis) Client() *goredis.Client {
	return goredis.NewClient(&goredis.Options{Addr: r.Addr, DialTimeout: time.Second, MaxRetries: -1, DisableIdentity: true})
}

// ChangeGeneration gives the server another replication id and keeps its data, as if it were a replica that is promoted.
func (r *Redis) ChangeGeneration(ctx context.Context) error {
	client := r.Client()
	err := errors.Join(client.ReplicaOf(ctx, loopback, "1").Err(), client.ReplicaOf(ctx, "NO", "ONE").Err())
	return errors.Join(err, client.Close())
}

// port returns the port of the address.
func (r *Redis) port() string {
	_, port, _ := net.SplitHostPort(r.Addr)
	return port
}

// await polls until ready returns true, within startTimeout.
func await(ctx context.Context, what string, ready func(context.Context) bool) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !ready(ctx) {
		select {
		case <-ctx.Done():
			return fmt.Errorf("storetest: %s is not ready after %s", what, startTimeout)
		case <-tick.C:
		}
	}
	return nil
}

// startServers starts n servers concurrently, each in its own directory.
func startServers(ctx context.Context, directory string, n int, args func(i int) ([]string, error)) ([]*Redis, error) {
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
