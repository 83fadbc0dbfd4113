package auth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// EncryptionKeyVariable is the environment variable that holds the key of encrypted secrets.
const EncryptionKeyVariable = "WSD_ENCRYPTION_KEY"

const encryptionKeySize = 32

// ParseEncryptionKey parses a key of 32 bytes in hexadecimal or base64.
func ParseEncryptionKey(text string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == encryptionKeySize {
			return key, nil
		}
	}
	return nil, fmt.Errorf("must be %d bytes in base64 or hexadecimal: openssl rand -base64 32", encryptionKeySize)
}

// Sealer encrypts stored secrets with AES-256-GCM. The purpose of a secret is authenticated with it, so that an
// encrypted text cannot be used for another one. It encrypts with the key of the data, and decrypts with every key that this
// node holds. The zero Sealer has no key.
type Sealer struct {
	ring  Ring
	aeads []cipher.AEAD // of the values of the ring
}

// NewSealer returns a Sealer with a key and, while it replaces another, the old key. Both may be empty. State may be nil for
// data without fingerprints.
func NewSealer(state State, key, old []byte) (Sealer, error) {
	s := Sealer{ring: NewRing(state, redis.Secret{Name: EncryptionKeyVariable, Value: key, Old: old})}
	for _, value := range s.ring.values {
		aead, err := newCipher(value.secret)
		if err != nil {
			return Sealer{}, err
		}
		s.aeads = append(s.aeads, aead)
	}
	return s, nil
}

// newCipher returns the cipher of a key.
func newCipher(key []byte) (cipher.AEAD, error) {
	if len(key) != encryptionKeySize {
		return nil, fmt.Errorf("the encryption key has %d bytes, %d are needed", len(key), encryptionKeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("encryption key: %w", err)
	}
	return aead, nil
}

// encryptedPrefix is the prefix of encrypted texts; it identifies the format.
const encryptedPrefix = "1."

// Encrypt encrypts a secret for a purpose, whose parts need no escaping. It returns an error if s has no key, and an api.Error
// with api.ReasonSecret if it does not have the key of the data or the lease of this node is over.
func (s Sealer) Encrypt(ctx context.Context, secret string, purpose ...string) (string, error) {
	if len(s.aeads) == 0 {
		return "", missingKeyError()
	}
	current, _, err := s.ring.forStoring(ctx)
	if err != nil {
		return "", err
	}
	return seal(s.aeads[current], secret, purpose), nil
}

// seal encrypts a secret for a purpose.
func seal(aead cipher.AEAD, secret string, purpose []string) string {
	sealed := aead.Seal(nil, nil, []byte(secret), additionalData(purpose)) //nolint:gosec // the cipher makes the nonce
	return encryptedPrefix + base64.RawURLEncoding.EncodeToString(sealed)
}

// errDecrypt is returned for a text that is damaged, was encrypted for another purpose, or with another key.
var errDecrypt = errors.New("server: a sealed secret cannot be opened: is " + EncryptionKeyVariable + " the one that it was sealed with?")

// Decrypt returns the secret that was encrypted for the same purpose. Otherwise it returns errDecrypt, an api.Error with
// api.ReasonSecret if s does not have the key of the data, or another error if s has no key.
func (s Sealer) Decrypt(sealed string, purpose ...string) (string, error) {
	secret, _, err := s.open(sealed, purpose)
	if errors.Is(err, errDecrypt) && s.ring.current(s.ring.state.KnownFingerprints()) < 0 {
		return "", secretError()
	}
	return secret, err
}

// open is Decrypt that also returns the index of the key.
func (s Sealer) open(sealed string, purpose []string) (secret string, key int, err error) {
	if len(s.aeads) == 0 {
		return "", 0, missingKeyError()
	}
	text, ok := strings.CutPrefix(sealed, encryptedPrefix)
	data, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil {
		return "", 0, errDecrypt
	}
	for i, aead := range s.aeads {
		if secret, err := aead.Open(nil, nil, data, additionalData(purpose)); err == nil {
			return string(secret), i, nil
		}
	}
	return "", 0, errDecrypt
}

// IntegrationSecretPurpose returns the purpose of a secret of an integration.
func IntegrationSecretPurpose(integration, name string) []string {
	return []string{"integration", integration, name}
}

// ClientSecretPurpose returns the purpose of the client secret of an OIDC provider.
func ClientSecretPurpose(provider string) []string { return []string{"oidc", provider} }

// RefreshTokenPurpose returns the purpose of the refresh token of an identity.
func RefreshTokenPurpose(identity string) []string { return []string{"refresh", identity} }

// additionalData returns the additional authenticated data of a purpose.
func additionalData(purpose []string) []byte { return []byte(store.Hash(purpose...)) }

func missingKeyError() *api.Error {
	return api.WrongState("This server keeps no secrets: it has no %s.", EncryptionKeyVariable).
		WithHint("Whoever runs it sets %s to 32 random bytes: openssl rand -base64 32", EncryptionKeyVariable)
}

// EncryptFor encrypts a text for the holder of a random secret, from which the key is derived. The digest of the secret does not reveal it.
func EncryptFor(secret, text string, purpose ...string) (string, error) {
	aead, err := secretCipher(secret)
	if err != nil {
		return "", err
	}
	return seal(aead, text, purpose), nil
}

// DecryptFor returns the text that EncryptFor has encrypted with the same secret and purpose.
func DecryptFor(secret, sealed string, purpose ...string) (string, error) {
	aead, err := secretCipher(secret)
	if err != nil {
		return "", err
	}
	text, _, err := Sealer{aeads: []cipher.AEAD{aead}}.open(sealed, purpose)
	return text, err
}

func secretCipher(secret string) (cipher.AEAD, error) {
	key := sha256.Sum256([]byte("key\x00" + secret))
	return newCipher(key[:])
}
