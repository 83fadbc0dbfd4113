package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// MinSecret is the minimum length of the server's secret in bytes.
const MinSecret = 32

// Lifetimes and roundings of signed addresses.
const (
	// Download addresses are valid for an hour. The expiry of those of files is rounded up, so that the address of a
	// file, and the ETag of responses with it, stays the same for some time.
	rawLifetime  = time.Hour
	FileRounding = 10 * time.Minute
	PDFRounding  = time.Second
)

// SignedAddress is the content of a signed address. Space is the owner of the object: a space, a specification or store.IntegrationContent.
type SignedAddress struct {
	Space  string
	Object string // hash of a manifest, or the name of something that is made when it is read
	Reason access.Reason
}

// Signer signs and verifies addresses that are valid without a token: an HMAC over the object, the expiry and the reason. It signs
// with the secret of the data, and accepts signatures of every secret that Ring.Accepted returns.
type Signer struct {
	ring  Ring
	clock redis.Clock
}

// NewSigner returns a Signer with the server's secret and, while it replaces another, the old one, which may be empty. State may
// be nil for data without fingerprints.
func NewSigner(state State, secret, old []byte, clock redis.Clock) Signer {
	return Signer{ring: NewRing(state, redis.Secret{Name: SecretVariable, Value: secret, Old: old}), clock: clock}
}

// Ring returns the secrets of the signer.
func (s Signer) Ring() Ring { return s.ring }

// Sign returns a signed address. Its expiry is in an hour, rounded up to a multiple of rounding. Without a reason it has the form that
// 0.1.0 gives to all addresses.
func (s Signer) Sign(a SignedAddress, rounding time.Duration) string {
	expiry := s.clock().Add(rawLifetime + rounding - 1).Truncate(rounding).Unix()
	parts := []string{a.Space, a.Object, strconv.FormatInt(expiry, 36)}
	if reason := a.Reason.String(); reason != "" {
		parts = append(parts, reason)
	}
	text := strings.Join(parts, ".")
	return text + "." + mac(s.ring.Current(), text)
}

// derive returns a secret derived from an id and the server's secret, which can be shown again without being stored.
func derive(key []byte, purpose, id string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(purpose + "\x00" + id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil))
}

func mac(key []byte, text string) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("raw\x00" + text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Open verifies a signed address. ok is false if the text is not signed by s or has expired. The caller checks the reason.
func (s Signer) Open(ctx context.Context, signed string) (a SignedAddress, ok bool, err error) {
	at := strings.LastIndexByte(signed, '.')
	if at < 0 {
		return a, false, nil
	}
	keys, err := s.ring.AcceptedNow(ctx)
	if err != nil || !slices.ContainsFunc(keys, func(key []byte) bool {
		return hmac.Equal([]byte(mac(key, signed[:at])), []byte(signed[at+1:]))
	}) {
		return a, false, err
	}
	a, ok = s.parse(signed[:at])
	return a, ok, nil
}

// parse returns the address of a text whose signature is valid. ok is false if it has expired.
func (s Signer) parse(text string) (a SignedAddress, ok bool) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 && len(parts) != 4 {
		return a, false
	}
	a.Space, a.Object = parts[0], parts[1]
	if len(parts) == 4 {
		a.Reason = access.ParseReason(parts[3])
	}
	expiry, err := strconv.ParseInt(parts[2], 36, 64)
	left := time.Unix(expiry, 0).Sub(s.clock())
	// a longer lifetime was signed with a wrong clock
	return a, err == nil && left > 0 && left <= rawLifetime+2*FileRounding
}

// EncryptCookie encrypts a text that the server gets back from a client, which cannot read it.
func (s Signer) EncryptCookie(text, purpose string) (string, error) {
	return EncryptFor(derive(s.ring.Current(), cookiePurpose, purpose), text, purpose)
}

// DecryptCookie returns the text that EncryptCookie has encrypted for the same purpose. ok is false for other texts.
func (s Signer) DecryptCookie(ctx context.Context, sealed, purpose string) (text string, ok bool, err error) {
	keys, err := s.ring.AcceptedNow(ctx)
	if err != nil {
		return "", false, err
	}
	for _, key := range keys {
		if text, err := DecryptFor(derive(key, cookiePurpose, purpose), sealed, purpose); err == nil {
			return text, true, nil
		}
	}
	return "", false, nil
}

// Purposes of derived secrets.
const (
	cookiePurpose = "cookie"
	sharePurpose  = "share"
	invitePurpose = "invite"
)

// ShareKey returns the key of a share link, which is derived from the link's id.
func (s Signer) ShareKey(link string) string { return derive(s.ring.Current(), sharePurpose, link) }

// InviteSecret returns the secret of an invite link, which is derived from the link's id.
func (s Signer) InviteSecret(link string) string {
	return derive(s.ring.Current(), invitePurpose, link)
}

// ShareDigests returns the digests of the keys that open a new share link.
func (s Signer) ShareDigests(ctx context.Context, link string) (store.Digests, error) {
	return s.digests(ctx, sharePurpose, link)
}

// InviteDigests returns the digests of the secrets that open a new invite link.
func (s Signer) InviteDigests(ctx context.Context, link string) (store.Digests, error) {
	return s.digests(ctx, invitePurpose, link)
}

// digests returns the digest of a derived secret, and that of the other accepted server secret if there is one: another node
// may show the link with it. It returns an api.Error with api.ReasonSecret if this node must not store a link.
func (s Signer) digests(ctx context.Context, purpose, id string) (d store.Digests, err error) {
	current, fingerprints, err := s.ring.forStoring(ctx)
	if err != nil {
		return d, err
	}
	key := s.ring.values[current].secret
	d.Digest = Digest(derive(key, purpose, id))
	for _, other := range s.ring.accepted(fingerprints) {
		if !hmac.Equal(other, key) {
			d.Second = Digest(derive(other, purpose, id))
		}
	}
	return d, nil
}
