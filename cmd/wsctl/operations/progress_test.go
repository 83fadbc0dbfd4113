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

// A slow operation counts the seconds on a terminal, on one line that is gone at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var talk bytes.Buffer
		a := app.New(app.World{Env: func(string) string { return "" }, Err: &talk, ErrTerminal: true, Now: time.Now})
		stop := progress(a, api.ImportContent.Row)
		time.Sleep(2500 * time.Millisecond)
		stop()
		if got := talk.String(); got != "\rImport… 1s\rImport… 2s\r\x1b[K" {
			t.Errorf("showed %q", got)
		}
		progress(a, api.GetSpace.Row)()
		a.ErrTerminal = false
		progress(a, api.ImportContent.Row)()
		if strings.Count(talk.String(), "\r") != 3 {
			t.Errorf("showed %q", talk.String())
		}
	})
}
