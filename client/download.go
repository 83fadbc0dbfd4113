package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
)

// Download copies the file at a downloadURL to w and returns the number of bytes written. The URL is signed, so the
// token is not sent. Failed downloads are not retried, because w may have received a part of the file.
func (c *Client) Download(ctx context.Context, address string, w io.Writer) (int64, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return 0, fmt.Errorf("%q is not an address to download from", address)
	}
	var noticed sync.Once
	watched, watch := c.startWatch(ctx, false, func(silence Silence) { noticed.Do(func() { c.onSilence(silence) }) })
	defer watch.stop()
	r, err := http.NewRequestWithContext(watched, http.MethodGet, address, http.NoBody)
	if err != nil {
		return 0, err
	}
	r.Header.Set("User-Agent", c.userAgent)
	server := u.Scheme + "://" + u.Host
	answer, err := c.http.Do(r)
	if err != nil {
		return 0, newConnectionError(server, watch.cause(ctx, err))
	}
	defer func() { _ = answer.Body.Close() }() // only read from
	if answer.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
		return 0, decodeError(server, Response{Status: answer.StatusCode, Header: answer.Header, Body: body})
	}
	n, err := io.Copy(w, watch.reader(answer.Body))
	if err != nil {
		err = watch.cause(ctx, err)
	}
	if err == nil && answer.ContentLength >= 0 && n != answer.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
