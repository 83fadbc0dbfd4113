//go:build !failpoint

package redis

// FailBefore marks a point just before a call to Redis. With the build tag failpoint the process can be made to exit
// there; otherwise it does nothing.
func FailBefore(string) {}

// FailAfter marks the point after the call, where its effect exists but its result has not been used.
func FailAfter(string) {}

// FailpointVariables returns the environment variables of this package: none.
func FailpointVariables() []string { return nil }
