package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/listen"
)

// maxMessageBuffer is the capacity of the buffer that a stream keeps between two calls of Flush.
const maxMessageBuffer = 16 << 10

// Messages mounts an operation with api.Row.Stream. open checks the input and returns the function that sends the messages, and
// whose context ends with the connection. An error of open is answered like that of any operation. An error of the function closes
// the connection, so that the client notices that the stream is incomplete. For a call with HeadersOnly, the function is not called.
func Messages[In, Out any](route api.Route[In, Out], need auth.Need,
	open func(context.Context, *Call, In) (func(context.Context, *MessageStream) error, error),
) Endpoint {
	return Op(route, need, func(ctx context.Context, c *Call, in In) (Result[Out], error) {
		send, err := open(ctx, c, in)
		return Result[Out]{messages: send}, err
	})
}

// MessageStream sends server-sent events to the client. It is used by one goroutine.
type MessageStream struct {
	writer    http.ResponseWriter
	control   *http.ResponseController
	writeTime time.Duration // time for the client to take what one call of Flush sends
	buffer    bytes.Buffer
}

// Add adds a message to those that Flush sends. Its data has no line breaks, as those of JSON.
func (s *MessageStream) Add(m api.EventMessage) error {
	name, id, data, err := m.Fields()
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	for _, field := range []struct{ name, value string }{{"event", name}, {"id", id}, {"data", string(api.PlainJSON(data))}} {
		if field.value != "" {
			s.buffer.WriteString(field.name + ": " + field.value + "\n")
		}
	}
	s.buffer.WriteByte('\n')
	return nil
}

// Flush sends the added messages. It returns an error if the client does not take them in time.
func (s *MessageStream) Flush() error {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.writeTime)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set the deadline of a message: %w", err)
	}
	_, err := s.writer.Write(s.buffer.Bytes())
	if s.buffer.Reset(); s.buffer.Cap() > maxMessageBuffer {
		s.buffer = bytes.Buffer{}
	}
	if err == nil {
		err = s.control.Flush()
	}
	if err != nil {
		return fmt.Errorf("send messages: %w", err)
	}
	return nil
}

// HeadersOnly reports whether the request is for the status and the headers of the answer only, so that a stream is not begun.
func (c *Call) HeadersOnly() bool { return c.HTTP.Method == http.MethodHead }

// sendMessages answers with a stream of messages. The limits of the time of a request and of connections per address do not apply:
// streams have budgets of their own.
func (p *Pipeline) sendMessages(w *recorder, c *Call, result Result[any]) error {
	header := w.Header()
	header.Set("Content-Type", api.MediaEventStream)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // proxies send each message at once
	if c.HeadersOnly() {
		w.WriteHeader(c.Endpoint.Row.Status)
		return nil
	}
	header.Set("Connection", "close") // the connection is no longer counted
	listen.ExemptConnection(c.HTTP)
	p.recordUse(c.baseContext, c, w)
	s := &MessageStream{writer: w, control: http.NewResponseController(w), writeTime: time.Duration(p.budgets.StreamWrite)}
	w.WriteHeader(c.Endpoint.Row.Status)
	w.incomplete = true // also if the function panics
	err := result.messages(c.baseContext, s)
	if w.incomplete = err != nil; err != nil {
		p.log.Debug("stream has ended", c.logMembers("error", err)...)
	}
	return nil
}

// Renew returns the call with the caller as they are now: token, account and membership are read again. It returns an error if the
// caller may no longer perform the operation. It is for operations that last.
func (c *Call) Renew(ctx context.Context) (*Call, error) {
	p := c.pipeline
	credential, present, err := auth.Bearer(c.HTTP)
	if err != nil || !present {
		return nil, errors.Join(err, errNoCredential)
	}
	b := p.store.NewBatch()
	id := p.queueIdentity(b, credential)
	renewed := *c
	renewed.ctx, renewed.Guards = ctx, nil
	renewed.Model = b.FollowDeferred(c.Org)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the caller again: %w", err)
	}
	if err := p.identify(&renewed, id); err != nil {
		return nil, err
	}
	if err := p.checkTokenOrganization(&renewed); err != nil {
		return nil, err
	}
	if err := renewed.loadOrganization(); err != nil {
		return nil, err
	}
	return &renewed, p.authorize(&renewed)
}

// errNoCredential is the error of Call.Renew for an anonymous caller.
var errNoCredential = errors.New("the call has no credential")
