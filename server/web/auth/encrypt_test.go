package auth

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

func testSealer(t *testing.T, fill byte) Sealer {
	t.Helper()
	s, err := NewSealer(nil, bytes.Repeat([]byte{fill}, encryptionKeySize), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDecryptReversesEncrypt checks that a text is decrypted with the same key and purpose only.
func TestDecryptReversesEncrypt(t *testing.T) {
	t.Parallel()
	s := testSealer(t, 1)
	sealed, err := s.Encrypt(t.Context(), "hunter2", "integration", "github", "token")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(sealed, "hunter2") {
		t.Error("the secret shows")
	}
	if got, err := s.Decrypt(sealed, "integration", "github", "token"); err != nil || got != "hunter2" {
		t.Errorf("%q, %v", got, err)
	}
	if again, _ := s.Encrypt(t.Context(), "hunter2", "integration", "github", "token"); again == sealed {
		t.Error("equal secrets are sealed to equal texts")
	}
	for name, open := range map[string]func() (string, error){
		"another purpose":      func() (string, error) { return s.Decrypt(sealed, "integration", "gitlab", "token") },
		"shifted parts":        func() (string, error) { return s.Decrypt(sealed, "integration", "githubtoken") },
		"another key":          func() (string, error) { return testSealer(t, 2).Decrypt(sealed, "integration", "github", "token") },
		"truncated ciphertext": func() (string, error) { return s.Decrypt(sealed[:len(sealed)-4], "integration", "github", "token") },
		"too short":            func() (string, error) { return s.Decrypt(encryptedPrefix+"AAAA", "integration", "github", "token") },
		"unknown version":      func() (string, error) { return s.Decrypt("2."+sealed, "integration", "github", "token") },
		"plain text":           func() (string, error) { return s.Decrypt("hunter2", "integration", "github", "token") },
	} {
		if got, err := open(); err == nil {
			t.Errorf("%s: opens as %q", name, got)
		}
	}
}

// TestSealerErrorNamesVariable checks that the error contains the name of the missing variable.
func TestSealerErrorNamesVariable(t *testing.T) {
	t.Parallel()
	s, err := NewSealer(nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, sealing := s.Encrypt(t.Context(), "x", "y")
	_, opening := s.Decrypt("x", "y")
	for _, err := range []error{sealing, opening} {
		e, ok := api.AsError(err)
		if !ok || e.Code != 409 || !strings.Contains(e.Message, EncryptionKeyVariable) {
			t.Errorf("%v", err)
		}
	}
	if _, err := NewSealer(nil, make([]byte, 16), nil); err == nil {
		t.Error("a short key is taken")
	}
}

func TestParseEncryptionKey(t *testing.T) {
	t.Parallel()
	key := bytes.Repeat([]byte{0xfb}, 32)
	for _, text := range []string{
		hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key), base64.RawURLEncoding.EncodeToString(key),
	} {
		if got, err := ParseEncryptionKey(text); err != nil || !bytes.Equal(got, key) {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "short", hex.EncodeToString(key[1:]), strings.Repeat("?", 44)} {
		if _, err := ParseEncryptionKey(text); err == nil || !strings.Contains(err.Error(), "must be 32 bytes") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
