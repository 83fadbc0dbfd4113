package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"mime"
	"net/http"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

const (
	// streamSilence is the minimum of the time without a byte after which the connection of a stream is given up. The server sends a
	// message every 15 seconds.
	streamSilence = 40 * time.Second
	// maxMessage is the maximum size of a message of a stream in bytes.
	maxMessage = 1 << 20
)

// message is a server-sent event (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type message struct {
	name, id string
	data     []byte
}

// errStopped reports that the caller of an iterator has left its loop.
var errStopped = errors.New("the loop has ended")

// stream performs an operation with api.Row.Stream. See Messages.
func stream[In, Out any](ctx context.Context, c *Client, route api.Route[In, Out], in In, options []CallOption) iter.Seq2[Out, error] {
	return func(yield func(Out, error) bool) {
		req, err := Encode(route.Row, in)
		if err != nil {
			var none Out
			yield(none, err)
			return
		}
		Messages[Out](ctx, c, req, options...)(yield)
	}
}

// Messages sends a request of an operation with api.Row.Stream, whose output is Out, and yields the messages. It goes on after the
// last message when the server ends the stream or the connection breaks, unless the query parameter follow is false and the server
// has ended it. A failure is yielded with the zero value and ends the sequence: what Client.Do does not retry, and, before the first
// message, also what it would have retried in vain.
func Messages[Out any](ctx context.Context, c *Client, req Request, options ...CallOption) iter.Seq2[Out, error] {
	return func(yield func(Out, error) bool) {
		err := c.follow(ctx, req, collectOptions(options), func(m message, response Response) error {
			var out Out
			target, ok := any(&out).(interface {
				SetFields(name, id string, data []byte) error
			})
			if !ok {
				return fmt.Errorf("%T is no message of a stream", out)
			}
			if err := target.SetFields(m.name, m.id, m.data); err != nil {
				return newInvalidResponseError(c.baseURL, response, err)
			}
			if !yield(out, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			var none Out
			yield(none, err)
		}
	}
}

// follow calls receive with the messages of a stream, over as many connections as needed.
func (c *Client) follow(ctx context.Context, req Request, s settings, receive func(message, Response) error) error {
	req.Query = maps.Clone(req.Query)
	endless, received := req.Query.Get("follow") != "false", false
	for attempt := 1; ; attempt++ {
		var failed error
		messages := 0
		err := c.receive(ctx, req, s, func(m message, response Response) error {
			received = true
			if messages++; messages > 1 || m.data != nil { // the first message only confirms the position
				attempt = 1
			}
			if m.id != "" {
				s.header.Set(api.LastEventID, m.id)
			}
			failed = receive(m, response)
			return failed
		})
		switch {
		case failed != nil:
			return failed
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil && !endless:
			return nil
		case err == nil:
			err = errStreamEnded
		}
		pause, again := c.backoff(min(attempt, maxStreamBackoff), err)
		if !again || !received && attempt > c.retries {
			return err
		}
		if pause > quietWait {
			c.onWait(Wait{For: pause, Attempt: attempt, Cause: err})
		}
		if err := c.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// errStreamEnded is the cause of a further connection after the server has ended a stream.
var errStreamEnded error = &TransportError{Err: errors.New("the server has ended the stream")}

// maxStreamBackoff is the number of the attempt from which the pause between two connections of a stream no longer grows.
const maxStreamBackoff = 6

// receive reads the messages of one connection. It returns nil if the server has ended the stream.
func (c *Client) receive(ctx context.Context, req Request, s settings, receive func(message, Response) error) error {
	return c.withToken(ctx, req, func(token string) error { return c.receiveWith(ctx, req, s, token, receive) })
}

func (c *Client) receiveWith(ctx context.Context, req Request, s settings, token string, receive func(message, Response) error) error {
	watched, w := c.startWatch(ctx, false, func(Silence) {})
	defer w.stop()
	w.idle = max(c.timeout, streamSilence)
	r, err := c.newRequest(watched, w, req, s, token)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", api.MediaEventStream)
	answer, err := c.http.Do(r)
	if err != nil {
		err = newConnectionError(c.baseURL, w.cause(ctx, err))
		c.logger.DebugContext(ctx, "no answer", "method", r.Method, "url", logged{r.URL}, "error", err)
		return err
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	body := w.reader(answer.Body)
	response := Response{Status: answer.StatusCode, Header: answer.Header}
	c.logger.DebugContext(ctx, "answer", "method", r.Method, "url", logged{r.URL}, "status", response.Status,
		"requestId", response.RequestID())
	if s.response != nil {
		*s.response = response
	}
	media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if answer.StatusCode != http.StatusOK || media != api.MediaEventStream {
		if response.Body, err = io.ReadAll(io.LimitReader(body, 1<<16)); err != nil {
			return newTransportError(c.baseURL, w.cause(ctx, err))
		}
		if answer.StatusCode < 200 || answer.StatusCode > 299 {
			return decodeError(c.baseURL, response)
		}
		return newInvalidResponseError(c.baseURL, response, errNoStream)
	}
	scanner := bufio.NewScanner(body)
	scanner.Buffer(nil, maxMessage)
	err = scanMessages(scanner, func(m message) error {
		w.pause() // the caller may take its time
		defer w.reset(w.idle)
		return receive(m, response)
	})
	if errors.Is(err, bufio.ErrTooLong) {
		return newInvalidResponseError(c.baseURL, response, err)
	}
	if err != nil {
		return newTransportError(c.baseURL, w.cause(ctx, err))
	}
	return nil
}

// errNoStream is the reason why a success is not the answer of an operation with api.Row.Stream.
var errNoStream = errors.New("no stream of events")

// scanMessages calls receive with each complete message. Comments, times and unknown fields are ignored.
func scanMessages(lines *bufio.Scanner, receive func(message) error) error {
	var m message
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			m.name = value
		case "id":
			m.id = value
		case "data":
			if m.data != nil {
				m.data = append(m.data, '\n')
			}
			m.data = append(m.data, value...)
		case "":
			if len(lines.Bytes()) > 0 { // a comment
				continue
			}
			if m.name == "" && m.id == "" && m.data == nil {
				continue
			}
			if err := receive(m); err != nil {
				return err
			}
			m = message{}
		}
		if len(m.data) > maxMessage {
			return bufio.ErrTooLong
		}
	}
	return lines.Err()
}
