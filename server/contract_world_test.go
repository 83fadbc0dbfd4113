package server_test

import (
	"testing"

	"docspace.dev/wsd/server/servertest"
)

// The sample organization can be made on every engine, and every answer on the way is what the document says.
func TestSampleOrganization(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		if !s.Request.Outdated || s.Request.Comments != 0 || s.Request.Status != "open" {
			t.Errorf("the open request is %+v", s.Request)
		}
	})
}
