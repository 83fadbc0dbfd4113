package servertest

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"

	"docspace.dev/wsd/store/txn"
)

// UsageOf returns the storage use of an organization.
func UsageOf(w *World, org string) txn.Usage {
	w.T.Helper()
	b := w.Store.NewBatch()
	use := b.Usage(org)
	w.Must(b.Do(w.T.Context()))
	return use.Value()
}

// Incompressible returns text that can hardly be compressed.
func Incompressible(size int) string {
	random := rand.New(rand.NewPCG(1, uint64(size)+textCount.Add(1))) //nolint:gosec // text for tests
	words := make([]string, size/10)
	for i := range words {
		words[i] = strconv.FormatUint(random.Uint64()|1<<63, 36)[:9]
	}
	return strings.Join(words, " ")
}

var textCount atomic.Uint64
