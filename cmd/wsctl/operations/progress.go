package operations

import (
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// showProgress shows a progress line for a slow operation on a terminal. The returned function removes it.
func showProgress(a *app.App, row api.Row) (stop func()) {
	if !row.Slow || !a.WantsProgress() {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	start := a.Now()
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				_, _ = fmt.Fprintf(a.Err, "\r%s… %s", upperFirst(verbWord(row)), a.Now().Sub(start).Round(time.Second)) // optional
			case <-done:
				_, _ = fmt.Fprint(a.Err, "\r\x1b[K") // optional
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
