package importer

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/temoto/robotstxt"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
)

const (
	robotsAgent = "wsd"
	robotsSize  = 512 << 10
)

// fetchRobots fetches a site's robots.txt. If the site has none, everything is allowed; if it cannot be read, nothing is
// (RFC 9309, 2.3.1).
func (i *Importer) fetchRobots(ctx context.Context, site string) (*robotstxt.Group, error) {
	at := site + "/robots.txt"
	status, body := http.StatusOK, []byte(nil)
	resume := budgets.PauseWork(ctx)
	resp, err := i.fetcher.GetUpTo(ctx, at, robotsSize)
	resume()
	var failure *fetch.Error
	switch {
	case err == nil:
		body = resp.Body
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &failure) && failure.Status >= 400 && failure.Status < 500:
		status = http.StatusNotFound
	default:
		return nil, &Error{Field: "url", Message: "robots.txt decides what may be imported, but " + err.Error(), Err: err}
	}
	data, err := robotstxt.FromStatusAndBytes(status, body)
	if err != nil {
		return nil, &Error{Field: "url", Message: at + ": it cannot be parsed", Err: err}
	}
	return data.FindGroup(robotsAgent), nil
}

// isAllowed reports whether robots.txt allows a URL.
func isAllowed(group *robotstxt.Group, u *url.URL) bool {
	return group.Test(pathOrRoot(u.EscapedPath()))
}
