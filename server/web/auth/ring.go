package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
)

// State provides the fingerprints of the secrets of the data. It is implemented by *store.Store.
type State interface {
	// KnownFingerprints returns the fingerprints that were read last.
	KnownFingerprints() map[string]string
	// Fingerprints reads the fingerprints.
	Fingerprints(ctx context.Context) (map[string]string, error)
	// SealingFingerprints reads the fingerprints for a value that is about to be stored. It returns redis.ErrLeaseOver if
	// this node must not store one.
	SealingFingerprints(ctx context.Context) (map[string]string, error)
}

// noState is the State of data without fingerprints.
type noState struct{}

func (noState) KnownFingerprints() map[string]string { return nil }

func (noState) Fingerprints(context.Context) (map[string]string, error) { return nil, nil }

func (noState) SealingFingerprints(context.Context) (map[string]string, error) { return nil, nil }

// Ring holds the values of a secret that this node has: the configured one and, while it replaces another, the old one. The
// fingerprints of the data say which of them is in effect. The zero Ring has no value.
type Ring struct {
	name   string
	state  State
	values []ringValue // the configured one first
}

type ringValue struct {
	secret      []byte
	fingerprint string
}

// NewRing returns the Ring of a secret; state may be nil for data without fingerprints.
func NewRing(state State, secret redis.Secret) Ring {
	r := Ring{name: secret.Name, state: state}
	if state == nil {
		r.state = noState{}
	}
	for _, value := range [][]byte{secret.Value, secret.Old} {
		if len(value) > 0 {
			r.values = append(r.values, ringValue{value, redis.Secret{Name: secret.Name, Value: value}.Fingerprint()})
		}
	}
	return r
}

// Current returns the value that is in effect according to the fingerprints that were read last, or the configured one if
// this node does not hold it.
func (r Ring) Current() []byte {
	if len(r.values) == 0 {
		return nil
	}
	return r.values[max(0, r.current(r.state.KnownFingerprints()))].secret
}

// current returns the index of the value in effect, or -1 if this node does not hold it.
func (r Ring) current(fingerprints map[string]string) int {
	recorded := fingerprints[r.name]
	return slices.IndexFunc(r.values, func(v ringValue) bool { return recorded == "" || v.fingerprint == recorded })
}

// Accepted returns the values whose signatures are valid according to the fingerprints that were read last.
func (r Ring) Accepted() [][]byte { return r.accepted(r.state.KnownFingerprints()) }

// AcceptedNow is Accepted with fingerprints that are read now, if they can make a difference.
func (r Ring) AcceptedNow(ctx context.Context) ([][]byte, error) {
	if len(r.values) < 2 {
		return r.Accepted(), nil
	}
	fingerprints, err := r.state.Fingerprints(ctx)
	return r.accepted(fingerprints), err
}

// accepted returns the value in effect, the one that it replaced, and the one that is about to replace it.
func (r Ring) accepted(fingerprints map[string]string) (values [][]byte) {
	current := r.current(fingerprints)
	old := fingerprints[redis.OldSecretName(r.name)]
	for i, v := range r.values {
		isNext := i == 0 && current == 1
		if fingerprints[r.name] == "" || i == current || v.fingerprint == old || isNext {
			values = append(values, v.secret)
		}
	}
	return values
}

// secretError is returned for a value that this node must not store, because the data has a secret that it does not hold, or may
// have one.
func secretError() *api.Error {
	e := api.Errorf(http.StatusServiceUnavailable, api.ReasonSecret,
		"This node does not know whether it has the secrets of the data; nothing was changed.").
		WithHint("Try again. If it stays so, whoever runs this server finds out more by wsd doctor.")
	e.RetryAfter = time.Second
	return e
}

// forStoring returns the index of the value in effect and the fingerprints of the data, which it reads. It returns an
// api.Error with api.ReasonSecret if this node does not hold that value or its lease is over.
func (r Ring) forStoring(ctx context.Context) (current int, fingerprints map[string]string, err error) {
	fingerprints, err = r.state.SealingFingerprints(ctx)
	if errors.Is(err, redis.ErrLeaseOver) {
		return 0, nil, secretError()
	}
	if err != nil {
		return 0, nil, err
	}
	if current = r.current(fingerprints); current < 0 {
		return 0, nil, secretError()
	}
	return current, fingerprints, nil
}
