package redis

import (
	"context"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// expirePeriod is the interval at which keys of the emulation expire. Expiry sorts all keys and is too slow for each
// command.
const expirePeriod = time.Second

// connectMemory runs an emulation of Redis in this process, or shares one. Keys expire up to expirePeriod late.
func (c *Conn) connectMemory(shared *miniredis.Miniredis) error {
	if shared != nil {
		c.dial(shared)
		return nil
	}
	server := miniredis.NewMiniRedis()
	c.dial(server)
	done := make(chan struct{})
	go expire(done, server)
	c.stop = func() error {
		close(done)
		err := c.Client.Close()
		server.Close()
		return err
	}
	return nil
}

// expire advances the time of an emulation until done is closed.
func expire(done <-chan struct{}, server *miniredis.Miniredis) {
	tick := time.NewTicker(expirePeriod)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			now := time.Now()
			server.FastForward(now.Sub(last))
			last = now
		}
	}
}

// dial connects to an emulation. It has no port: connections are pipes.
func (c *Conn) dial(server *miniredis.Miniredis) {
	options := baseOptions()
	options.Addrs = []string{"127.0.0.1:0"} // never dialed; a name would be resolved
	options.Dialer = func(context.Context, string, string) (net.Conn, error) {
		conn, err := server.Dial()
		if err != nil {
			return nil, err
		}
		return newPipe(conn), nil
	}
	c.Engine = Engine{Name: engineMemory}
	c.Client = newClient(options)
	c.stop = c.Client.Close
}

// pipe is a connection with buffered writes, like a socket. Without the buffer a pipeline would deadlock: the client
// reads no reply before it has written every command, and the server reads no further command before its reply was
// read.
type pipe struct {
	net.Conn

	mu     sync.Mutex
	cond   *sync.Cond
	queue  []byte
	err    error // error of pump, which Write returns
	closed bool
}

func newPipe(conn net.Conn) *pipe {
	p := &pipe{Conn: conn}
	p.cond = sync.NewCond(&p.mu)
	go p.pump()
	return p
}

// Write implements net.Conn.
func (p *pipe) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, net.ErrClosed
	}
	if p.err != nil {
		return 0, p.err
	}
	p.queue = append(p.queue, data...)
	p.cond.Signal()
	return len(data), nil
}

// SetWriteDeadline implements net.Conn. Writes never block.
func (p *pipe) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline implements net.Conn.
func (p *pipe) SetDeadline(at time.Time) error { return p.SetReadDeadline(at) }

// Close implements net.Conn.
func (p *pipe) Close() error {
	p.mu.Lock()
	p.closed = true
	p.cond.Signal()
	p.mu.Unlock()
	return p.Conn.Close()
}

// pump forwards written data to the other end until Close.
func (p *pipe) pump() {
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.closed {
			p.cond.Wait()
		}
		data := p.queue
		p.queue = nil
		closed := p.closed
		p.mu.Unlock()
		if closed {
			return
		}
		if _, err := p.Conn.Write(data); err != nil {
			p.mu.Lock()
			p.err = err
			p.mu.Unlock()
			return
		}
	}
}
