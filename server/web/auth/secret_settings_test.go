package auth

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/store/redis"
)

func TestEnsureSecretCreatesFileOnce(t *testing.T) {
	t.Parallel()
	settings := SecretSettings{Directory: filepath.Join(t.TempDir(), "data")}
	if secrets, err := settings.Available(); err != nil || len(secrets) > 0 {
		t.Fatalf("before: %v %v", secrets, err)
	}
	secret, err := settings.EnsureSecret()
	if err != nil || len(secret) < MinSecret {
		t.Fatalf("%d bytes, %v", len(secret), err)
	}
	again, err := settings.EnsureSecret()
	if err != nil || !bytes.Equal(again, secret) {
		t.Errorf("again: another secret, %v", err)
	}
	wantAvailable(t, settings, redis.Secret{Name: SecretVariable, Value: secret})
	if info, err := os.Stat(filepath.Join(settings.Directory, secretFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestConfiguredSecretNeedsNoFile(t *testing.T) {
	t.Parallel()
	settings := SecretSettings{Secret: "configured", EncryptionKey: strings.Repeat("ab", 32), External: true, Directory: t.TempDir()}
	key := redis.Secret{Name: EncryptionKeyVariable, Value: bytes.Repeat([]byte{0xab}, 32)}
	wantAvailable(t, settings, redis.Secret{Name: SecretVariable, Value: []byte("configured")}, key)
	if secret, err := settings.EnsureSecret(); err != nil || string(secret) != "configured" {
		t.Errorf("%q %v", secret, err)
	}
	settings.Secret = ""
	if _, err := settings.EnsureSecret(); err == nil || !strings.Contains(err.Error(), SecretVariable) {
		t.Errorf("external without a secret: %v", err)
	}
	if files, err := os.ReadDir(settings.Directory); err != nil || len(files) > 0 {
		t.Errorf("files of an external Redis: %v %v", files, err)
	}
	settings.EncryptionKey = "short"
	if _, err := settings.Available(); err == nil || !strings.HasPrefix(err.Error(), "environment: "+EncryptionKeyVariable) {
		t.Errorf("a malformed key: %v", err)
	}
}

// TestNewSecretIsKeptUntilAdopted checks that an interrupted replacement continues with the secret that it generated.
func TestNewSecretIsKeptUntilAdopted(t *testing.T) {
	t.Parallel()
	settings := SecretSettings{Directory: t.TempDir()}
	old, err := settings.EnsureSecret()
	if err != nil {
		t.Fatal(err)
	}
	first, err := settings.WithNewSecret()
	if err != nil || len(first.Secret) < MinSecret || first.Secret == string(old) {
		t.Fatalf("%d bytes, %v", len(first.Secret), err)
	}
	if again, err := settings.WithNewSecret(); err != nil || again != first {
		t.Errorf("again: another secret, %v", err)
	}
	wantAvailable(t, settings, redis.Secret{Name: SecretVariable, Value: old})
	if err := first.AdoptNewSecret(); err != nil {
		t.Fatal(err)
	}
	wantAvailable(t, settings, redis.Secret{Name: SecretVariable, Value: []byte(first.Secret)})
	if next, err := settings.WithNewSecret(); err != nil || next == first {
		t.Errorf("the next replacement has the same secret, %v", err)
	}
}

func wantAvailable(t *testing.T, settings SecretSettings, want ...redis.Secret) {
	t.Helper()
	got, err := settings.Available()
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d secrets, want %d; %v", len(got), len(want), err)
	}
	for i, secret := range got {
		if secret.Name != want[i].Name || !bytes.Equal(secret.Value, want[i].Value) {
			t.Errorf("secret %d is another %s", i, secret.Name)
		}
	}
}
