package app

import (
	"context"
	"errors"
	"net/http"
	"syscall"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// The exit codes, which the help of wsctl lists.
const (
	OK          = 0
	Failed      = 1
	Usage       = 2
	NotFound    = 3
	Denied      = 4
	Conflict    = 5
	Unavailable = 6
	Partial     = 9
	Interrupted = 130
)

// Code returns the code that the process ends with after err. A closed pipe is nobody's failure.
func Code(err error) int {
	var (
		partial     *PartialError
		usage       *UsageError
		conflict    *ConflictError
		unreachable *client.TransportError
	)
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return OK
	case errors.As(err, &partial):
		return Partial
	case errors.Is(err, context.Canceled):
		return Interrupted
	case errors.As(err, &usage):
		return Usage
	case errors.Is(err, ErrQuery):
		return Usage
	case errors.As(err, &conflict):
		return Conflict
	case errors.As(err, &unreachable):
		return Unavailable
	}
	if refused, ok := api.AsError(err); ok {
		return codeOf(refused.Code)
	}
	return Failed
}

func codeOf(status int) int {
	switch status {
	case http.StatusNotFound:
		return NotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return Denied
	case http.StatusConflict, http.StatusPreconditionFailed:
		return Conflict
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return Unavailable
	default:
		return Failed
	}
}
