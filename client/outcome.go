package client

import (
	"errors"
	"net"
	"net/http"

	"docspace.dev/wsd/client/api"
)

// UnknownOutcomeError says that a write was sent and that nobody knows whether it was carried out: no answer came, or
// one that says so. Sending it again with the key carries it out once at most. It wraps what went wrong.
type UnknownOutcomeError struct {
	Key string // the Idempotency-Key that it was sent with
	Err error
}

// Error implements error.
func (e *UnknownOutcomeError) Error() string {
	return e.Err.Error() + "; whether it was carried out is not known"
}

// Unwrap returns what went wrong.
func (e *UnknownOutcomeError) Unwrap() error { return e.Err }

// outcome follows one write over its attempts, which all carry the key.
type outcome struct {
	key     string // "" for what is no write
	unknown bool
}

// of returns the error of an attempt, marked when the write may have been carried out by it or by an earlier one. An
// answer about the request itself settles the matter: the server knows its key.
func (o *outcome) of(err error) error {
	if err == nil || o.key == "" {
		return err
	}
	refused, answered := api.AsError(err)
	switch {
	case answered && !passing(refused.Code):
		o.unknown = false
	case answered:
		o.unknown = o.unknown || refused.Reason == api.ReasonOutcomeUnknown || gatewayGaveUp(refused.Code)
	default:
		o.unknown = o.unknown || sent(err)
	}
	if !o.unknown {
		return err
	}
	return &UnknownOutcomeError{Key: o.key, Err: err}
}

// gatewayGaveUp reports whether something between here and wsd answered in its place.
func gatewayGaveUp(status int) bool {
	return status == http.StatusBadGateway || status == http.StatusGatewayTimeout
}

// sent reports whether a request without an answer may have reached the server: there was a connection to send it on.
func sent(err error) bool {
	if _, ok := errors.AsType[*TransportError](err); !ok {
		return false
	}
	network, ok := errors.AsType[*net.OpError](err)
	return !ok || network.Op != "dial"
}
