package main

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// newStage is a stage for the whole program, with a server that has nothing.
func newStage(t *testing.T) *apptest.Stage {
	t.Helper()
	return apptest.New(t, newRoot, nil)
}
