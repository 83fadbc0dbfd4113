package compress

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func TestAccepted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Choice{
		"": {}, "br": {}, "gzip": {Encoding: Gzip}, "x-gzip": {Encoding: Gzip}, "ZSTD": {Encoding: Zstd}, "deflate, gzip": {Encoding: Gzip},
		"gzip, deflate, br, zstd": {Encoding: Zstd}, "gzip;q=1, zstd;q=0.9": {Encoding: Gzip}, "zstd;q=0, gzip;q=0.001": {Encoding: Gzip},
		"gzip;q=0": {}, "gzip;q=0, *": {}, "*": {Encoding: Gzip}, "*;q=0": {Required: true}, "*;q=0, gzip": {Gzip, true},
		"identity": {}, "identity, gzip;q=0.5": {}, "identity;q=0.5, gzip;q=0.5": {Encoding: Gzip}, "identity;q=0, zstd": {Zstd, true},
		"identity;q=0": {Required: true}, "identity;q=1, *;q=0": {}, "gzip;q=2": {}, "gzip;q=-1": {}, "gzip;q=NaN": {}, "gzip;q=x": {},
		"gzip;level=1": {}, "gzip ; Q=0.5 ,": {Encoding: Gzip}, ",,;,": {}, "zstd,*;q=0.1": {Encoding: Zstd},
	} {
		if got := Accepted(http.Header{"Accept-Encoding": {text}}); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
	if got := Accepted(http.Header{"Accept-Encoding": {"br", "zstd"}}); got.Encoding != Zstd {
		t.Errorf("two headers: %+v", got)
	}
}

func TestAcceptedAllocatesNothing(t *testing.T) { //nolint:paralleltest // it counts allocations
	none := http.Header{"Accept": {"application/json"}}
	if n := testing.AllocsPerRun(100, func() { Accepted(none) }); n > 0 {
		t.Errorf("%g allocations without the header", n)
	}
}

// decode returns the decoded data.
func decode(t *testing.T, encoding Encoding, data []byte) []byte {
	t.Helper()
	var r io.Reader
	var err error
	if encoding == Zstd {
		r, err = zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderMaxWindow(window))
	} else {
		r, err = gzip.NewReader(bytes.NewReader(data))
	}
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return decoded
}

// TestPoolCompresses checks that compressed data is decoded to the same, also by encoders that were used before.
func TestPoolCompresses(t *testing.T) {
	t.Parallel()
	p, random := NewPool(1), rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 3<<20)
	for i := range noise {
		noise[i] = byte(random.IntN(256))
	}
	text := []byte(strings.Repeat("text ", 1_000_000))
	for _, encoding := range []Encoding{Gzip, Zstd} {
		for _, data := range [][]byte{{}, text, noise, []byte("short")} {
			whole, ok := p.Encode(encoding, data)
			if !ok || !bytes.Equal(decode(t, encoding, whole), data) {
				t.Errorf("%s of %d bytes is decoded to others", encoding, len(data))
			}
			if kept, err := Encode(encoding, data); err != nil || !bytes.Equal(decode(t, encoding, kept), data) {
				t.Errorf("%s outside of the pool: %v", encoding, err)
			}
		}
		if short, _ := p.Encode(encoding, text); len(short) > len(text)/100 {
			t.Errorf("%s of repeated text has %d bytes", encoding, len(short))
		}
	}
}

// TestPoolHasTurns checks that no more answers than there are turns are compressed at the same time, without a wait.
func TestPoolHasTurns(t *testing.T) {
	t.Parallel()
	p := NewPool(1)
	e := <-p.turns
	if _, ok := p.Encode(Zstd, []byte("text")); ok {
		t.Error("a second answer is compressed")
	}
	p.turns <- e
	for range 3 {
		if data, ok := p.Encode(Zstd, []byte("text")); !ok || string(decode(t, Zstd, data)) != "text" {
			t.Error("no turn was returned")
		}
	}
}
