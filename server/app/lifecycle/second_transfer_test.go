package lifecycle_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestSecondTransferIsConflict transfers a collection and, before its writes, transfers the collection and a space in it to a third
// organization. This is a conflict once the first transfer has begun. A repeat of the first request may be tried again, as may
// other writes.
func TestSecondTransferIsConflict(t *testing.T) {
	t.Parallel()
	conflicts := 0
	for n, more := int64(4), true; more && !t.Failed(); n += 4 {
		i := servertest.NewInterference(t)
		w := i.World
		outer := w.NewCollection("Outer", "").ID
		space := w.NewSpaceIn("Inside", outer).ID
		target, third := servertest.NewOrganization(w, "Other"), servertest.NewOrganization(w, "Third")
		transfer := func(to string, headers ...string) servertest.Response {
			return servertest.Try(w, "admin", api.TransferCollection, api.TransferCollectionInput{
				Collection: outer, Body: api.Transfer{Organization: to},
			}, headers...)
		}
		key := []string{"Idempotency-Key", "the first transfer"}
		_, more = i.BeforeWrite(n, func() {
			var shown api.Collection
			response := servertest.Try(w, "admin", api.GetCollection, api.CollectionRef{Collection: outer})
			if err := json.Unmarshal(response.Body, &shown); err != nil || shown.Organization != w.Org {
				return // no organization shows it, or it has arrived
			}
			for name, second := range map[string]servertest.Response{
				"the same collection":              transfer(third),
				"the same collection, another key": transfer(third, "Idempotency-Key", "another transfer"),
				"a space in it": servertest.Try(w, "admin", api.TransferSpace, api.TransferSpaceInput{
					Space: space, Body: api.Transfer{Organization: third},
				}, "Idempotency-Key", "transfer of the space"),
			} {
				if conflicts++; second.Status != http.StatusConflict || second.Error().Reason != api.ReasonState {
					t.Errorf("before write %d: %s: %d %s", n, name, second.Status, second.Body)
				}
			}
			for name, other := range map[string]servertest.Response{
				"the first transfer again": transfer(target, key...),
				"a change of the title": servertest.Try(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
					Space: space, Body: api.SpacePatch{Title: api.Some("Renamed")},
				}),
			} {
				if other.Status != http.StatusServiceUnavailable || other.Header.Get("Retry-After") == "" {
					t.Errorf("before write %d: %s: %d %s", n, name, other.Status, other.Body)
				}
			}
		}, func() servertest.Response {
			first := transfer(target, key...)
			servertest.Equal(t, "status of the first transfer", http.StatusOK, first.Status)
			return first
		})
	}
	if conflicts == 0 {
		t.Error("no transfer was in progress")
	}
}
