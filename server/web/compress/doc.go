// Package compress chooses the encoding of an answer and compresses it, with gzip or zstd, within limits of work and memory.
package compress
