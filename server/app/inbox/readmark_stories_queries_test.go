package inbox_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestSavedQueries checks that saved queries are ordered, have unique names, and are visible to their owner only.
func TestSavedQueries(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		of := api.OrganizationRef{Organization: w.Org}
		save := func(queries ...api.SavedQuery) api.PutSavedQueriesInput {
			return api.PutSavedQueriesInput{OrganizationRef: of, Body: api.SavedQueries{Queries: queries}}
		}
		servertest.Equal(t, "none", 0, len(servertest.Do(w, "commenter", api.GetChangeRequestSavedQueries, of).Queries))
		mine := []api.SavedQuery{
			{Name: "Drafts", Status: []api.ChangeRequestStatus{api.StatusDraft}, OrderBy: api.ByCreation},
			{Name: "Of the editor", Creator: w.Users["editor"].ID},
		}
		servertest.Equal(t, "saved", mine, servertest.Do(w, "commenter", api.PutChangeRequestSavedQueries, save(mine...)).Queries)
		servertest.Equal(t, "kept", mine, servertest.Do(w, "commenter", api.GetChangeRequestSavedQueries, of).Queries)
		servertest.Equal(t, "of somebody else", 0, len(servertest.Do(w, "admin", api.GetChangeRequestSavedQueries, of).Queries))
		e := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "commenter", api.PutChangeRequestSavedQueries, save(mine[0], mine[0]), 422, api.ReasonInvalid)
		})
		servertest.Equal(t, "field", "queries[1].name", e.Fields[0].Path)
		servertest.Equal(t, "none again", 0,
			len(servertest.Do(w, "commenter", api.PutChangeRequestSavedQueries, save([]api.SavedQuery{}...)).Queries))
	})
}
