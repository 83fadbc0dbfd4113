package revision

import (
	"context"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/store/redis"
)

// ReadFile reads the bytes of a file by its manifest.
func (s *Revisions) ReadFile(ctx context.Context, space, hash string) ([]byte, error) {
	m, err := s.Manifest(ctx, space, hash)
	if err != nil {
		return nil, err
	}
	return s.ReadChunks(ctx, space, m)
}

// Manifest reads how a file is stored.
func (s *Revisions) Manifest(ctx context.Context, space, hash string) (m Manifest, err error) {
	payload, err := s.store.Content(space).Object(ctx, hash)
	if err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, fmt.Errorf("%w: manifest %s: %w", redis.ErrCorrupt, hash, err)
	}
	return m, nil
}

// ReadChunks reads the bytes that a manifest names.
func (s *Revisions) ReadChunks(ctx context.Context, space string, m Manifest) (data []byte, err error) {
	chunks, err := s.store.Content(space).Objects(ctx, m.Chunks)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", err)
	}
	for _, chunk := range m.Chunks {
		data = append(data, chunks[chunk]...)
	}
	return data, nil
}
