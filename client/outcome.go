package client

import (
	"context"
	"errors"
	"net"
	"net/http"

	"docspace.dev/wsd/client/api"
)

// UnknownOutcomeError reports that a write was sent and may have been applied: there was no response, or one that
// leaves the outcome open. Sending the write again with Key applies it at most once. It wraps the cause.
type UnknownOutcomeError struct {
	Key string // Idempotency-Key of the write
	Err error
}

// Error implements error.
func (e *UnknownOutcomeError) Error() string {
	return e.Err.Error() + "; whether it was carried out is not known"
}

// Unwrap returns the cause.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// outcome tracks a write over its attempts, which all have the same key.
type outcome struct {
	key     string // "" for a read
	unknown bool
}

// wrap returns the error of an attempt, wrapped if the write may have been applied by this or an earlier attempt. A
// response of wsd about the request itself is conclusive, because the server recognizes the key. A success or a failure that
// another program reports is not: it may be a proxy that has passed the request on.
func (o *outcome) wrap(err error) error {
	if err == nil || o.key == "" {
		return err
	}
	refused, answered := api.AsError(err)
	invalid, isInvalid := errors.AsType[*InvalidResponseError](err)
	_, unsent := errors.AsType[*tokenError](err)
	switch {
	case unsent:
	case isInvalid:
		o.unknown = o.unknown || invalid.Status/100 == 2 || invalid.Status/100 == 5
	case answered && !isTemporary(refused.Code):
		o.unknown = false
	case answered:
		o.unknown = o.unknown || refused.Reason == api.ReasonOutcomeUnknown || isGatewayError(refused.Code)
	default:
		o.unknown = o.unknown || mayHaveArrived(err)
	}
	if !o.unknown {
		return err
	}
	return &UnknownOutcomeError{Key: o.key, Err: err}
}

// interrupted returns the error of a call whose context has ended while it waited after an attempt that failed with err: that
// of the context if it was canceled, because the caller does not want the answer any more, and otherwise err.
func (o *outcome) interrupted(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if !o.unknown {
		return ctx.Err()
	}
	return &UnknownOutcomeError{Key: o.key, Err: ctx.Err()}
}

// isGatewayError reports whether the response came from an intermediary instead of wsd.
func isGatewayError(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// mayHaveArrived reports whether a request without response may have reached the server, that is, whether a connection was
// made.
func mayHaveArrived(err error) bool {
	if _, ok := errors.AsType[*TransportError](err); !ok {
		return false
	}
	network, ok := errors.AsType[*net.OpError](err)
	return !ok || network.Op != "dial"
}
