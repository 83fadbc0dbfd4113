package apptest

import "errors"

// Keyring is a keyring in memory, or none at all.
type Keyring struct {
	Secrets map[string]string // by "service/user"
	Broken  bool              // there is none
}

var errNone = errors.New("no keyring here")

// Get implements config.Keyring.
func (k *Keyring) Get(service, user string) (string, error) {
	if k.Broken {
		return "", errNone
	}
	return k.Secrets[service+"/"+user], nil
}

// Set implements config.Keyring.
func (k *Keyring) Set(service, user, secret string) error {
	if k.Broken {
		return errNone
	}
	k.Secrets[service+"/"+user] = secret
	return nil
}

// Delete implements config.Keyring.
func (k *Keyring) Delete(service, user string) error {
	delete(k.Secrets, service+"/"+user)
	return nil
}
