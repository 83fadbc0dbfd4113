package revision

import (
	"context"
	"encoding/json"
	"fmt"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ReadFile returns the bytes of a file. hash is that of its manifest.
func (rs *Revisions) ReadFile(ctx context.Context, space, hash string) ([]byte, error) {
	m, err := rs.Manifest(ctx, space, hash)
	if err != nil {
		return nil, err
	}
	return rs.ReadChunks(ctx, space, m)
}

// Manifest reads the manifest of a file.
func (rs *Revisions) Manifest(ctx context.Context, space, hash string) (m Manifest, err error) {
	payload, err := rs.store.Content(space).Object(ctx, hash)
	return decodeManifest(hash, payload, err)
}

// QueueManifest queues the read of the manifest of a file. The returned function decodes it after Batch.Do.
func QueueManifest(b *txn.Batch, space, hash string) func() (Manifest, error) {
	read := b.Object(space, hash)
	return func() (Manifest, error) {
		payload, _, err := read.Get()
		return decodeManifest(hash, payload, err)
	}
}

// decodeManifest decodes the result of reading a manifest.
func decodeManifest(hash string, payload []byte, err error) (m Manifest, _ error) {
	if err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	if err := json.Unmarshal(payload, &m); err != nil {
		return m, fmt.Errorf("%w: manifest %s: %w", redis.ErrCorrupt, hash, err)
	}
	return m, nil
}

// ReadChunks returns the concatenated chunks of a manifest.
func (rs *Revisions) ReadChunks(ctx context.Context, space string, m Manifest) (data []byte, err error) {
	chunks, err := rs.store.Content(space).Objects(ctx, m.Chunks)
	if err != nil {
		return nil, fmt.Errorf("chunks: %w", err)
	}
	for _, chunk := range m.Chunks {
		data = append(data, chunks[chunk]...)
	}
	return data, nil
}
