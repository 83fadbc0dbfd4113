package store

import (
	"context"
	"net"

	"github.com/alicebob/miniredis/v2"
)

// connectMemory runs an emulation of Redis in this process. It has no port:
// connections are pipes. Keys expire by the clock.
func (s *Store) connectMemory() error {
	server := miniredis.NewMiniRedis()
	server.ClockTTL(true)
	options := baseOptions()
	options.Addrs = []string{"127.0.0.1:0"} // never dialled; a name would be resolved
	options.Dialer = func(context.Context, string, string) (net.Conn, error) { return server.Dial() }
	s.engine = Engine{Name: engineMemory}
	s.client = newClient(options)
	s.stop = func() error {
		err := s.client.Close()
		server.Close()
		return err
	}
	return nil
}
