package app

import (
	"fmt"
	"testing"

	"docspace.dev/wsd/client/api"
)

func TestWrappedRefusalsKeepTheirCode(t *testing.T) {
	t.Parallel()
	if Code(api.NotFound()) != NotFound || Code(fmt.Errorf("x: %w", api.WrongState("no"))) != Conflict {
		t.Error("wrapped refusals lose their code")
	}
}
