package server_test

import (
	"encoding/json"
	"testing"

	"docspace.dev/wsd/client/api"
)

func TestStoryOfATransferredSpace(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		s := w.populate()
		refused(w, "admin", api.TransferSpace, transferSpace(s.Handbook, w.otherOrg), 422, api.ReasonInvalid)
		do(w, "admin", api.DeleteSite, api.SiteRef{Organization: w.org, Site: s.Site})
		other := organization(w, "Other", "creator")
		before := do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook})
		rehearsal := rehearsed(w, s.Handbook, other)
		equal(t, "organization", other, rehearsal.Organization)
		equal(t, "still here", w.org, do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}).Organization)

		moved := do(w, "admin", api.TransferSpace, transferSpace(s.Handbook, other))
		equal(t, "what is dropped", rehearsal.Dropped, moved.Dropped)
		equal(t, "parent", "", moved.Parent)
		arrived(w, s, before, other)
		if left := mentionsIn(w, w.org, s.Handbook); len(left) > 4 { // the pointer and its shape entry, the record of the transfer and what it kept
			t.Errorf("what is left: %v", left)
		}
		refused(w, "editor", api.GetSpace, api.GetSpaceInput{Space: s.Handbook}, 404, api.ReasonNotFound) // no member there
		refused(w, "admin", api.TransferSpace, transferSpace(s.Handbook, other), 409, api.ReasonNoChange)

		third := organization(w, "Third")
		do(w, "admin", api.TransferSpace, transferSpace(s.Handbook, third))
		arrived(w, s, before, third)
		do(w, "admin", api.TransferSpace, transferSpace(s.Handbook, w.org))
		arrived(w, s, before, w.org)
		equal(t, "writes", "Back", do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: s.Handbook, Body: api.SpacePatch{Title: api.Some("Back")},
		}).Title)
	})
}

// rehearsed is what a dry run answers.
func rehearsed(w *world, space, to string) (answer api.TransferredSpace) {
	w.t.Helper()
	a := w.call("admin", "POST", "/v1/spaces/"+space+"/transfer?dryRun=true", api.Transfer{Organization: to}, 200)
	w.must(json.Unmarshal(a.Body, &answer))
	return answer
}

// arrived holds the Handbook against what it was, in its new organization.
func arrived(w *world, s *sample, before api.Space, org string) {
	w.t.Helper()
	now := do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: s.Handbook})
	equal(w.t, "organization", org, now.Organization)
	equal(w.t, "counts", [4]int{before.Comments, before.ChangeRequests, before.ChangeRequestsOpen, before.ChangeRequestsDraft},
		[4]int{now.Comments, now.ChangeRequests, now.ChangeRequestsOpen, now.ChangeRequestsDraft})
	a := w.call("admin", "GET", "/v1/spaces/"+s.Handbook+"/content/page/"+s.Pages["Usage"]+"?format=markdown", nil, 200)
	var page api.RevisionPage
	w.must(json.Unmarshal(a.Body, &page))
	equal(w.t, "text", usageText, *page.Markdown)
	comment := do(w, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: s.Handbook, Comment: s.Comment.ID}})
	equal(w.t, "author", s.Comment.PostedBy.DisplayName, comment.PostedBy.DisplayName)
	equal(w.t, "replies", s.Comment.Replies+1, comment.Replies)
	r := do(w, "admin", api.GetChangeRequest, ref(s.Request))
	equal(w.t, "number", s.Request.Number, r.Number)
	seen := 0
	for _, id := range organizations(w, "admin") {
		for _, space := range do(w, "admin", api.ListSpaces, api.ListSpacesInput{Organization: id}).Items {
			if space.ID == s.Handbook {
				seen++
			}
		}
	}
	equal(w.t, "organizations that list it", 1, seen)
}

func organizations(w *world, as string) (ids []string) {
	w.t.Helper()
	for _, o := range do(w, as, api.ListOrganizations, api.ListOrganizationsInput{}).Items {
		ids = append(ids, o.ID)
	}
	return ids
}
