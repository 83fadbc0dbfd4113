package api

// Header is a header of requests that wsd reads, with how long it may be.
type Header struct {
	Name string
	Max  int // bytes
	Doc  string
	// Writes is set where it goes with operations that write, Reads with those that do not; neither: with all, and it
	// is not in the document because HTTP or its tools say what it is.
	Writes, Reads bool
}

// Headers returns the headers that wsd reads. A longer one is refused with 400, but for Authorization: no token is as
// long, so it is 401.
func Headers() []Header {
	return []Header{
		{Name: "If-None-Match", Max: 4096, Reads: true, Doc: "Answer 304 when the answer still has this ETag."},
		{Name: "Idempotency-Key", Max: 255, Writes: true, Doc: "The same key with the same request is one effect, for 24 hours."},
		{Name: "If-Match", Max: 4096, Writes: true, Doc: "ETag that the change is meant for; 412 when it has changed."},
		{Name: PreferHeader, Max: 1024, Writes: true, Reads: true, Doc: "handling=lenient ignores unknown parameters and fields, and names them in X-Ignored. return=minimal is taken and changes nothing: clients read what is answered."},
		{Name: "X-Request-Id", Max: 1024},
		{Name: "Content-Type", Max: 1024},
	}
}
