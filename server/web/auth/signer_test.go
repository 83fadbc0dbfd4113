package auth

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/server/core/access"
)

// TestSignedAddressKeepsReason checks that an address has the reason with which it was signed, and that the signature covers it.
func TestSignedAddressKeepsReason(t *testing.T) {
	t.Parallel()
	s := NewSigner(nil, []byte("a"), nil, fixedClock)
	for _, reason := range []access.Reason{
		{},
		{Organization: "o_1"},
		{Organization: "o_1", Admin: "u_1"},
		{Organization: "o_1", Site: "site_1"},
		{Organization: "o_1", Site: "site_1", ShareLink: "link_1"},
		{Organization: "o_1", Site: "site_1", Token: true},
	} {
		want := SignedAddress{Space: "s_1", Object: "hash", Reason: reason}
		signed := s.Sign(want, FileRounding)
		if got, ok, err := s.Open(t.Context(), signed); !ok || err != nil || got != want {
			t.Errorf("%s is %+v, valid: %t, %v; want %+v", signed, got, ok, err, want)
		}
		parts := strings.Split(signed, ".")
		without := strings.Join(append(parts[:3:3], parts[len(parts)-1]), ".")
		if _, ok, _ := s.Open(t.Context(), without); ok != (reason == access.Reason{}) {
			t.Errorf("%s is valid without its reason: %t", signed, ok)
		}
	}
}

// TestAddressOf010IsValid checks that an address that 0.1.0 has signed is valid until it expires, and has no reason.
func TestAddressOf010IsValid(t *testing.T) {
	t.Parallel()
	const signed = "s_1.hash.s44zhc.gY9lR6z-TnL4v9FrPL3IL7mRYPY1JDcoyaHWwR5qH5Y"
	want := SignedAddress{Space: "s_1", Object: "hash"}
	if got, ok, err := NewSigner(nil, []byte("a"), nil, fixedClock).Open(t.Context(), signed); !ok || err != nil || got != want {
		t.Errorf("the address is %+v, valid: %t, %v", got, ok, err)
	}
	later := func() time.Time { return fixedClock().Add(rawLifetime + FileRounding) }
	if _, ok, _ := NewSigner(nil, []byte("a"), nil, later).Open(t.Context(), signed); ok {
		t.Error("the address is valid after its hour")
	}
}
