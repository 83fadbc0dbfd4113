package auth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

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

// Signer signs and verifies addresses that are valid without a token: an HMAC over the object and the expiry.
type Signer struct {
	key   []byte
	clock redis.Clock
}

// NewSigner returns a Signer with the server's secret.
func NewSigner(secret []byte, clock redis.Clock) Signer { return Signer{key: secret, clock: clock} }

// Sign returns a signed text for reading a manifest. Its expiry is in an hour, rounded up to a multiple of rounding.
func (s Signer) Sign(space, manifest string, rounding time.Duration) string {
	expiry := s.clock().Add(rawLifetime + rounding - 1).Truncate(rounding).Unix()
	text := strings.Join([]string{space, manifest, strconv.FormatInt(expiry, 36)}, ".")
	return text + "." + s.mac(text)
}

// Derive returns a secret derived from an id and the server's secret, which can be shown again without being stored.
func (s Signer) Derive(purpose, id string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte(purpose + "\x00" + id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil))
}

func (s Signer) mac(text string) string {
	h := hmac.New(sha256.New, s.key)
	h.Write([]byte("raw\x00" + text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Open verifies a signed text and returns its space and manifest. ok is false if the text is not signed by s or has expired.
func (s Signer) Open(signed string) (space, manifest string, ok bool) {
	at := strings.LastIndexByte(signed, '.')
	if at < 0 || !hmac.Equal([]byte(s.mac(signed[:at])), []byte(signed[at+1:])) {
		return "", "", false
	}
	parts := strings.Split(signed[:at], ".")
	if len(parts) != 3 {
		return "", "", false
	}
	expiry, err := strconv.ParseInt(parts[2], 36, 64)
	left := time.Unix(expiry, 0).Sub(s.clock())
	// a longer lifetime was signed with a wrong clock
	return parts[0], parts[1], err == nil && left > 0 && left <= rawLifetime+2*FileRounding
}

// ShareKey returns the key of a share link, which is derived from the link's id.
func (s Signer) ShareKey(link string) string {
	return s.Derive("share", link)
}

// InviteSecret returns the secret of an invite link, which is derived from the link's id.
func (s Signer) InviteSecret(link string) string {
	return s.Derive("invite", link)
}
