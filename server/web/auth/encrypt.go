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

// ParseEncryptionKey reads a key of 32 bytes, written in hexadecimal or base64.
func ParseEncryptionKey(text string) ([]byte, error) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if key, err := decode(text); err == nil && len(key) == encryptionKeySize {
			return key, nil
		}
	}
	return nil, fmt.Errorf("%s must be %d bytes in base64 or hexadecimal: openssl rand -base64 32", EncryptionKeyVariable, encryptionKeySize)
}

// Sealer encrypts secrets that have to be read again, with AES-256-GCM. What a secret is for is authenticated with it,
// so that a sealed text cannot be moved to another place. The zero sealer has no key.
type Sealer struct{ aead cipher.AEAD }

// NewSealer returns a sealer with a key, or one without for no key.
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

// encryptedForm begins every encrypted text, so that there can be other forms.
const encryptedForm = "1."

// Encrypt encrypts a secret for a purpose, which is given in parts that need not be escaped.
func (s Sealer) Encrypt(secret string, purpose ...string) (string, error) {
	if s.aead == nil {
		return "", noEncryptionKey()
	}
	sealed := s.aead.Seal(nil, nil, []byte(secret), bound(purpose)) //nolint:gosec // the cipher makes the nonce
	return encryptedForm + base64.RawURLEncoding.EncodeToString(sealed), nil
}

// errEncrypted says that an encrypted text was damaged, moved, or encrypted with another key.
var errEncrypted = errors.New("server: a sealed secret cannot be opened: is " + EncryptionKeyVariable + " the one that it was sealed with?")

// Decrypt returns what was sealed for the same purpose.
func (s Sealer) Decrypt(sealed string, purpose ...string) (string, error) {
	if s.aead == nil {
		return "", noEncryptionKey()
	}
	text, ok := strings.CutPrefix(sealed, encryptedForm)
	data, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil {
		return "", errEncrypted
	}
	secret, err := s.aead.Open(nil, nil, data, bound(purpose))
	if err != nil {
		return "", errEncrypted
	}
	return string(secret), nil
}

// IntegrationSecretPurpose binds a sealed secret to the integration and the name that it was given.
func IntegrationSecretPurpose(integration, name string) []string {
	return []string{"integration", integration, name}
}

// bound is the additional data of a purpose: no two lists of parts give the same.
func bound(purpose []string) []byte { return []byte(Hash(purpose...)) }

func noEncryptionKey() *api.Error {
	return api.WrongState("This server keeps no secrets: it has no %s.", EncryptionKeyVariable).
		WithHint("Whoever runs it sets %s to 32 random bytes: openssl rand -base64 32", EncryptionKeyVariable)
}
