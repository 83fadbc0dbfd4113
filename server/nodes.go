package server

import (
	"context"
	"errors"
	"time"

	"docspace.dev/wsd/store/redis"
)

const (
	joinAgain    = redis.NodeLease / 3 // between two times that a node joins the serving ones
	leaveTimeout = time.Second
)

// Join makes this one of the serving nodes, which write no form of data that one of them does not know. Who serves
// calls it first. It is a redis.ErrNewerForm where the data is newer than this program: then it must not serve.
func (s *Server) Join(ctx context.Context) error {
	err := s.store.Join(ctx)
	if err != nil && !errors.Is(err, redis.ErrNewerForm) {
		s.log.Warn("this node is not among the serving ones yet", "error", err)
		return nil // StayJoined tries again
	}
	return err
}

// StayJoined keeps this node among the serving ones until the context ends, and says once when the data gets a form that
// it does not know: from then on it refuses every request.
func (s *Server) StayJoined(ctx context.Context) {
	ticker := time.NewTicker(joinAgain)
	defer ticker.Stop()
	var said error
	for {
		select {
		case <-ctx.Done():
			s.leave(ctx)
			return
		case <-ticker.C:
		}
		err := s.store.Join(ctx)
		switch newer := errors.Is(err, redis.ErrNewerForm); {
		case newer && !errors.Is(said, redis.ErrNewerForm):
			s.log.Error("every request is refused from now on: use a newer wsd", "error", err)
		case err != nil && !newer && said == nil && ctx.Err() == nil:
			s.log.Warn("this node may not be among the serving ones", "error", err)
		}
		said = err
	}
}

// leave takes this node out of the serving ones.
func (s *Server) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTimeout)
	defer cancel()
	if err := s.store.Leave(ctx); err != nil {
		s.log.Warn("this node counts as serving until its lease ends", "lease", redis.NodeLease, "error", err)
	}
}
