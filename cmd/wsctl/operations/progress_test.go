package operations

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestProgress checks that a slow operation on a terminal shows the elapsed seconds on one line, which is removed at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var stderr bytes.Buffer
		a := app.New(app.Environment{Getenv: func(string) string { return "" }, Err: &stderr, ErrTerminal: true, Now: time.Now})
		stop := showProgress(a, api.ImportContent.Row)
		time.Sleep(2500 * time.Millisecond)
		stop()
		if got := stderr.String(); got != "\rImport… 1s\rImport… 2s\r\x1b[K" {
			t.Errorf("showed %q", got)
		}
		showProgress(a, api.GetSpace.Row)()
		a.ErrTerminal = false
		showProgress(a, api.ImportContent.Row)()
		if strings.Count(stderr.String(), "\r") != 3 {
			t.Errorf("showed %q", stderr.String())
		}
	})
}
