//go:build !failpoint

package redis

// FailBefore marks a place just before a call to Redis, by name. With the build
// tag failpoint the process can be made to die there; without it there is
// nothing here and nothing is called.
func FailBefore(string) {}

// FailAfter marks the place after the call, when its effect is there and nobody
// knows yet.
func FailAfter(string) {}

// FailpointVariables are the environment variables of this package: none.
func FailpointVariables() []string { return nil }
