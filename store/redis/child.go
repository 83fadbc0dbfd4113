//go:build unix

package redis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// child is a Redis server that this process runs for itself, on a socket that only its user can open, with its data
// below the data directory. If it exits unexpectedly, it is restarted on the same data.
type child struct {
	program string
	args    []string
	socket  string
	logPath string // path of the log file
	logger  *slog.Logger
	gate    *gate

	closing chan struct{} // closed by stop
	ended   chan struct{} // closed when no server is running any more

	mu              sync.Mutex
	process         *os.Process
	unexpectedExits int // unexpected exits
}

const (
	childGrace        = 5 * time.Second // time to shut down
	childRestartDelay = 200 * time.Millisecond
	childPollInterval = 5 * time.Millisecond // interval of readiness checks
	childStartTimeout = 30 * time.Second     // time to load the data if no waiting callback is set
	childQuietTime    = 2 * time.Second      // time to load the data before the waiting callback
	childMaxFailures  = 5                    // maximum number of failed starts
	// maxSocketPath is the portable maximum length of a unix socket path.
	maxSocketPath = 100
)

// connectChild starts a server on the data directory and connects to it.
func (c *Conn) connectChild(ctx context.Context, config Config) error {
	program, err := FindServer()
	if err != nil {
		return err
	}
	if config.DataDir == "" {
		return Misuse("a redis child needs a data directory")
	}
	directory, err := filepath.Abs(config.DataDir)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if config.Existing || config.Examine {
		if _, err := os.Stat(filepath.Join(directory, "redis")); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w: %s has none", ErrNoData, directory)
		}
	}
	lock, err := lockDirectory(directory)
	if errors.Is(err, ErrLocked) && config.Attach {
		return c.attach(directory, err)
	}
	if err != nil {
		return err
	}
	socket, cleanup, err := socketPath(directory)
	if err != nil {
		return errors.Join(err, unlockDirectory(lock))
	}
	// The lock file contains the socket path for other processes (Config.Attach).
	if err := errors.Join(lock.Truncate(0), writeText(lock, socket)); err != nil {
		return errors.Join(fmt.Errorf("store: %w", err), cleanup(), unlockDirectory(lock))
	}
	c.installGate(directory)
	c.ownershipError = func() error { return checkLock(directory, lock) }
	server := &child{
		program: program, socket: socket, logger: c.Logger, gate: c.gate,
		args:    childArgs(directory, socket, cmp.Or(config.Appendfsync, "always")),
		logPath: childLog(directory),
		closing: make(chan struct{}), ended: make(chan struct{}),
	}
	c.newSocketClient(socket)
	c.Engine = Engine{Name: filepath.Base(program) + " child", Location: directory, Durable: true, URL: "unix://" + socket}
	c.stop = func() error {
		return errors.Join(c.Client.Close(), server.stop(), cleanup(), unlockDirectory(lock))
	}
	go server.supervise()
	c.startError = server.startError
	timeout := childStartTimeout
	if config.Waiting != nil {
		timeout = childQuietTime // Open waits longer and calls config.Waiting
	}
	err = server.waitReady(ctx, c.Ping, timeout)
	if err == nil || config.Waiting != nil && errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
		return nil
	}
	return errors.Join(fmt.Errorf("%s (see %s): %w", program, childLog(directory), err), c.stop())
}

func writeText(file *os.File, text string) error {
	_, err := file.WriteAt([]byte(text), 0)
	return err
}

// attach connects to the child that another process runs on the directory.
func (c *Conn) attach(directory string, locked error) error {
	socket, err := os.ReadFile(lockPath(directory))
	if err != nil || len(socket) == 0 {
		return locked
	}
	c.installGate(directory)
	c.newSocketClient(string(socket))
	c.Engine = Engine{
		Name: "redis child of another process", Location: directory, Durable: true, URL: "unix://" + string(socket),
	}
	c.stop = c.Client.Close
	return nil
}

// installGate installs the gate that refuses writes to the Redis of a data directory while its disk is nearly full.
func (c *Conn) installGate(directory string) {
	space := c.config.Disk
	if space == nil {
		space = diskSpace
	}
	c.gate = &gate{
		reserve: cmp.Or(c.config.Reserve, defaultReserve),
		space:   func() (Space, error) { return space(filepath.Join(directory, "redis")) },
	}
}

// newSocketClient creates the client of a child.
func (c *Conn) newSocketClient(socket string) {
	options := baseOptions()
	options.Addrs = []string{socket}
	c.Client = newClient(options)
	c.Client.AddHook(c.gate)
}

// checkLock returns an error if the lock file of a data directory is not the locked file of this process any more: it
// was removed, and another process may run a Redis on the same data.
func checkLock(directory string, lock *os.File) error {
	locked, err := lock.Stat()
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	there, err := os.Stat(lockPath(directory))
	if err != nil || !os.SameFile(locked, there) {
		return fmt.Errorf("%s is not the file any more that this process has locked: another one may use the data", lockPath(directory))
	}
	return nil
}

func lockPath(directory string) string { return filepath.Join(directory, "lock") }

// FindServer returns the path of a server program for a child on PATH, or ErrNoServer.
func FindServer() (string, error) {
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoServer
}

// lockDirectory creates the data directory and locks it until unlockDirectory is called or the process ends.
func lockDirectory(directory string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Join(directory, "redis"), 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	path := lockPath(directory)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // below the operator's data directory
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s is locked", ErrLocked, path), file.Close())
	}
	return file, nil
}

// unlockDirectory ends the lock of lockDirectory. To close the file is not enough: a process that another goroutine has just forked has a
// copy of it until it runs its program.
func unlockDirectory(lock *os.File) error {
	return errors.Join(syscall.Flock(int(lock.Fd()), syscall.LOCK_UN), lock.Close())
}

// socketPath returns a path in a directory of mode 0700: the data directory, or a temporary one if that path is too
// long for a socket.
func socketPath(directory string) (path string, cleanup func() error, err error) {
	run := filepath.Join(directory, "run")
	cleanup = func() error { return nil }
	if len(run) > maxSocketPath-len("/redis.sock") {
		if run, err = os.MkdirTemp("", "wsd-"); err != nil {
			return "", nil, fmt.Errorf("store: %w", err)
		}
		temporary := run
		cleanup = func() error { return os.RemoveAll(temporary) }
	}
	path = filepath.Join(run, "redis.sock")
	err = errors.Join(os.MkdirAll(run, 0o700), os.Chmod(run, 0o700))     //nolint:gosec // a directory needs x
	if removed := os.Remove(path); !errors.Is(removed, os.ErrNotExist) { // left over by a killed child
		err = errors.Join(err, removed)
	}
	if err != nil {
		return "", nil, fmt.Errorf("store: %w", err)
	}
	return path, cleanup, nil
}

func childLog(directory string) string { return filepath.Join(directory, "redis", "redis.log") }

// childArgs returns the configuration of the child: no port, every write on disk before it is acknowledged, no
// eviction.
func childArgs(directory, socket, fsync string) []string {
	return []string{
		"--port", "0",
		"--unixsocket", socket, "--unixsocketperm", "700",
		"--dir", filepath.Join(directory, "redis"),
		"--appendonly", "yes", "--appendfsync", fsync, "--save", "",
		"--maxmemory-policy", "noeviction",
		"--daemonize", "no", "--databases", "1",
		"--loglevel", "warning", "--logfile", childLog(directory),
	}
}

// supervise runs the server until stop. It locks its OS thread, because the parent death signal of the child is bound
// to the thread that started it.
func (c *child) supervise() {
	defer close(c.ended)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		command := exec.Command(c.program, slices.Clone(c.args)...) //nolint:gosec,noctx // found on PATH; ended by stop
		command.Env = []string{"LC_ALL=C"}
		command.SysProcAttr = childAttributes()
		if err := c.start(command); err == nil {
			err = command.Wait()
			c.logExit(err)
		} else {
			c.logger.Error("redis child did not start", "error", err)
		}
		select {
		case <-c.closing:
			return
		case <-time.After(childRestartDelay):
		}
	}
}

// logExit logs the exit of the server. It counts an unexpected exit and, unless a signal killed the server, closes the gate to
// all writes but the canary.
func (c *child) logExit(err error) {
	select {
	case <-c.closing:
		c.logger.Debug("redis child ended")
	default:
		c.mu.Lock()
		c.unexpectedExits++
		c.mu.Unlock()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() > 0 { // not killed by a signal
			c.gate.exited.Store(true)
		}
		c.logger.Warn("redis child ended, starting another", "error", err)
	}
}

// startError returns an error if the server exits at every start, for example because it cannot read its data.
func (c *child) startError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unexpectedExits < childMaxFailures {
		return nil
	}
	return fmt.Errorf("%w: %s ended by itself %d times; its log is %s", ErrRefused, c.program, c.unexpectedExits, c.logPath)
}

// start starts the server unless stop was called.
func (c *child) start(command *exec.Cmd) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.closing:
		return context.Canceled
	default:
	}
	if err := command.Start(); err != nil {
		return err
	}
	c.process = command.Process
	return nil
}

// waitReady waits until the server answers.
func (c *child) waitReady(ctx context.Context, ping func(context.Context) error, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		if err := c.startError(); err != nil {
			return err
		}
		err := fmt.Errorf("%w: it has not begun to listen", ErrUnavailable)
		if _, absent := os.Stat(c.socket); absent == nil { // dialing fails before the socket exists
			err = ping(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(childPollInterval):
		}
	}
}

// stop terminates the server and kills it after childGrace.
func (c *child) stop() error {
	c.mu.Lock()
	close(c.closing)
	process := c.process
	c.mu.Unlock()
	if process == nil {
		<-c.ended
		return nil
	}
	_ = process.Signal(syscall.SIGTERM) // it may have exited already
	select {
	case <-c.ended:
		return nil
	case <-time.After(childGrace):
	}
	_ = process.Kill() // it may have exited already
	<-c.ended
	return fmt.Errorf("redis child did not end within %s", childGrace)
}
