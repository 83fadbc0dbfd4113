package folder

import (
	"net/http/httptest"
	"testing"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// serverWorld is a server, and wsctl on the machine of its admin.
type serverWorld struct {
	*servertest.World
	*apptest.Harness
}

func newServerWorld(t *testing.T) serverWorld {
	t.Helper()
	w := servertest.NewWorld(t, storetest.Memory())
	server := httptest.NewServer(w.Handler)
	t.Cleanup(server.Close)
	h := apptest.New(t, func(a *app.App) *cobra.Command {
		root := a.Root()
		root.AddCommand(PullCommand(a, nil), PushCommand(a), DiffCommand(a))
		return root
	}, nil)
	h.URL = server.URL
	h.Env["WSCTL_URL"], h.Env["WSCTL_TOKEN"], h.Env["WSCTL_ORG"] = server.URL, w.Tokens["admin"], w.Org
	return serverWorld{w, h}
}

// newSpace creates an empty space that may be edited through change requests.
func (w serverWorld) newSpace(t *testing.T) string {
	t.Helper()
	return servertest.Do(w.World, "admin", api.CreateSpace, api.CreateSpaceInput{
		Organization: w.Org, Body: api.SpaceCreate{Title: "Docs"},
	}).ID
}

// mustRun runs a command that has to succeed and returns its output.
func (w serverWorld) mustRun(t *testing.T, args ...string) string {
	t.Helper()
	r := w.Run(args...)
	if r.Code != 0 {
		t.Fatalf("wsctl %q: exit code %d\n%s%s", args, r.Code, r.Stdout, r.Stderr)
	}
	return r.Stdout
}
