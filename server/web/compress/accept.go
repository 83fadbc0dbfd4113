package compress

import (
	"net/http"
	"strconv"
	"strings"
)

// Encoding is the value of Content-Encoding; "" is none.
type Encoding string

// Encodings.
const (
	None Encoding = ""
	Gzip Encoding = "gzip"
	Zstd Encoding = "zstd"
)

// Choice is the encoding of an answer that a request accepts.
type Choice struct {
	Encoding Encoding // the best one that package compress has
	Required bool     // the client refuses an answer without an encoding
}

// weights are the weights of the encodings in Accept-Encoding, in thousandths; -1 = not named.
type weights struct{ gzip, zstd, identity, others int }

// Accepted returns what a request accepts. Equal weights mean zstd before gzip; "*" means gzip, which all clients can decode. A part that
// is malformed is ignored.
func Accepted(header http.Header) (c Choice) {
	if len(header["Accept-Encoding"]) == 0 {
		return c
	}
	w := weightsOf(header)
	if w.identity < 0 && w.others == 0 {
		w.identity = 0
	}
	c.Required = w.identity == 0
	switch best := max(w.gzip, w.zstd); {
	case best <= 0 || w.identity > best:
	case w.zstd == best:
		c.Encoding = Zstd
	default:
		c.Encoding = Gzip
	}
	return c
}

// AcceptsGzip reports whether a request accepts gzip, for files that exist in no other encoding.
func AcceptsGzip(header http.Header) bool { return weightsOf(header).gzip > 0 }

// weightsOf returns the weights of the encodings that a request names. Gzip has the weight of "*" if it is not named.
func weightsOf(header http.Header) weights {
	w := weights{-1, -1, -1, -1}
	for _, value := range header["Accept-Encoding"] {
		for part := range strings.SplitSeq(value, ",") {
			w.add(part)
		}
	}
	if w.gzip < 0 {
		w.gzip = w.others
	}
	return w
}

// add adds a part of the header, such as "gzip;q=0.5".
func (w *weights) add(part string) {
	name, parameter, hasParameter := strings.Cut(part, ";")
	weight := 1000
	if hasParameter {
		key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		q, err := strconv.ParseFloat(value, 64)
		if err != nil || !strings.EqualFold(key, "q") || !(q >= 0 && q <= 1) {
			return
		}
		weight = int(q * 1000)
	}
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "gzip", "x-gzip":
		w.gzip = weight
	case "zstd":
		w.zstd = weight
	case "identity":
		w.identity = weight
	case "*":
		w.others = weight
	}
}
