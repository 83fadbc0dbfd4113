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
	values := header["Accept-Encoding"]
	if len(values) == 0 {
		return c
	}
	w := weights{-1, -1, -1, -1}
	for _, value := range values {
		for part := range strings.SplitSeq(value, ",") {
			w.add(part)
		}
	}
	if w.gzip < 0 {
		w.gzip = w.others
	}
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
