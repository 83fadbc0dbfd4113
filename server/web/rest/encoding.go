package rest

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// errEncoding is the cause of the error for a body whose Content-Encoding is not accepted.
var errEncoding = errors.New("content encoding is not accepted")

// acceptedEncoding is the content encoding that bodies may have.
const acceptedEncoding = "gzip"

// bodyEncodings returns the content encodings of a body in lower case, without identity.
func bodyEncodings(header http.Header) (names []string) {
	for _, values := range header.Values("Content-Encoding") {
		for name := range strings.SplitSeq(values, ",") {
			switch name = strings.ToLower(strings.TrimSpace(name)); name {
			case "", "identity":
			case "x-gzip":
				names = append(names, acceptedEncoding)
			default:
				names = append(names, name)
			}
		}
	}
	return names
}

// decodeBody returns the decoded bytes of a body, and their number, which is -1 if it is not known. The reader fails with an
// *http.MaxBytesError if the body has more than limit bytes, encoded or decoded, and with an *api.Error if it has an encoding that is
// not accepted or is damaged. An empty body may have any encoding.
func (b *binder) decodeBody(w http.ResponseWriter, r *http.Request, limit int64) (body io.Reader, length int64) {
	encoded := http.MaxBytesReader(w, r.Body, limit)
	names := bodyEncodings(r.Header)
	if len(names) == 0 {
		return encoded, r.ContentLength
	}
	decoder := &gzipBody{encoded: bufio.NewReader(encoded)}
	if !slices.Equal(names, []string{acceptedEncoding}) {
		decoder.refusal = api.Errorf(http.StatusUnsupportedMediaType, api.ReasonMediaType,
			"The Content-Encoding of the body must be %s or identity, not %q.", acceptedEncoding, b.echo(strings.Join(names, ", "))).
			WithCause(errEncoding)
	}
	return http.MaxBytesReader(w, io.NopCloser(decoder), limit), -1
}

// gzipBody decodes a body. It needs little memory before the first byte is read.
type gzipBody struct {
	encoded *bufio.Reader
	refusal error        // returned unless the body is empty; nil if the encoding is accepted
	decoded *gzip.Reader // nil before the first byte
}

// Read implements io.Reader.
func (g *gzipBody) Read(data []byte) (int, error) {
	if g.decoded == nil {
		if _, err := g.encoded.Peek(1); err != nil {
			return 0, err //nolint:wrapcheck // io.EOF, or as the body has it
		}
		if g.refusal != nil {
			return 0, g.refusal
		}
		decoded, err := gzip.NewReader(g.encoded)
		if err != nil {
			return 0, gzipError(err)
		}
		g.decoded = decoded
	}
	n, err := g.decoded.Read(data)
	return n, gzipError(err)
}

// gzipError returns the error for a damaged body, if that is the cause of err, else err.
func gzipError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "The body is not complete: its gzip data end too early.").
			WithCause(err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		return api.Errorf(http.StatusBadRequest, api.ReasonMalformed, "The body is not gzip as its Content-Encoding says: %s.", err).
			WithCause(err)
	}
	return err
}
