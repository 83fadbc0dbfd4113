package server

import (
	"context"
	"errors"
	"time"

	"docspace.dev/wsd/store/redis"
)

const (
	joinInterval = redis.NodeLease / 3 // interval at which a node renews its membership
	leaveTimeout = time.Second
)

// Join adds this node to the serving nodes, which never write a data format that one of them does not support. It
// must succeed before the node serves requests. It returns redis.ErrNewerFormat if the data is newer than this program.
func (s *Server) Join(ctx context.Context) error {
	err := s.store.Join(ctx)
	if err != nil && !errors.Is(err, redis.ErrNewerFormat) {
		s.log.Warn("this node is not among the serving ones yet", "error", err)
		return nil // StayJoined retries
	}
	return err
}

// StayJoined renews the membership of this node until ctx is done, then ends it. It logs once if the data gets a
// format that this program does not support; the store refuses all requests from then on.
func (s *Server) StayJoined(ctx context.Context) {
	ticker := time.NewTicker(joinInterval)
	defer ticker.Stop()
	var previous error
	for {
		select {
		case <-ctx.Done():
			s.leave(ctx)
			return
		case <-ticker.C:
		}
		err := s.store.Join(ctx)
		switch newer := errors.Is(err, redis.ErrNewerFormat); {
		case newer && !errors.Is(previous, redis.ErrNewerFormat):
			s.log.Error("every request is refused from now on: use a newer wsd", "error", err)
		case err != nil && !newer && previous == nil && ctx.Err() == nil:
			s.log.Warn("this node may not be among the serving ones", "error", err)
		}
		previous = err
	}
}

// WatchClocks compares the clocks at redis.ClockInterval until ctx is done. Removals by age are held while they are not
// plausible (see store.Tx.RemovalDelay).
func (s *Server) WatchClocks(ctx context.Context) {
	ticker := time.NewTicker(redis.ClockInterval)
	defer ticker.Stop()
	for {
		if err := s.store.CheckClocks(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("the clocks could not be compared", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// leave removes this node from the serving nodes.
func (s *Server) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	if err := s.store.Leave(ctx); err != nil {
		s.log.Warn("this node counts as serving until its lease ends", "lease", redis.NodeLease, "error", err)
	}
}
