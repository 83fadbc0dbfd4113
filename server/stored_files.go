package server

import (
	"context"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/store/redis"
)

func (s *Server) readFile(ctx context.Context, space, hash string) ([]byte, error) {
	m, err := s.manifest(ctx, space, hash)
	if err != nil {
		return nil, err
	}
	return s.readChunks(ctx, space, m)
}

func (s *Server) manifest(ctx context.Context, space, hash string) (m manifest, err error) {
	payload, err := s.store.Content(space).Object(ctx, hash)
	if err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, fmt.Errorf("%w: manifest %s: %w", redis.ErrCorrupt, hash, err)
	}
	return m, nil
}

func (s *Server) readChunks(ctx context.Context, space string, m manifest) (data []byte, err error) {
	chunks, err := s.store.Content(space).Objects(ctx, m.Chunks)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", err)
	}
	for _, chunk := range m.Chunks {
		data = append(data, chunks[chunk]...)
	}
	return data, nil
}
