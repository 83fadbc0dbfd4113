package rest

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/compress"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// recorder records the status and size of a response for the log.
type recorder struct {
	http.ResponseWriter
	status  int
	bytes   int            // of the body
	isHead  bool           // the body is not sent
	metrics *metrics.Route // nil if requests are not counted
	reason  api.Reason     // of an error
	// incomplete is set if the response ended early, so that the connection must be closed.
	incomplete bool

	inRedis *redis.CommandTime
	inTurns *budgets.WaitTime // for permits of slow work
}

func newRecorder(w http.ResponseWriter, r *http.Request, counts *metrics.Route) *recorder {
	return &recorder{ResponseWriter: w, isHead: r.Method == http.MethodHead, metrics: counts}
}

// WriteHeader implements http.ResponseWriter.
func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. net/http drops the body of an answer to HEAD.
func (r *recorder) Write(data []byte) (int, error) {
	n, err := r.ResponseWriter.Write(data)
	if !r.isHead {
		r.bytes += n
	}
	return n, err
}

// measure returns a context that measures the times of work.
func (r *recorder) measure(ctx context.Context) context.Context {
	ctx, r.inRedis = redis.WithCommandTime(ctx)
	ctx, r.inTurns = budgets.WithWaitTime(ctx)
	return ctx
}

// Unwrap returns the underlying writer for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// respond writes a success. extra holds the headers of a replayed response. It returns an error if nothing was written.
func (p *Pipeline) respond(w *recorder, c *Call, status int, result Result[any], extra http.Header) error {
	header := w.Header()
	BaseHeaders(header, c.requestID)
	c.allowance.SetHeaders(header)
	c.setIgnoredHeader(header)
	if result.location != "" && (status == http.StatusCreated || c.Endpoint.Row.Method == http.MethodPut) {
		header.Set("Location", result.location)
	}
	if c.DryRun {
		header.Set("X-Dry-Run", "true")
	}
	if result.removal != nil {
		header.Set(api.RemovedHeader, result.removal.Header())
		if c.DryRun {
			status = http.StatusOK
		}
	}
	tag := EntityTag(result.Version, result.JSON)
	if tag != "" {
		header.Set("Etag", tag)
	}
	maps.Copy(header, extra)
	if len(result.omittedSpaces) > 0 {
		header.Set(unreadableHeader, omittedHeader(result.omittedSpaces))
	}
	if c.Endpoint.Row.Stream {
		return p.sendMessages(w, c, result)
	}
	isEmpty := result.JSON == nil && result.Stream == nil
	if status == http.StatusNoContent || status == http.StatusResetContent || isEmpty {
		w.WriteHeader(status)
		return nil
	}
	var encoding compress.Encoding
	if !c.Endpoint.Row.Secret && result.Stream == nil { // the size of a compressed secret depends on it; streams are archives
		encoding = encodingFor(header, c.HTTP, result.Media, len(result.JSON))
	}
	if c.Endpoint.Row.Method == http.MethodGet && matchesTag(c.HTTP.Header.Get("If-None-Match"), tag) {
		if encoding != compress.None {
			weakenTag(header)
		}
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if result.Stream != nil {
		return p.stream(w, c, status, result)
	}
	body := result.JSON
	if result.Media == "" {
		body = api.PlainJSON(body)
	}
	header.Set("Content-Type", cmp.Or(result.Media, "application/json")+"; charset=utf-8")
	p.sendBody(w, status, body, encoding)
	return nil
}

// streamStart is the number of bytes of a streamed response that are kept before its status is sent. An error until then is
// answered like any other.
const streamStart = 1 << 20

// stream writes a response whose size is not known beforehand. It returns an error if nothing was written.
func (p *Pipeline) stream(w *recorder, c *Call, status int, result Result[any]) error {
	buffer := bufio.NewWriterSize(streamWriter{w, status, result.Media}, streamStart)
	err := result.Stream(c.ctx, buffer)
	if err == nil {
		err = buffer.Flush()
	}
	if w.isHead && w.status != 0 {
		return nil
	}
	if err != nil && w.status == 0 {
		w.Header().Del("Etag")
		return err
	}
	if err != nil {
		w.incomplete = true
		p.log.Warn("response is incomplete", c.logMembers("error", err)...)
	}
	return nil
}

// streamWriter sends the status and the media type of a response before its first byte.
type streamWriter struct {
	recorder *recorder
	status   int
	media    string
}

// errHeadersSent ends the work of a stream for HEAD once its headers are sent.
var errHeadersSent = errors.New("the body of HEAD is not sent")

// Write implements io.Writer.
func (s streamWriter) Write(data []byte) (int, error) {
	if s.recorder.status == 0 {
		s.recorder.Header().Set("Content-Type", s.media)
		s.recorder.WriteHeader(s.status)
	}
	n, err := s.recorder.Write(data)
	if s.recorder.isHead && err == nil {
		err = errHeadersSent
	}
	return n, err
}

// setIgnoredHeader sets the headers of a leniently handled request, with the unknown fields that were ignored.
func (r *Request) setIgnoredHeader(header http.Header) {
	if r.unknown == nil {
		return
	}
	header.Set(api.PreferenceAppliedHeader, api.Lenient)
	if names := r.unknown.Header(); names != "" {
		header.Set(api.IgnoredHeader, names)
	}
}

// matchesTag reports whether an If-None-Match header contains the tag. Tags are compared as a whole, body hash included.
func matchesTag(header, tag string) bool {
	if header == "" || tag == "" {
		return false
	}
	for other := range strings.SplitSeq(header, ",") {
		if other = strings.TrimPrefix(strings.TrimSpace(other), "W/"); other == tag || other == "*" {
			return true
		}
	}
	return false
}

// BaseHeaders sets the headers that all responses have.
func BaseHeaders(header http.Header, requestID string) {
	header.Set(requestIDHeader, requestID)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "private, no-cache")
}

// respondError writes an error. Errors that are not an *api.Error are logged and not shown.
func (p *Pipeline) respondError(w *recorder, c *Call, err error) {
	e := c.withChangeRequest(c.correctOutcome(err, PublicError(err)))
	c.allowance.SetHeaders(w.Header())
	c.setIgnoredHeader(w.Header())
	p.WriteError(w, c.requestID, e)
}

// WriteError writes an error in the form common to all responses, within the limits of the contract.
func (p *Pipeline) WriteError(w http.ResponseWriter, requestID string, e api.Error) {
	e.RequestID = requestID
	if r, ok := w.(*recorder); ok {
		r.reason = e.Reason
	}
	header := w.Header()
	BaseHeaders(header, requestID)
	if e.Code == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", `Bearer realm="wsd"`)
	}
	if errors.Is(&e, errEncoding) {
		header.Set("Accept-Encoding", acceptedEncoding)
	}
	if e.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Round(time.Second)/time.Second)))
	}
	header.Set("Content-Type", "application/json; charset=utf-8")
	data, err := json.Marshal(api.ErrorBody{Error: e.Bounded(contractLimits(p.budgets), int(p.budgets.RefusalBytes))})
	if err != nil {
		p.log.Error("error not encoded", "error", err)
	}
	w.WriteHeader(e.Code)
	_, _ = w.Write(api.PlainJSON(data)) // the client has disconnected
}

// PublicError maps any error to the one that is answered. Unknown errors become an internal error without details
// (docs/decisions.md#errors).
func PublicError(err error) api.Error {
	if e, ok := api.AsError(err); ok {
		return *e
	}
	if u, unreadable := objects.AsUnreadable(err); unreadable {
		return *unreadableError(u)
	}
	var exceeded *txn.QuotaError
	switch {
	case errors.Is(err, ErrOldCursor):
		return *api.Errorf(http.StatusBadRequest, api.ReasonInvalidCursor, "The cursor in page is from an earlier version of wsd.").
			WithHint("Begin the list again, without page.")
	case errors.As(err, &exceeded):
		return *QuotaExceeded(exceeded)
	case errors.Is(err, ErrInvalidCursor):
		return *api.Errorf(http.StatusBadRequest, api.ReasonInvalidCursor,
			"The cursor in page is broken, or belongs to another list or other filters.").
			WithHint("Send next.page of the answer before unchanged, with the same filters.")
	case errors.Is(err, txn.ErrOutboxFull):
		return failoverRiskError("Too much of this organization waits for the replicas of the data store; nothing was changed.")
	case errors.Is(err, redis.ErrLagging):
		return failoverRiskError("The replicas of the data store do not follow; nothing was changed.")
	case errors.Is(err, redis.ErrFull):
		return *storeFullError()
	case errors.Is(err, redis.ErrNewerFormat):
		return *api.Errorf(http.StatusServiceUnavailable, api.ReasonNewerForm,
			"A newer wsd has written this data, and this node does not know its form; nothing was changed.").
			WithHint("Whoever runs this server has to bring this node up to date.")
	case errors.Is(err, redis.ErrUpgradePending):
		return *upgradePendingError()
	case errors.Is(err, redis.ErrUnavailable):
		return Unavailable("The data store does not answer; nothing was changed. Try again.")
	case errors.Is(err, txn.ErrBusy):
		return Unavailable("Too many writers at the same place; nothing was changed. Try again.")
	case errors.Is(err, budgets.ErrBusy):
		e := api.Errorf(http.StatusServiceUnavailable, api.ReasonBusy,
			"There is too much slow work (imports, PDFs, comparisons of large texts) at the moment; nothing was changed.").
			WithHint("Try again in a moment.")
		e.RetryAfter = busyRetryAfter
		return *e
	case errors.Is(err, errDisconnected):
		return *api.Errorf(statusClientClosed, api.ReasonGaveUp, "The caller did not wait for the answer.")
	case errors.Is(err, context.DeadlineExceeded):
		return Unavailable("This took too long and was given up; nothing was changed.")
	}
	return *api.Errorf(http.StatusInternalServerError, api.ReasonInternal, "Something went wrong in the server.").
		WithHint("The request id leads to the cause in the server's log.")
}

// correctOutcome corrects an error that states that nothing was changed where that is uncertain: the response to the commit
// was lost, or the commit succeeded and a later step failed. Reads change nothing, although they may schedule a job.
func (c *Call) correctOutcome(err error, e api.Error) api.Error {
	if !c.Endpoint.Row.Writes() {
		return e
	}
	unknown := errors.Is(err, redis.ErrUnknown)
	if !unknown && (e.Code != http.StatusServiceUnavailable || c.trace.Commits() == 0) {
		return e
	}
	message := "The change was begun and what followed failed: it may have been made, whole or in part."
	if unknown {
		message = "The data store broke off while the change was being written: it was made, or nothing was changed."
	}
	e = *api.Errorf(http.StatusServiceUnavailable, api.ReasonOutcomeUnknown, "%s", message)
	if c.HTTP.Header.Get("Idempotency-Key") == "" {
		return *e.WithHint("Look whether it was made before you send it again. With an Idempotency-Key it could be sent again at once.")
	}
	e.RetryAfter = time.Second // without a key, a client that retries would make the change twice
	return *e.WithHint("Send it again with the same Idempotency-Key: what was made is not made twice.")
}

// failoverRiskError returns the refusal of a change that a failover of the data store could lose.
func failoverRiskError(message string) api.Error {
	e := api.Errorf(http.StatusServiceUnavailable, api.ReasonReplicasBehind, "%s", message)
	e.RetryAfter = time.Second
	return *e.WithHint("Try again. If it stays so: wsd doctor says what is wrong with the replicas.")
}

// storeFullError returns the refusal of a change because the data store is full. It has no Retry-After, since an operator
// has to free memory first.
func storeFullError() *api.Error {
	return api.Errorf(http.StatusServiceUnavailable, api.ReasonStoreFull, "The data store is full; nothing was changed. Reading goes on.").
		WithHint("Whoever runs wsd has to make room: wsd doctor says where.")
}

// upgradePendingError returns the refusal of a change that needs a newer format of the data. It has no Retry-After, since an
// operator has to finish the upgrade first.
func upgradePendingError() *api.Error {
	return api.Errorf(http.StatusServiceUnavailable, api.ReasonUpgradePending,
		"This needs the new form of the data, and the upgrade of this server to it is not finished; nothing was changed.").
		WithHint("Whoever runs wsd finishes the upgrade: wsd upgrade --finish. Without that it is finished after WSD_UPGRADE_AFTER.")
}

// busyRetryAfter is the Retry-After of a request that waited for a permit in vain.
const busyRetryAfter = 5 * time.Second

// Unavailable returns a 503 with a Retry-After of one second.
func Unavailable(message string) api.Error {
	e := api.Errorf(http.StatusServiceUnavailable, api.ReasonUnavailable, "%s", message)
	e.RetryAfter = time.Second
	return *e
}
