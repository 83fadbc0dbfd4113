package apptest

import (
	"errors"
	"sync"
)

// Keyring is an in-memory app.Keyring.
type Keyring struct {
	Secrets     map[string]string // keyed by "service/user"
	Unavailable bool              // all calls fail
	Full        bool              // it takes no secrets

	mu sync.Mutex
}

var errNoKeyring = errors.New("no keyring here")

// Get implements app.Keyring.
func (k *Keyring) Get(service, user string) (string, error) {
	if k.Unavailable {
		return "", errNoKeyring
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Secrets[service+"/"+user], nil
}

// Set implements app.Keyring.
func (k *Keyring) Set(service, user, secret string) error {
	if k.Unavailable || k.Full {
		return errNoKeyring
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.Secrets[service+"/"+user] = secret
	return nil
}

// Delete implements app.Keyring.
func (k *Keyring) Delete(service, user string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.Secrets, service+"/"+user)
	return nil
}
