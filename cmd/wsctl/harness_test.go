package main

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// newHarness returns a Harness for the whole program, with a server that answers 404.
func newHarness(t *testing.T) *apptest.Harness {
	t.Helper()
	return apptest.New(t, newRoot, nil)
}
