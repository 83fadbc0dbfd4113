package auth

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
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
	return nil, fmt.Errorf("%s must be %d bytes in base64 or hexadecimal: openssl rand -base64 32", EncryptionKeyVariable,
		encryptionKeySize)
}

// Sealer encrypts stored secrets with AES-256-GCM. The purpose of a secret is authenticated with it, so that an
// encrypted text cannot be used for another one. The zero Sealer has no key.
type Sealer struct{ aead cipher.AEAD }

// NewSealer returns a Sealer with a key, or the zero Sealer if key is empty.
func NewSealer(key []byte) (Sealer, error) {
	if len(key) == 0 {
		return Sealer{}, nil
	}
	if len(key) != encryptionKeySize {
		return Sealer{}, fmt.Errorf("the encryption key has %d bytes, %d are needed", len(key), encryptionKeySize)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return Sealer{}, fmt.Errorf("encryption key: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return Sealer{}, fmt.Errorf("encryption key: %w", err)
	}
	return Sealer{aead}, nil
}

// encryptedPrefix is the prefix of encrypted texts; it identifies the format.
const encryptedPrefix = "1."

// Encrypt encrypts a secret for a purpose, whose parts need no escaping. It returns an error if s has no key.
func (s Sealer) Encrypt(secret string, purpose ...string) (string, error) {
	if s.aead == nil {
		return "", missingKeyError()
	}
	sealed := s.aead.Seal(nil, nil, []byte(secret), additionalData(purpose)) //nolint:gosec // the cipher makes the nonce
	return encryptedPrefix + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// errDecrypt is returned for a text that is damaged, was encrypted for another purpose, or with another key.
var errDecrypt = errors.New("server: a sealed secret cannot be opened: is " + EncryptionKeyVariable + " the one that it was sealed with?")

// Decrypt returns the secret that was encrypted for the same purpose. It returns errDecrypt for any other text, and another
// error if s has no key.
func (s Sealer) Decrypt(sealed string, purpose ...string) (string, error) {
	if s.aead == nil {
		return "", missingKeyError()
	}
	text, ok := strings.CutPrefix(sealed, encryptedPrefix)
	data, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil {
		return "", errDecrypt
	}
	secret, err := s.aead.Open(nil, nil, data, additionalData(purpose))
	if err != nil {
		return "", errDecrypt
	}
	return string(secret), nil
}

// IntegrationSecretPurpose returns the purpose of a secret of an integration.
func IntegrationSecretPurpose(integration, name string) []string {
	return []string{"integration", integration, name}
}

// additionalData returns the additional authenticated data of a purpose.
func additionalData(purpose []string) []byte { return []byte(Hash(purpose...)) }

func missingKeyError() *api.Error {
	return api.WrongState("This server keeps no secrets: it has no %s.", EncryptionKeyVariable).
		WithHint("Whoever runs it sets %s to 32 random bytes: openssl rand -base64 32", EncryptionKeyVariable)
}
