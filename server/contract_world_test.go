package server_test

import (
	"testing"

	"docspace.dev/wsd/server/servertest"
)

// TestSampleOrganizationOnEveryEngine checks that the sample organization can be created on every engine, and that all
// responses match the OpenAPI document.
func TestSampleOrganizationOnEveryEngine(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		if !s.Request.Outdated || s.Request.Comments != 0 || s.Request.Status != "open" {
			t.Errorf("the open request is %+v", s.Request)
		}
	})
}
