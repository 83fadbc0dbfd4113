package main

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// newStage is a stage for the whole program.
func newStage(t *testing.T, answers map[string]string) *apptest.Stage {
	t.Helper()
	return apptest.New(t, newRoot, answers)
}
