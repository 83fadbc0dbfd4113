package operations_test

import (
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

func TestReadOnlyProfilesSendNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, map[string]string{"GET /v1/spaces/x": `200 {"id":"x"}`})
	s.Run("config set read_only true").Want(t, app.OK)
	for _, line := range []string{"spaces delete x --yes", "spaces create --title t", "api POST /orgs", "spaces update x --title t --dry-run"} {
		s.Run(line).Want(t, app.Usage, "read-only")
	}
	if len(s.Requests()) > 0 {
		t.Fatalf("sent %v", s.Requests())
	}
	s.Run("spaces get x").Want(t, app.OK)
}
