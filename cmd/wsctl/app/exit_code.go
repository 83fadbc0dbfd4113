package app

import (
	"context"
	"errors"
	"net/http"
	"syscall"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/oauth"
)

// Exit codes of wsctl, as listed in its help.
const (
	ExitOK          = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNotFound    = 3
	ExitDenied      = 4
	ExitConflict    = 5
	ExitUnavailable = 6
	ExitDifferent   = 7
	ExitPartial     = 9
	ExitInterrupted = 130
)

// ErrDiffers is the outcome of a comparison that found differences. It is not reported.
var ErrDiffers = errors.New("there are differences")

// ExitCode returns the exit code of the process for err. A closed output pipe is not a failure.
func ExitCode(err error) int {
	var (
		unprinted   *UnprintedError
		partial     *PartialError
		several     *SeveralError
		usage       *UsageError
		conflict    *ConflictError
		login       *oauth.Error
		unreachable *client.TransportError
	)
	switch {
	case errors.Is(err, ErrDiffers):
		return ExitDifferent
	case errors.As(err, &unprinted):
		return ExitFailed
	case err == nil, errors.Is(err, syscall.EPIPE):
		return ExitOK
	case errors.As(err, &partial), errors.As(err, &several):
		return ExitPartial
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case errors.As(err, &usage):
		return ExitUsage
	case errors.As(err, &conflict):
		return ExitConflict
	case errors.As(err, &unreachable):
		return ExitUnavailable
	case errors.As(err, &login):
		return exitCodeOfStatus(login.Status)
	}
	if refused, ok := api.AsError(err); ok {
		return exitCodeOfStatus(refused.Code)
	}
	return ExitFailed
}

func exitCodeOfStatus(status int) int {
	switch status {
	case http.StatusNotFound:
		return ExitNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return ExitDenied
	case http.StatusConflict, http.StatusPreconditionFailed:
		return ExitConflict
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return ExitUnavailable
	default:
		return ExitFailed
	}
}
