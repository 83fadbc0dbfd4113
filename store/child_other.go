//go:build !unix

package store

import "context"

// connectChild: there is no supervised child on this system.
func (c *Conn) connectChild(context.Context, ConnConfig) error { return ErrNoServer }

// HasServer reports whether a server program for a child is on PATH.
func HasServer() bool { return false }
