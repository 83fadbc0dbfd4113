package store

import (
	"crypto/sha256"
	"encoding/hex"

	"docspace.dev/wsd/store/redis"
)

// A client without a browser asks for a login under a code that a person types elsewhere. The person is not known before, so that the
// request, the decision and the time of the last question have keys of their own. They expire, and no other data depends on them.

// DeviceKey returns the key of the request with a user code.
func DeviceKey(code string) redis.Key { return deviceKey(code, "device") }

// DeviceAnswerKey returns the key of the decision about the request with a user code.
func DeviceAnswerKey(code string) redis.Key { return deviceKey(code, "answer") }

// DevicePollKey returns the key that exists while the client with a user code should not ask again.
func DevicePollKey(code string) redis.Key { return deviceKey(code, "polled") }

// signInRows returns the keys of requests of devices, and of sign-ins that are under way.
func signInRows() []KeyRow {
	return []KeyRow{
		{"{v}:device", redis.StringKind, "request of a client without a browser, by the SHA-256 of its user code, JSON, 10 minutes"},
		{"{v}:answer", redis.StringKind, "decision about it, JSON, 10 minutes"},
		{"{v}:identified", redis.StringKind, "the identity that a provider has answered to a sign-in, encrypted, 10 minutes"},
		{"{v}:confirmation", redis.StringKind, "exists while a provider is asked whether somebody may still sign in, a minute"},
		{"{v}:used", redis.StringKind, "exists while a SAML assertion or a sign-in that was used would be accepted, 10 minutes"},
		{"{v}:polled", redis.StringKind, "exists while the client should not ask for the decision again, 5 seconds"},
	}
}

func deviceKey(code, name string) redis.Key {
	sum := sha256.Sum256([]byte(code))
	return redis.NewShard("v:", hex.EncodeToString(sum[:])).Key(redis.StringKind, name)
}

// DeviceGuessesKey returns the key of the number of wrong codes that a user has typed in a time window: see Store.Count.
func DeviceGuessesKey(user, window string) redis.Key {
	return User(user).Key(redis.StringKind, "guesses", window)
}

// SignInKey returns the key that exists when a sign-in by a provider is completed, by its random id.
func SignInKey(id string) redis.Key { return deviceKey(id, "used") }

// IdentifiedKey returns the key of the encrypted identity that the provider has answered to a sign-in, by the random id of the sign-in.
func IdentifiedKey(id string) redis.Key { return deviceKey(id, "identified") }

// ConfirmationKey returns the key that exists while the provider of an identity is asked whether the person may still sign in.
func ConfirmationKey(identity string) redis.Key { return deviceKey(identity, "confirmation") }

// AssertionKey returns the key that exists while an assertion of a SAML provider, which was used, would be accepted again.
func AssertionKey(provider, entityID, assertion string) redis.Key {
	return deviceKey(Hash(provider, entityID, assertion), "used")
}
