package review_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// TestChangeRequestDescription checks that the description of a change request is returned byte for byte, and can be changed
// and removed.
func TestChangeRequestDescription(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpace().ID
		const text = "Check the *figures*, please.\r\n\r\nThe field test is in [OPS-311](https://example.com/311).\n"
		created := servertest.Do(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{
			Space: space, Body: api.ChangeRequestCreate{Description: api.Describe(text)},
		})
		servertest.Equal(t, "made with", text, created.DescriptionMarkdown)
		ref := servertest.Ref(created)
		servertest.Equal(t, "read", text, w.ReadRequest(ref).DescriptionMarkdown)

		update := func(patch api.ChangeRequestPatch) api.ChangeRequest {
			return servertest.Do(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{ChangeRequestRef: ref, Body: patch})
		}
		servertest.Equal(t, "with another change", text, update(api.ChangeRequestPatch{Subject: api.Some("Figures")}).DescriptionMarkdown)
		servertest.Equal(t, "changed", "Shorter.", update(api.ChangeRequestPatch{
			Description: api.Describe("Shorter."),
		}).DescriptionMarkdown)
		servertest.Equal(t, "removed by an empty text", "",
			update(api.ChangeRequestPatch{Description: api.Describe("")}).DescriptionMarkdown)
		update(api.ChangeRequestPatch{Description: api.Describe(strings.Repeat("é", 10_000))})
		servertest.Equal(t, "removed by null", "", update(api.ChangeRequestPatch{
			Description: api.Null[api.Description](),
		}).DescriptionMarkdown)
		servertest.Equal(t, "made with null", "", servertest.Do(w, "editor", api.CreateChangeRequest, api.CreateChangeRequestInput{
			Space: space, Body: api.ChangeRequestCreate{Description: api.Null[api.Description]()},
		}).DescriptionMarkdown)

		const document = `{"object":"document","data":{"schemaVersion":1},"nodes":[{"object":"block","type":"paragraph","nodes":[{"object":"text","leaves":[{"object":"leaf","text":"Look","marks":[{"object":"mark","type":"bold"}]}]}]}]}`
		for object, want := range map[string]string{
			document: "**Look**\n", `{"document":` + document + `}`: "**Look**\n", `{"markdown":"*Look*"}`: "*Look*", `{"markdown":""}`: "",
		} {
			changed := update(api.ChangeRequestPatch{Description: api.Some(api.Description{Object: api.JSONObject(object)})})
			servertest.Equal(t, object, want, changed.DescriptionMarkdown)
			servertest.Equal(t, "as a document", want != "", changed.Description != nil)
		}
		update(api.ChangeRequestPatch{Description: api.Describe("Stays.")})
		servertest.Equal(t, "nothing said", "Stays.", update(api.ChangeRequestPatch{
			Description: api.Some(api.Description{Object: api.JSONObject(`{}`)}),
		}).DescriptionMarkdown)

		for _, wrong := range []string{strings.Repeat("é", 10_001), "a\x00b"} {
			e := w.WantUntouched(func() api.Error {
				return servertest.Refused(w, "editor", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
					ChangeRequestRef: ref, Body: api.ChangeRequestPatch{Description: api.Describe(wrong)},
				}, 422, api.ReasonInvalid)
			})
			servertest.Equal(t, "field", "description", e.Fields[0].Path)
		}
	})
}
