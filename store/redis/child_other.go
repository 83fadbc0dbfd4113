//go:build !unix

package redis

import "context"

// connectChild returns ErrNoServer: child servers are not supported on this system.
func (c *Conn) connectChild(context.Context, Config) error { return ErrNoServer }

// HasServer reports whether a server program for a child is on PATH.
func HasServer() bool { return false }
