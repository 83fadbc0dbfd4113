package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// window is the maximum distance of repetitions that zstd finds, and thus bounds the memory of encoders and of clients.
const window = 256 << 10

// encoder holds the encoders of one turn, which are created when they are needed.
type encoder struct {
	gzip *gzip.Writer
	zstd *zstd.Encoder
}

// encode compresses data.
func (e *encoder) encode(encoding Encoding, data []byte) ([]byte, error) {
	if encoding == Zstd {
		return e.encodeZstd(data)
	}
	var out bytes.Buffer
	out.Grow(len(data)/4 + 512)
	if e.gzip == nil {
		var err error
		if e.gzip, err = gzip.NewWriterLevel(nil, gzip.BestSpeed); err != nil {
			return nil, fmt.Errorf("create the gzip encoder: %w", err)
		}
	}
	e.gzip.Reset(&out)
	defer e.gzip.Reset(io.Discard) // keeps no reference to the output
	_, err := e.gzip.Write(data)
	if err = errors.Join(err, e.gzip.Close()); err != nil {
		return nil, fmt.Errorf("compress with gzip: %w", err)
	}
	return out.Bytes(), nil
}

func (e *encoder) encodeZstd(data []byte) ([]byte, error) {
	if e.zstd == nil {
		var err error
		e.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
			zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return nil, fmt.Errorf("create the zstd encoder: %w", err)
		}
	}
	return e.zstd.EncodeAll(data, make([]byte, 0, len(data)/4+512)), nil
}

// Encode compresses data outside of the turns of a Pool, for answers that are compressed once and kept.
func Encode(encoding Encoding, data []byte) ([]byte, error) {
	return (&encoder{}).encode(encoding, data)
}

// Pool limits the answers that are compressed at the same time, and keeps their encoders.
type Pool struct{ turns chan *encoder }

// NewPool returns a Pool with a number of turns.
func NewPool(turns int64) *Pool {
	p := &Pool{turns: make(chan *encoder, turns)}
	for range turns {
		p.turns <- &encoder{}
	}
	return p
}

// Encode returns data compressed; ok is false if all turns are taken. It does not wait for a turn.
func (p *Pool) Encode(encoding Encoding, data []byte) (encoded []byte, ok bool) {
	select {
	case e := <-p.turns:
		defer func() { p.turns <- e }()
		encoded, err := e.encode(encoding, data)
		return encoded, err == nil
	default:
		return nil, false
	}
}
