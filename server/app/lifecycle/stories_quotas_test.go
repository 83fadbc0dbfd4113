package lifecycle_test

import (
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestQuotaFollowsTransfersAndPurges checks that a transfer moves the use and needs free quota at its target, and
// that a purge frees it.
func TestQuotaFollowsTransfersAndPurges(t *testing.T) {
	t.Parallel()
	servertest.EachSampleWorld(t, func(t *testing.T, w *servertest.World, s *servertest.Sample) {
		much := w.CreateRequest("admin", s.Unshown, "Much")
		w.Edit("admin", much, servertest.Insert("Noise", "", servertest.Incompressible(40_000)))
		w.Merge("admin", much)
		from, to := servertest.UsageOf(w, w.Org), servertest.UsageOf(w, s.Other)
		size, err := w.Store.Size(t.Context(), s.Unshown)
		w.Must(err)
		const records = 5_000 // maximum bytes of records that a transfer creates and leaves
		if size.Bytes < 4*records {
			t.Fatalf("the content has %d bytes", size.Bytes)
		}
		in := api.TransferSpaceInput{Space: s.Unshown, Body: api.Transfer{Organization: s.Other}}
		servertest.SetQuota(w, s.Other, map[string]*int64{"bytes": new(to.Bytes + size.Bytes)})
		servertest.Equal(t, "without free quota", http.StatusForbidden, servertest.Try(w, "admin", api.TransferSpace, in).Status)
		servertest.Equal(t, "records after a refusal", from.Records, servertest.UsageOf(w, w.Org).Records)
		servertest.SetQuota(w, s.Other, map[string]*int64{"bytes": nil})
		servertest.Do(w, "admin", api.TransferSpace, in)
		if left, come := from.Bytes-servertest.UsageOf(w, w.Org).Bytes, servertest.UsageOf(w,
			s.Other).Bytes-to.Bytes; left < size.Bytes-records || come < size.Bytes {
			t.Errorf("%d bytes left and %d came, the content has %d", left, come, size.Bytes)
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: s.Unshown})
		before := servertest.UsageOf(w, s.Other)
		w.Clock.Advance(8 * 24 * time.Hour)
		w.Must(w.Server.RunDueJobs(t.Context()))
		if freed := before.Bytes - servertest.UsageOf(w, s.Other).Bytes; freed < size.Bytes {
			t.Errorf("a purge freed %d bytes, the content has %d", freed, size.Bytes)
		}
	})
}
