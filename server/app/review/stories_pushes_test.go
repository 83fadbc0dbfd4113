package review_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// patchRequest returns the input of an update of a change request.
func patchRequest(ref api.ChangeRequestRef, patch api.ChangeRequestPatch) api.UpdateChangeRequestInput {
	return api.UpdateChangeRequestInput{ChangeRequestRef: ref, Body: patch}
}

// TestIncompletePushPreventsMerge checks that a change request can be neither opened nor merged while somebody pushes to it,
// that the refusals say who and since when, and that others may edit it meanwhile.
func TestIncompletePushPreventsMerge(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		made := servertest.Do(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{
			Space: space, Body: api.ChangeRequestCreate{Pushing: true},
		})
		ref := api.ChangeRequestRef{Space: space, ChangeRequest: made.ID}
		if made.Pushing == nil || made.Pushing.User.ID != w.Users["editor"].ID || made.Pushing.Since != made.CreatedAt {
			t.Fatalf("pushing: %+v", made.Pushing)
		}
		w.Change(ref, servertest.Write(page, "First step.\n"))
		servertest.Do(w, "creator", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: ref, Body: api.ContentEdit{Changes: []api.ContentChange{servertest.NewPage("Aside", "Aside.\n")}},
		})
		since := made.Pushing.Since.UTC().Format("2006-01-02 15:04 UTC")
		refused := func(e api.Error) {
			t.Helper()
			if !strings.Contains(e.Message, "The editor has been pushing to it since "+since) {
				t.Errorf("message %q", e.Message)
			}
		}
		w.WantUntouched(func() api.Error {
			refused(servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState))
			refused(servertest.Refused(w, "admin", api.UpdateChangeRequest, patchRequest(ref, api.ChangeRequestPatch{
				Status: api.Some(api.StatusOpen),
			}), 409, api.ReasonState))
			refused(servertest.Refused(w, "editor", api.RequestChangeRequestReview, api.RequestReviewInput{
				ChangeRequestRef: ref, Body: api.ReviewRequest{Users: []string{w.Users["reviewer"].ID}},
			}, 409, api.ReasonState))
			refused(servertest.Refused(w, "creator", api.UpdateChangeRequest, patchRequest(ref, api.ChangeRequestPatch{
				Pushing: api.Some(true),
			}), 409, api.ReasonState))
			refused(servertest.Refused(w, "reviewer", api.UpdateChangeRequest, patchRequest(ref, api.ChangeRequestPatch{
				Pushing: api.Some(false),
			}), 403, api.ReasonForbidden))
			return api.Error{}
		})
		gate := getGate(w, "reviewer", ref, api.GatePush)
		servertest.Equal(t, "gate", [2]any{api.GateFailed, api.CausePushing}, [2]any{gate.State, gate.Cause})
		servertest.Equal(t, "cleared by", [2]any{api.RoleAdmin, w.Users["editor"].ID},
			[2]any{gate.ClearedBy.Role, gate.ClearedBy.Users[0].ID})
		servertest.Equal(t, "message", "The editor has been pushing to it since "+since+", and the push is not complete.", gate.Message)
		servertest.Equal(t, "mergeable", false, getMergeability(w, "reviewer", ref).Mergeable)

		ended := servertest.Do(w, "editor", api.UpdateChangeRequest, patchRequest(ref, api.ChangeRequestPatch{
			Pushing: api.Some(false), Status: api.Some(api.StatusOpen),
		}))
		servertest.Equal(t, "pushing after the end", nil, ended.Pushing)
		servertest.Equal(t, "status after the end", api.StatusOpen, ended.Status)
		servertest.Equal(t, "mergeable after the end", true, getMergeability(w, "reviewer", ref).Mergeable)
		w.MustMerge(ref)
		servertest.Refused(w, "editor", api.UpdateChangeRequest, patchRequest(ref, api.ChangeRequestPatch{Pushing: api.Some(true)}), 409,
			api.ReasonState)
	})
}

// TestPushEnds checks who and what ends a push, and that a push to an open change request can be started again.
func TestPushEnds(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space, page := w.NewSpaceWithPage("Text.\n")
		ref := w.NewRequest("creator", space)
		w.Change(ref, servertest.Write(page, "Other.\n"))
		update := func(as string, patch api.ChangeRequestPatch) api.ChangeRequest {
			t.Helper()
			return servertest.Do(w, as, api.UpdateChangeRequest, patchRequest(ref, patch))
		}
		start, end := api.ChangeRequestPatch{Pushing: api.Some(true)}, api.ChangeRequestPatch{Pushing: api.Some(false)}
		update("creator", api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)})
		started := update("editor", start)
		servertest.Equal(t, "status during the push", api.StatusOpen, started.Status)
		servertest.Equal(t, "started twice", started, update("editor", start))
		servertest.Refused(w, "reviewer", api.MergeChangeRequest, api.MergeInput{ChangeRequestRef: ref}, 409, api.ReasonState)
		servertest.Equal(t, "ended by an admin", nil, update("admin", end).Pushing)
		servertest.Equal(t, "ended twice", nil, update("creator", end).Pushing)

		update("editor", start)
		archived := update("creator", api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)})
		servertest.Equal(t, "archived", nil, archived.Pushing)
		servertest.Refused(w, "editor", api.UpdateChangeRequest, patchRequest(ref, start), 409, api.ReasonState)
		both := api.ChangeRequestPatch{Status: api.Some(api.StatusArchived), Pushing: api.Some(true)}
		e := servertest.Refused(w, "creator", api.UpdateChangeRequest, patchRequest(ref, both), 422, api.ReasonInvalid)
		servertest.Equal(t, "field", "pushing", e.Fields[0].Path)
		again := update("creator", api.ChangeRequestPatch{Status: api.Some(api.StatusDraft), Pushing: api.Some(true)})
		servertest.Equal(t, "who pushes to it again", w.Users["creator"].ID, again.Pushing.User.ID)
	})
}
