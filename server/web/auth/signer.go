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

// MinSecret is how many bytes the server's secret has at least.
const MinSecret = 32

// Roundings of the addresses that the server signs.
const (
	// A download address is valid for an hour. That of a file is rounded up, so that the file has the same address,
	// and what shows it the same ETag, for some time.
	rawLifetime  = time.Hour
	FileRounding = 10 * time.Minute
	PDFRounding  = time.Second
)

// Signer makes and checks addresses that serve bytes without a token: an HMAC over the object and the expiry.
type Signer struct {
	key   []byte
	clock redis.Clock
}

// NewSigner returns a signer with the server's secret.
func NewSigner(secret []byte, clock redis.Clock) Signer { return Signer{key: secret, clock: clock} }

// Sign names what an address may read, for an hour that is rounded up.
func (s Signer) Sign(space, manifest string, rounding time.Duration) string {
	expiry := s.clock().Add(rawLifetime + rounding - 1).Truncate(rounding).Unix()
	text := strings.Join([]string{space, manifest, strconv.FormatInt(expiry, 36)}, ".")
	return text + "." + s.mac(text)
}

// Derive is a secret that is made of an id and the server's secret, so that it can be shown again and is kept nowhere.
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

// Open checks a signed text and returns what it names.
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
	return parts[0], parts[1], err == nil && left > 0 && left <= rawLifetime+2*FileRounding // more has only what a wrong clock signed
}

// ShareKey is the key of a share link. It is made of the link's id and the server's secret, and kept nowhere.
func (s Signer) ShareKey(link string) string {
	return s.Derive("share", link)
}

// InviteSecret is the secret of an invite link, made in the same way.
func (s Signer) InviteSecret(link string) string {
	return s.Derive("invite", link)
}
