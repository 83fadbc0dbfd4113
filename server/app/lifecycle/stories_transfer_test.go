package lifecycle_test

import (
	"encoding/json"
	"errors"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func TestTransferSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		s := w.Populate()
		servertest.Refused(w, "admin", api.TransferSpace, servertest.TransferInput(s.Handbook, w.OtherOrg), 422, api.ReasonInvalid)
		servertest.Do(w, "admin", api.DeleteSite, api.SiteRef{Organization: w.Org, Site: s.Site})
		other := servertest.NewOrganization(w, "Other", "creator")
		before := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook})
		rehearsal := dryRunTransfer(w, s.Handbook, other)
		servertest.Equal(t, "organization", other, rehearsal.Organization)
		servertest.Equal(t, "still here", w.Org, servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}).Organization)

		moved := servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(s.Handbook, other))
		servertest.Equal(t, "what is dropped", rehearsal.Dropped, moved.Dropped)
		servertest.Equal(t, "parent", "", moved.Parent)
		checkArrived(w, s, before, other)
		// the pointer, its model entry, the transfer record and the snapshot remain
		if left := servertest.KeysWithIDIn(w, w.Org, s.Handbook); len(left) > 4 {
			t.Errorf("what is left: %v", left)
		}
		// the editor is not a member of the other organization
		servertest.Refused(w, "editor", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}, 404, api.ReasonNotFound)
		servertest.Refused(w, "admin", api.TransferSpace, servertest.TransferInput(s.Handbook, other), 409, api.ReasonNoChange)

		third := servertest.NewOrganization(w, "Third")
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(s.Handbook, third))
		checkArrived(w, s, before, third)
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(s.Handbook, w.Org))
		checkArrived(w, s, before, w.Org)
		servertest.Equal(t, "writes", "Back", servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: s.Handbook, Body: api.SpacePatch{Title: api.Some("Back")},
		}).Title)
	})
}

// TestTransferKeepsPushes checks that a change request that began at an earlier revision, with a push that is not complete,
// moves to another organization and can be merged there, and that its base is one in a duplicate of the space, too.
func TestTransferKeepsPushes(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("One. Two.\n")
		base := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Revision
		meanwhile := w.NewRequest("editor", space)
		w.Change(meanwhile, servertest.Write(page, "One. Other.\n"))
		w.MustMerge(meanwhile)
		create := func(space string) api.ChangeRequest {
			return servertest.Do(w, "admin", api.CreateChangeRequest, api.CreateChangeRequestInput{
				Space: space, Body: api.ChangeRequestCreate{Revision: base, Pushing: true},
			})
		}
		made := create(space)
		w.Edit("admin", made, servertest.Update(page, "Changed. Two.\n"))
		copied := servertest.Do(w, "admin", api.DuplicateSpace, api.SpaceRef{Space: space})
		servertest.Equal(t, "outdated in a duplicate", true, create(copied.ID).Outdated)

		other := servertest.NewOrganization(w, "Other", "creator")
		servertest.Do(w, "admin", api.TransferSpace, servertest.TransferInput(space, other))
		merge := api.MergeInput{ChangeRequestRef: servertest.Ref(made)}
		servertest.Refused(w, "admin", api.MergeChangeRequest, merge, 409, api.ReasonState)
		servertest.Do(w, "admin", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
			ChangeRequestRef: servertest.Ref(made), Body: api.ChangeRequestPatch{Pushing: api.Some(false)},
		})
		servertest.Do(w, "admin", api.MergeChangeRequest, merge)
		text := servertest.Do(w, "admin", api.GetContentPage, api.PageInput{
			Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		}).Markdown
		servertest.Equal(t, "text", "Changed. Other.\n", *text)
	})
}

// dryRunTransfer returns the response to a dry run of the transfer of a space to an organization.
func dryRunTransfer(w *servertest.World, space, to string) (response api.TransferredSpace) {
	w.T.Helper()
	a := w.Call("admin", "POST", "/v1/spaces/"+space+"/transfer?dryRun=true", api.Transfer{Organization: to}, 200)
	w.Must(json.Unmarshal(a.Body, &response))
	return response
}

// checkArrived fails the test unless the Handbook is listed by its new organization only and has its former counts, text,
// comment and change request.
func checkArrived(w *servertest.World, s *servertest.Sample, before api.Space, org string) {
	w.T.Helper()
	now := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook})
	servertest.Equal(w.T, "organization", org, now.Organization)
	servertest.Equal(w.T, "counts", [4]int{before.Comments, before.ChangeRequests, before.ChangeRequestsOpen, before.ChangeRequestsDraft},
		[4]int{now.Comments, now.ChangeRequests, now.ChangeRequestsOpen, now.ChangeRequestsDraft})
	a := w.Call("admin", "GET", "/v1/spaces/"+s.Handbook+"/content/page/"+s.Pages["Usage"]+"?format=markdown", nil, 200)
	var page api.RevisionPage
	w.Must(json.Unmarshal(a.Body, &page))
	servertest.Equal(w.T, "text", servertest.UsageText, *page.Markdown)
	comment := servertest.Do(w, "admin", api.GetComment, api.CommentInput{
		CommentRef: api.CommentRef{Space: s.Handbook, Comment: s.Comment.ID},
	})
	servertest.Equal(w.T, "author", s.Comment.PostedBy.DisplayName, comment.PostedBy.DisplayName)
	servertest.Equal(w.T, "replies", s.Comment.Replies+1, comment.Replies)
	r := servertest.Do(w, "admin", api.GetChangeRequest, servertest.Ref(s.Request))
	servertest.Equal(w.T, "number", s.Request.Number, r.Number)
	seen := 0
	for _, id := range organizationIDs(w, "admin") {
		for _, space := range servertest.Do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: id}).Items {
			if space.ID == s.Handbook {
				seen++
			}
		}
	}
	servertest.Equal(w.T, "organizations that list it", 1, seen)
}

func organizationIDs(w *servertest.World, as string) (ids []string) {
	w.T.Helper()
	for _, o := range servertest.Do(w, as, api.ListOrganizations, api.ListOrganizationsInput{}).Items {
		ids = append(ids, o.ID)
	}
	return ids
}

// TestTransferRepeatsCopyLostInFailover checks that a copy that is lost in a failover before it becomes visible is
// made again.
func TestTransferRepeatsCopyLostInFailover(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		for _, prefix := range []string{txn.SpacePrefix, txn.CollectionPrefix} {
			id := w.Store.NewID(txn.HomePrefix(prefix, w.Org))
			err := w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				return store.ArriveEntry(tx, w.Org, id)
			})
			if !errors.Is(err, redis.ErrStale) {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}
