package api

import "net/http"

// Header is a request header that wsd reads, with its maximum length.
type Header struct {
	Name string
	Max  int // bytes
	Doc  string
	// Writes, Reads and Streams are set if the header applies to operations that write, read or answer a stream. If none is set, it
	// applies to all operations and is omitted from the API description because it is defined by HTTP.
	Writes, Reads, Streams bool
}

// LastEventID is the header with the id after which a stream of server-sent events continues.
const LastEventID = "Last-Event-ID"

// AppliesTo reports whether the API description of a row mentions the header. If-None-Match is for GET; lists and streams have no ETag.
func (h Header) AppliesTo(row Row) bool {
	switch {
	case row.Writes():
		return h.Writes
	case h.Name == ifNoneMatch:
		return row.Method == http.MethodGet && !row.IsList() && !row.Stream
	case row.Stream:
		return h.Streams || h.Reads
	}
	return h.Reads
}

const ifNoneMatch = "If-None-Match"

// Headers returns the headers that wsd reads. A longer value is rejected with 400, except Authorization, which is
// rejected with 401 because no valid token is that long.
func Headers() []Header {
	return []Header{
		{Name: ifNoneMatch, Max: 4096, Reads: true, Doc: "Answer 304 when the answer still has this ETag."},
		{Name: "Idempotency-Key", Max: 255, Writes: true, Doc: "The same key with the same request is one effect, for 24 hours."},
		{Name: "If-Match", Max: 4096, Writes: true, Doc: "ETag that the change is meant for; 412 when it has changed."},
		{
			Name: PreferHeader, Max: 1024, Writes: true, Reads: true, Doc: "handling=lenient ignores unknown parameters and fields, and " +
				"names them in X-Ignored. return=minimal is taken and changes nothing: clients read what is answered.",
		},
		{Name: LastEventID, Max: 40, Streams: true, Doc: "The id of the last message that was received, after which the stream goes on."},
		{Name: "X-Request-Id", Max: 1024},
		{Name: "Content-Type", Max: 1024},
		{Name: "Content-Encoding", Max: 1024},
	}
}
