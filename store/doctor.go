package store

import "context"

func (s *Store) admit(ctx context.Context) error { return s.Ping(ctx) }
