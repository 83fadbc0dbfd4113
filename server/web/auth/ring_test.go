package auth

import (
	"context"
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
)

// fixedState is a State with given fingerprints.
type fixedState struct {
	fingerprints map[string]string
	err          error // of SealingFingerprints
}

func (s fixedState) KnownFingerprints() map[string]string { return s.fingerprints }

func (s fixedState) Fingerprints(context.Context) (map[string]string, error) {
	return s.fingerprints, nil
}

func (s fixedState) SealingFingerprints(context.Context) (map[string]string, error) {
	return s.fingerprints, s.err
}

// TestRingUsesFingerprintsOfData checks which values are in effect and accepted before, during and after a replacement, and whether a
// node may store what depends on them.
func TestRingUsesFingerprintsOfData(t *testing.T) {
	t.Parallel()
	fingerprint := func(value string) string {
		return redis.Secret{Name: SecretVariable, Value: []byte(value)}.Fingerprint()
	}
	for name, c := range map[string]struct {
		value, old     string // held
		data, replaced string // of the data
		leaseOver      bool

		current, accepted string
		stores            bool
	}{
		"no fingerprints":         {value: "a", current: "a", accepted: "[a]", stores: true},
		"one secret":              {value: "a", data: "a", current: "a", accepted: "[a]", stores: true},
		"lease over":              {value: "a", data: "a", leaseOver: true, current: "a", accepted: "[a]"},
		"before the replacement":  {value: "b", old: "a", data: "a", current: "a", accepted: "[b a]", stores: true},
		"old secret only, before": {value: "a", data: "a", current: "a", accepted: "[a]", stores: true},
		"during the replacement":  {value: "b", old: "a", data: "b", replaced: "a", current: "b", accepted: "[b a]", stores: true},
		"new secret only, during": {value: "b", data: "b", replaced: "a", current: "b", accepted: "[b]", stores: true},
		"old secret only, during": {value: "a", data: "b", replaced: "a", current: "a", accepted: "[a]"},
		"replacement of a leaked secret": {
			value: "b", old: "a", data: "b", replaced: "ending", current: "b", accepted: "[b]", stores: true,
		},
		"after the replacement":  {value: "b", old: "a", data: "b", current: "b", accepted: "[b]", stores: true},
		"old secret only, after": {value: "a", data: "b", current: "a", accepted: "[]"},
	} {
		state := fixedState{fingerprints: map[string]string{}}
		if c.data != "" {
			state.fingerprints[SecretVariable] = fingerprint(c.data)
		}
		if c.replaced != "" {
			state.fingerprints[redis.OldSecretName(SecretVariable)] = fingerprint(c.replaced)
		}
		if c.leaseOver {
			state.err = redis.ErrLeaseOver
		}
		r := NewRing(state, redis.Secret{Name: SecretVariable, Value: []byte(c.value), Old: []byte(c.old)})
		if got := string(r.Current()); got != c.current {
			t.Errorf("%s: %s is in effect, want %s", name, got, c.current)
		}
		if got := fmt.Sprintf("%s", r.Accepted()); got != c.accepted {
			t.Errorf("%s: %s are accepted, want %s", name, got, c.accepted)
		}
		_, _, err := r.forStoring(t.Context())
		if c.stores != (err == nil) || err != nil && !api.IsReason(err, api.ReasonSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSignedAddressesUseFingerprintsOfData checks that an address that was signed with the old secret opens until the replacement is
// finished, and one of a secret that the data never had does not.
func TestSignedAddressesUseFingerprintsOfData(t *testing.T) {
	t.Parallel()
	fingerprint := func(value string) string {
		return redis.Secret{Name: SecretVariable, Value: []byte(value)}.Fingerprint()
	}
	signed := NewSigner(nil, []byte("a"), nil, fixedClock).Sign(SignedAddress{Space: "s_1", Object: "hash"}, FileRounding)
	for name, c := range map[string]struct {
		fingerprints map[string]string
		want         bool
	}{
		"before":   {map[string]string{SecretVariable: fingerprint("a")}, true},
		"during":   {map[string]string{SecretVariable: fingerprint("b"), redis.OldSecretName(SecretVariable): fingerprint("a")}, true},
		"finished": {map[string]string{SecretVariable: fingerprint("b")}, false},
	} {
		s := NewSigner(fixedState{fingerprints: c.fingerprints}, []byte("b"), []byte("a"), fixedClock)
		if _, ok, err := s.Open(t.Context(), signed); ok != c.want || err != nil {
			t.Errorf("%s: opens %t, %v", name, ok, err)
		}
	}
}

func fixedClock() time.Time { return time.UnixMilli(1_700_000_000_000) }
