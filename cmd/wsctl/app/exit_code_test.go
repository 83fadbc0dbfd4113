package app

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/client/api"
)

func TestExitCodeOfWrappedError(t *testing.T) {
	t.Parallel()
	if ExitCode(api.NotFound()) != ExitNotFound || ExitCode(fmt.Errorf("x: %w", api.WrongState("no"))) != ExitConflict {
		t.Error("wrapped refusals lose their code")
	}
}
