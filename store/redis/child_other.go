//go:build !unix

package redis

import "context"

// connectChild returns ErrNoServer: child servers are not supported on this system.
func (c *Conn) connectChild(context.Context, Config) error {
	_, err := FindServer()
	return err
}

// FindServer returns ErrNoServer.
func FindServer() (string, error) { return "", ErrNoServer }
