package rest

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/server/web/compress"
)

// minCompressed is the number of bytes from which an answer is compressed, unless the client refuses answers that are not.
const minCompressed = 1 << 10

// variesByEncoding is the header Vary of answers that may be compressed. It is shared, so that it costs no allocation.
var variesByEncoding = []string{"Accept-Encoding"}

// encodingFor returns the encoding of an answer of a number of bytes that has no secret and is not an error. It sets Vary, so that caches
// know that the answer depends on the request.
func encodingFor(header http.Header, r *http.Request, media string, size int) compress.Encoding {
	if !isCompressible(media) {
		return compress.None
	}
	if vary := header["Vary"]; vary == nil {
		header["Vary"] = variesByEncoding
	} else {
		header["Vary"] = append(slices.Clip(vary), variesByEncoding...)
	}
	choice := compress.Accepted(r.Header)
	if size < minCompressed && !choice.Required {
		return compress.None
	}
	return choice.Encoding
}

// isCompressible reports whether bodies of a media type become smaller; "" is JSON.
func isCompressible(media string) bool {
	if media == "" {
		return true
	}
	name, _, _ := strings.Cut(media, ";")
	return name == jsonMedia || name == "application/yaml" || strings.HasPrefix(name, "text/")
}

// weakenTag makes the ETag of an answer that is compressed weak, since its bytes are others.
func weakenTag(header http.Header) {
	if tag := header.Get("Etag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		header.Set("Etag", "W/"+tag)
	}
}

// sendBody sends a body, compressed if encoding is not None and a turn is free.
func (p *Pipeline) sendBody(w http.ResponseWriter, status int, body []byte, encoding compress.Encoding) {
	if encoding != compress.None {
		if encoded, ok := p.encoders.Encode(encoding, body); ok {
			body = encoded
			w.Header().Set("Content-Encoding", string(encoding))
			weakenTag(w.Header())
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // the client has disconnected; texts in pages are escaped by their templates
}

// SendPage sends a page that holds no secret. Its headers have been set.
func (p *Pipeline) SendPage(w http.ResponseWriter, r *http.Request, page []byte) {
	p.sendBody(w, http.StatusOK, page, encodingFor(w.Header(), r, w.Header().Get("Content-Type"), len(page)))
}
