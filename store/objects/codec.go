package objects

import (
	"fmt"

	"github.com/klauspost/compress/zstd"

	"docspace.dev/wsd/store/redis"
)

// Codec compresses objects. The first byte of the result is the compression method.
type Codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

const (
	codecPlain      = 0
	codecZstd       = 1
	maxDecodedSize  = 64 << 20
	minCompressSize = 64 // minimum size in bytes for compression
)

// NewCodec returns a codec, which must be closed.
func NewCodec() (*Codec, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxDecodedSize))
	if err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return &Codec{encoder, decoder}, nil
}

// Pack returns the stored form of an object.
func (c *Codec) Pack(object Object) []byte { return c.encode(object.data) }

// Unpack decodes the stored form of an object and verifies its hash. It returns an UnreadableError if they do not match.
func (c *Codec) Unpack(space, hash string, stored []byte) (Object, error) {
	data, err := c.decode(stored)
	if err != nil || len(data) == 0 || Hash(data) != hash {
		return Object{}, NewUnreadable(space, hash, stored, true)
	}
	return Object{Hash: hash, data: data}, nil
}

func (c *Codec) encode(data []byte) []byte {
	if len(data) >= minCompressSize {
		packed := c.encoder.EncodeAll(data, append(make([]byte, 0, len(data)/2), codecZstd))
		if len(packed) <= len(data) {
			return packed
		}
	}
	return append(append(make([]byte, 0, len(data)+1), codecPlain), data...)
}

func (c *Codec) decode(stored []byte) ([]byte, error) {
	switch {
	case len(stored) > 0 && stored[0] == codecPlain:
		return stored[1:], nil
	case len(stored) > 0 && stored[0] == codecZstd:
		return c.decoder.DecodeAll(stored[1:], nil)
	}
	return nil, redis.Corrupt("unknown codec")
}

// Close releases the resources of the codec.
func (c *Codec) Close() {
	c.decoder.Close()
	_ = c.encoder.Close() // nothing is encoded
}
