package lifecycle_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// removalLine is the line of the log for a removal.
type removalLine struct {
	Message      string   `json:"msg"`
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Organization string   `json:"organization"`
	DeletedAt    api.Time `json:"deletedAt"`
	DeletedBy    string   `json:"deletedBy"`
}

// TestRemovalsAreLogged checks that each space, collection and organization that is removed from the trash has one line in
// the log, which says whose it was, when it was deleted and by whom.
func TestRemovalsAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.Log = slog.New(slog.NewJSONHandler(&log, nil)) })
	org, admin, creator := w.Org, w.Users["admin"].ID, w.Users["creator"].ID
	space, collection := w.NewSpaceIn("A space", "").ID, w.NewCollection("A collection", "").ID
	inner := w.NewSpaceIn("An inner space", collection).ID
	title := servertest.Do(w, "admin", api.GetOrganization, api.OrganizationRef{Organization: org}).Title
	servertest.Do(w, "creator", api.DeleteSpace, api.SpaceRef{Space: space})
	servertest.Do(w, "admin", api.DeleteCollection, api.CollectionRef{Collection: collection})
	deleted := api.At(w.Clock.Now())
	w.Clock.Advance(store.TrashTime)
	servertest.RunJobs(w)
	servertest.Do(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
		OrganizationRef: api.OrganizationRef{Organization: org}, Title: title,
	})
	later := api.At(w.Clock.Now())
	w.Clock.Advance(store.TrashTime)
	servertest.RunJobs(w)

	lines := map[string][]removalLine{}
	for data := range bytes.Lines(log.Bytes()) {
		var line removalLine
		w.Must(json.Unmarshal(data, &line))
		if line.Message == "removed for good" {
			lines[line.ID] = append(lines[line.ID], line)
		}
	}
	want := []removalLine{
		{"removed for good", space, "A space", org, deleted, creator},
		{"removed for good", inner, "An inner space", org, deleted, admin},
		{"removed for good", collection, "A collection", org, deleted, admin},
		{"removed for good", org, title, org, later, admin},
	}
	for _, line := range want {
		if got := lines[line.ID]; len(got) != 1 || got[0] != line {
			t.Errorf("lines %+v, want one %+v", got, line)
		}
	}
	servertest.Equal(t, "removed resources with a line", len(want), len(lines))
}
