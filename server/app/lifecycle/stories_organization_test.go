package lifecycle_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// deleteOrganizationInput returns the request that deletes an organization and confirms its title.
func deleteOrganizationInput(w *servertest.World, org string) api.DeleteOrganizationInput {
	w.T.Helper()
	ref := api.OrganizationRef{Organization: org}
	return api.DeleteOrganizationInput{OrganizationRef: ref, Title: servertest.Do(w, "admin", api.GetOrganization, ref).Title}
}

// pageText returns the Markdown of a page as read by a user.
func pageText(w *servertest.World, as, space, page string) string {
	w.T.Helper()
	shown := servertest.Do(w, as, api.GetContentPage, api.PageInput{
		Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
	})
	return *shown.Markdown
}

// userTrash lists the organizations that a user may restore.
func userTrash(w *servertest.World, as string) []api.TrashedOrganization {
	w.T.Helper()
	return servertest.Do(w, as, api.ListTrashOrganizations, api.ListTrashOrganizationsInput{}).Items
}

// TestDeletedOrganizationCanBeRestored checks that a deleted organization is not_found for its members, visitors, invited
// users and bound tokens, and its jobs are suspended. Its admins can restore it unchanged.
func TestDeletedOrganizationCanBeRestored(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		site := servertest.PublishedSite(w, api.SitePublic, space)
		trashed := w.NewSpaceIn("Trashed", "").ID
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: trashed})
		invite := servertest.InviteAs(w, "admin", "new@example.com", api.RoleRead)
		link := w.CreateLinkInvite("admin", api.LinkInviteCreate{Role: api.Some(api.RoleRead)})
		servertest.NewToken(w, "admin", "bound", api.TokenCreate{Organization: api.Some(w.Org), Scopes: []api.Scope{api.ScopeAdmin}})
		in := deleteOrganizationInput(w, w.Org)

		servertest.Refused(w, "creator", api.DeleteOrganization, in, http.StatusForbidden, api.ReasonForbidden)
		servertest.Refused(w, "admin", api.DeleteOrganization, api.DeleteOrganizationInput{
			OrganizationRef: in.OrganizationRef, Title: in.Title + ".",
		}, http.StatusBadRequest, api.ReasonInvalidParam)
		path := "/v1/orgs/" + w.Org + "?title=" + url.QueryEscape(in.Title)
		var removal api.Removal
		servertest.Decode(w, w.Call("admin", http.MethodDelete, path+"&dryRun=true", nil, http.StatusOK), &removal)
		servertest.Equal(t, "title", in.Title, removal.Title)
		gone := w.Call("admin", http.MethodDelete, path, nil, http.StatusResetContent, "Idempotency-Key", "once")
		servertest.Equal(t, "counts", removal.Header(), gone.Header.Get(api.RemovedHeader))
		w.Call("admin", http.MethodDelete, path, nil, http.StatusResetContent, "Idempotency-Key", "once")

		for _, as := range []string{"admin", "creator", "reader", "bound"} {
			for _, at := range []string{
				"/v1/orgs/" + w.Org, "/v1/orgs/" + w.Org + "/spaces", "/v1/orgs/" + w.Org + "/trash", "/v1/spaces/" + space, "/v1/spaces/" +
					space + "/content",
			} {
				w.Call(as, http.MethodGet, at, nil, http.StatusNotFound)
			}
		}
		w.Call("creator", http.MethodPost, "/v1/orgs/"+w.Org+"/spaces", api.SpaceCreate{Title: "New"}, http.StatusNotFound)
		w.Call("bound", http.MethodGet, "/v1/user", nil, http.StatusUnauthorized)
		w.Call("", http.MethodGet, "/v1/orgs/"+w.Org+"/sites/"+site.Site+"/published", nil, http.StatusUnauthorized)
		w.Call("", http.MethodGet, "/v1/spaces/"+space, nil, http.StatusUnauthorized)
		w.Call("", http.MethodGet, "/v1/orgs/"+w.Org+"/sso", nil, http.StatusNotFound)
		for _, of := range servertest.Do(w, "admin", api.ListOrganizations, api.ListOrganizationsInput{}).Items {
			if of.ID == w.Org {
				t.Error("it is listed")
			}
		}
		servertest.Refused(w, "stranger", api.AcceptInvite, servertest.AcceptInput(invite), http.StatusUnprocessableEntity,
			api.ReasonInvalid)
		servertest.Refused(w, "stranger", api.AcceptInvite, servertest.AcceptLinkInput(link), http.StatusUnprocessableEntity,
			api.ReasonInvalid)
		w.Clock.Advance(store.TrashTime - time.Hour)
		servertest.RunJobs(w)
		w.Fsck()

		for _, as := range []string{"creator", "bound", "stranger"} {
			w.Call(as, http.MethodPost, "/v1/orgs/"+w.Org+"/restore", nil, http.StatusNotFound)
		}
		servertest.Equal(t, "trash of who is no admin", 0, len(userTrash(w, "creator")))
		items := userTrash(w, "admin")
		if len(items) != 1 || items[0].ID != w.Org || items[0].Title != in.Title || items[0].DeletedBy == nil ||
			items[0].DeletedBy.ID != w.Users["admin"].ID {
			t.Fatalf("trash %+v", items)
		}
		servertest.Equal(t, "holds", removal.Header(), api.Removal{With: items[0].Holds}.Header())
		servertest.Do(w, "admin", api.RestoreOrganization, in.OrganizationRef)
		servertest.Refused(w, "admin", api.RestoreOrganization, in.OrganizationRef, http.StatusConflict, api.ReasonState)
		servertest.Equal(t, "text", "Text.\n", w.PageText(space, page))
		w.Call("", http.MethodGet, "/v1/spaces/"+space, nil, http.StatusOK)
		w.Call("bound", http.MethodGet, "/v1/spaces/"+space, nil, http.StatusOK)
		servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: trashed})
		w.Clock.Advance(time.Hour) // the space's time in the trash is over
		servertest.RunJobs(w)
		servertest.Refused(w, "admin", api.GetSpace, api.GetSpaceInput{Space: trashed}, http.StatusNotFound, api.ReasonNotFound)

		servertest.Do(w, "admin", api.DeleteOrganization, in)
		_, err := orgs.Accounts{Store: w.Store}.Restore(t.Context(), w.Org) // by the operator
		w.Must(err)
		w.Call("reader", http.MethodGet, "/v1/spaces/"+space, nil, http.StatusOK)
	})
}

// TestPurgedOrganizationKeepsTransferredSpaces checks that spaces that an organization transferred away remain
// complete and are found by their ids, which contain the id of the purged organization. Nothing else remains, and its
// hostnames are free.
func TestPurgedOrganizationKeepsTransferredSpaces(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		g := servertest.TransferAway(w, false)
		servertest.Do(w, "admin", api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: w.Org, Body: api.OrganizationPatch{Hostname: api.Some("docs-of-us")},
		})
		in := deleteOrganizationInput(w, w.Org)
		refused := servertest.Refused(w, "admin", api.DeleteOrganization, in, http.StatusConflict, api.ReasonState)
		if !strings.Contains(refused.Message, "can be taken back until") {
			t.Error(refused.Message)
		}
		servertest.Refused(w, "admin", api.DeleteOrganization, deleteOrganizationInput(w, g.ToOrganization), http.StatusConflict,
			api.ReasonState)
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)

		kept := w.NewSpaceIn("Goes with it", g.Collection).ID
		servertest.NewSpec(w, "shop", `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"paths":{}}`)
		servertest.Do(w, "admin", api.DeleteOrganization, in)
		servertest.Equal(t, "text of what was given away", "Text.\n", pageText(w, "admin", g.Space, g.Page))
		claim := func(status int) {
			t.Helper()
			body := api.OrganizationPatch{Hostname: api.Some("docs-of-us")}
			w.Call("admin", http.MethodPatch, "/v1/orgs/"+g.ToOrganization, body, status)
		}
		claim(http.StatusConflict)
		w.Clock.Advance(store.TrashTime)
		servertest.Equal(t, "trash", 0, len(userTrash(w, "admin")))
		w.Call("admin", http.MethodPost, "/v1/orgs/"+w.Org+"/restore", nil, http.StatusNotFound)
		servertest.RunJobs(w)
		w.Fsck()

		servertest.Equal(t, "text of what was given away", "Text.\n", pageText(w, "admin", g.Space, g.Page))
		servertest.Equal(t, "its comments", 1, servertest.ReadSpaceAs(w, "admin", g.Space).Comments)
		servertest.Refused(w, "admin", api.GetSpace, api.GetSpaceInput{Space: kept}, http.StatusNotFound, api.ReasonNotFound)
		if left := servertest.KeysWithID(w, kept); len(left) > 0 {
			t.Errorf("what is left of a space: %v", left)
		}
		for key := range storetest.Dump(t, w.Store) {
			if strings.HasPrefix(key, "{"+w.Org+"}:") && !isExpectedLeftover(key) {
				t.Errorf("left: %s", key)
			}
		}
		claim(http.StatusOK)
		servertest.Do(w, "creator", api.UpdateSpace, api.UpdateSpaceInput{
			Space: g.Space, Body: api.SpacePatch{Title: api.Some("Still ours")},
		})
		third := servertest.NewOrganization(w, "Third")
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(g.Space, third))
		servertest.Equal(t, "organization", third, servertest.ReadSpaceAs(w, "admin", g.Space).Organization)
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: g.Space})
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		w.Fsck()
		if left := servertest.KeysWithIDIn(w, w.Org, g.Space); len(left) > 0 {
			t.Errorf("what is left of the pointer: %v", left)
		}
	})
}

// isExpectedLeftover reports whether a key of a purged organization belongs to its pointers, their entries in the
// model and the use counter, or expires.
func isExpectedLeftover(key string) bool {
	_, rest, _ := strings.Cut(key, "}:")
	word, _, _ := strings.Cut(rest, ":")
	return strings.Contains(" mv shapes shape use answers op idem ", " "+word+" ")
}

// TestPurgedOrganizationLeavesNothing checks that an organization without pointers leaves no keys.
func TestPurgedOrganizationLeavesNothing(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.Populate()
		id := servertest.NewOrganization(w, "Short-lived", "creator")
		servertest.Do(w, "admin", api.CreateSpace, api.CreateSpaceInput{Organization: id})
		open := w.LinterIntegration("Open")
		open.Visibility = api.IntegrationPublic
		for _, name := range []string{"acme.open", "acme.gone"} {
			servertest.Do(w, "admin", api.CreateIntegrationInstallation, api.CreateInstallationInput{
				IntegrationRef: api.IntegrationRef{Integration: w.Publish(name, open).Name}, Body: api.InstallationCreate{Organization: id},
			})
		}
		servertest.Do(w, "admin", api.UnpublishIntegration, api.IntegrationRef{Integration: "acme.gone"})
		servertest.Do(w, "admin", api.DeleteOrganization, deleteOrganizationInput(w, id))
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		if left := servertest.KeysWithID(w, id); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		w.Call("reader", http.MethodGet, "/v1/orgs/"+w.Org, nil, http.StatusOK)
	})
}
