package inbox_test

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

func updateReading(w *servertest.World, as string, ref api.ChangeRequestRef, body api.ReadingUpdate) api.Reading {
	w.T.Helper()
	return servertest.Do(w, as, api.UpdateChangeRequestReading, api.UpdateReadingInput{ChangeRequestRef: ref, Body: body})
}

func getReading(w *servertest.World, as string, ref api.ChangeRequestRef) api.Reading {
	w.T.Helper()
	return servertest.Do(w, as, api.GetChangeRequestReading, ref)
}

// readByItem returns whether each changed item is read, by id.
func readByItem(r api.Reading) map[string]bool {
	read := map[string]bool{}
	for _, item := range r.Items {
		read[item.ID] = item.Read
	}
	return read
}

// proposalWorld is a world with a change request that changes one item of each kind, and edits a page that includes a note and a
// variable.
type proposalWorld struct {
	*servertest.World

	ref                                api.ChangeRequestRef
	page, otherPage, deletedPage, note string
	file                               string
}

func newProposal(w *servertest.World) proposalWorld {
	w.T.Helper()
	space, page := w.NewSpaceWithPage("Green.\n")
	setup := w.NewRequest("editor", space)
	created := w.Change(setup, servertest.NewPage("Other", "Other page.\n"), servertest.NewPage("Gone", "Soon gone.\n"),
		servertest.InsertReusable("Note", "A note.\n"), servertest.SetVariables("", "colour", "bright"))
	p := proposalWorld{
		World: w, page: page, otherPage: created.Changes[0].Page.ID, deletedPage: created.Changes[1].Page.ID,
		note: created.Changes[2].ReusableContent.ID,
	}
	w.MustMerge(setup)
	p.ref = w.NewRequest("editor", space)
	edited := w.Change(p.ref, p.edit(), servertest.DeletePage(p.deletedPage), servertest.SetVariables("", "size", "small"),
		servertest.InsertReusable("More", "More.\n"),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{{Name: "a.txt", ContentType: "text/plain", Base64: "aGk="}}})
	p.file = edited.InsertedFiles[0].File.ID
	return p
}

func (p proposalWorld) edit() api.ContentChange {
	return servertest.Write(p.page, "Red in {{ space.vars.colour }}.\n\n{% include \"reusable:"+p.note+"\" %}\n")
}

// mergeOthers merges other changes into the space and updates the change request.
func (p proposalWorld) mergeOthers(changes ...api.ContentChange) {
	p.T.Helper()
	other := p.NewRequest("editor", p.ref.Space)
	p.Change(other, changes...)
	p.MustMerge(other)
	servertest.Equal(p.T, "update", api.OutcomeUpdate, p.Pull(p.ref).Result)
}

// TestReadingProgress checks that all changed items can be marked as read: pages, including deleted ones, files, variables and
// reusable contents. A mark is valid until its item changes, and reading an item does not mark it.
func TestReadingProgress(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newProposal(w)
		first := getReading(w, "reviewer", p.ref)
		servertest.Equal(t, "total", 5, first.Total)
		servertest.Equal(t, "read", 0, first.Read)
		kinds := map[string]api.UnseenReason{}
		all := []string{}
		for _, item := range first.Items {
			kinds[strings.SplitAfter(item.ID, ":")[0]] = item.Reason
			all = append(all, item.ID)
		}
		servertest.Equal(t, "page", api.UnseenText, kinds[p.page])
		servertest.Equal(t, "page that is gone", api.UnseenDeleted, kinds[p.deletedPage])
		servertest.Equal(t, "file", api.UnseenCreated, kinds[p.file])
		servertest.Equal(t, "variable", api.UnseenSettings, kinds[api.VariablePrefix])

		servertest.Equal(t, "read of all", 5, updateReading(w, "reviewer", p.ref, api.ReadingUpdate{Read: all}).Read)
		before := getReading(w, "reviewer", p.ref)
		servertest.Equal(t, "again", before, updateReading(w, "reviewer", p.ref, api.ReadingUpdate{}))
		servertest.Equal(t, "of somebody else", 0, getReading(w, "admin", p.ref).Read)
		w.Change(p.ref, servertest.SetVariables("", "size", "large"))
		now := readByItem(getReading(w, "reviewer", p.ref))
		servertest.Equal(t, "the variable", false, now["variable:size"])
		servertest.Equal(t, "the page", true, now[p.page])
		taken := updateReading(w, "reviewer", p.ref, api.ReadingUpdate{Unread: []string{p.page, p.otherPage}})
		servertest.Equal(t, "taken back", false, readByItem(taken)[p.page])
		servertest.Equal(t, "left", 3, taken.Read)

		e := w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "reviewer", api.UpdateChangeRequestReading, api.UpdateReadingInput{
				ChangeRequestRef: p.ref, Body: api.ReadingUpdate{Read: []string{p.page, p.otherPage}},
			}, 422, api.ReasonInvalid)
		})
		servertest.Equal(t, "what is not changed", "read[1]", e.Fields[0].Path)
		servertest.Refused(w, "reviewer", api.UpdateChangeRequestReading, api.UpdateReadingInput{
			ChangeRequestRef: p.ref, Body: api.ReadingUpdate{Read: []string{p.page}, Unread: []string{p.page}},
		}, 422, api.ReasonInvalid)
		servertest.Refused(w, "reviewer", api.UpdateChangeRequestReading, api.UpdateReadingInput{
			ChangeRequestRef: p.ref, Body: api.ReadingUpdate{Revision: first.Base, Read: []string{p.page}},
		}, 422, api.ReasonInvalid)
		servertest.Equal(t, "last look", "1-2", updateReading(w, "reviewer", p.ref, api.ReadingUpdate{LastLook: api.Some("1-2")}).LastLook)
		servertest.Equal(t, "kept", "1-2", getReading(w, "reviewer", p.ref).LastLook)
		servertest.Equal(t, "forgotten", "", updateReading(w, "reviewer", p.ref, api.ReadingUpdate{LastLook: api.Null[string]()}).LastLook)
	})
}

// TestMarkIsClearedByChanges checks that a mark covers the text, settings, position and included content of an item, and the
// text that it is compared with.
func TestMarkIsClearedByChanges(t *testing.T) {
	t.Parallel()
	retitle := func(id, title string) api.ContentChange {
		return api.ContentChange{Operation: api.UpdatePage, Page: id, Title: api.Some(title)}
	}
	for name, test := range map[string]struct {
		read bool
		act  func(p proposalWorld)
	}{
		"text changed": {false, func(p proposalWorld) { p.Change(p.ref, servertest.Write(p.page, "Blue.\n")) }},
		"change reverted": {true, func(p proposalWorld) {
			p.Change(p.ref, servertest.Write(p.page, "Blue.\n"))
			p.Change(p.ref, p.edit())
		}},
		"page moved":         {false, func(p proposalWorld) { p.Change(p.ref, servertest.MovePage(p.page, p.otherPage, 0)) }},
		"title changed":      {false, func(p proposalWorld) { p.Change(p.ref, retitle(p.page, "Other")) }},
		"other page changed": {true, func(p proposalWorld) { p.Change(p.ref, servertest.Write(p.otherPage, "x\n")) }},
		"update that changes another page": {true, func(p proposalWorld) {
			p.mergeOthers(servertest.Write(p.otherPage, "Elsewhere.\n"))
		}},
		"included text changed": {false, func(p proposalWorld) {
			p.Change(p.ref, api.ContentChange{
				Operation: api.UpdateReusableContent, ReusableContent: p.note, Document: &api.Document{Markdown: api.Some("Other.\n")},
			})
		}},
		"used variable changed":   {false, func(p proposalWorld) { p.Change(p.ref, servertest.SetVariables("", "colour", "dark")) }},
		"unused variable changed": {true, func(p proposalWorld) { p.Change(p.ref, servertest.SetVariables("", "size", "large")) }},
		"base text changed": {false, func(p proposalWorld) {
			other := p.NewRequest("editor", p.ref.Space)
			p.Change(other, servertest.Write(p.page, "Yellow.\n"))
			p.MustMerge(other)
			conflict := servertest.Do(p.World, "editor", api.GetChangeRequestConflicts, p.ref).Conflicts[0].ID
			p.Pull(p.ref, api.Resolution{Conflict: conflict, Take: api.TakeTheirs})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servertest.Once(t, func(t *testing.T, w *servertest.World) {
				p := newProposal(w)
				servertest.Equal(t, "marked", true,
					readByItem(updateReading(w, "reviewer", p.ref, api.ReadingUpdate{Read: []string{p.page}}))[p.page])
				test.act(p)
				servertest.Equal(t, "read", test.read, readByItem(getReading(w, "reviewer", p.ref))[p.page])
			})
		})
	}
}

// TestMarkEarlierRevision checks that items read offline can be marked later, at the revision that was read.
func TestMarkEarlierRevision(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newProposal(w)
		seen := w.ReadRequest(p.ref).Revision
		w.Change(p.ref, servertest.Write(p.page, "Blue.\n"))
		p.mergeOthers(servertest.Write(p.otherPage, "Elsewhere.\n"))
		late := readByItem(updateReading(w, "reviewer", p.ref, api.ReadingUpdate{
			Revision: seen, Read: []string{p.page, p.deletedPage, "variable:size"},
		}))
		servertest.Equal(t, "changed since", false, late[p.page])
		servertest.Equal(t, "as it was", true, late[p.deletedPage])
		servertest.Equal(t, "variable", true, late["variable:size"])
	})
}

// TestReadingsAreDeletedWithReader checks that readings are deleted with their reader and with the space.
func TestReadingsAreDeletedWithReader(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newProposal(w)
		updateReading(w, "reviewer", p.ref, api.ReadingUpdate{Read: []string{p.page, p.file}})
		updateReading(w, "creator", p.ref, api.ReadingUpdate{Read: []string{p.page}})
		servertest.Do(w, "reviewer", api.PutChangeRequestSavedQueries, api.PutSavedQueriesInput{
			OrganizationRef: api.OrganizationRef{Organization: w.Org}, Body: api.SavedQueries{Queries: []api.SavedQuery{{Name: "Mine"}}},
		})
		reviewer, creator := w.Users["reviewer"].ID, w.Users["creator"].ID
		servertest.Equal(t, "records", 3, countPrivate(w, ""))
		servertest.Do(w, "reviewer", api.DeleteMember, api.MemberRef{Organization: w.Org, User: reviewer})
		servertest.RunJobs(w)
		servertest.Equal(t, "of who left", 0, countPrivate(w, reviewer))
		servertest.Equal(t, "of who stayed", 1, countPrivate(w, creator))
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: p.ref.Space})
		w.Clock.Advance(store.TrashTime)
		servertest.RunJobs(w)
		servertest.Equal(t, "with the space", 0, countPrivate(w, ""))
	})
}

// TestTransferDeletesReadings checks that readings are dropped when the space moves to another organization.
func TestTransferDeletesReadings(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		p := newProposal(w)
		updateReading(w, "reviewer", p.ref, api.ReadingUpdate{Read: []string{p.page}})
		target := servertest.NewOrganization(w, "Another", "reviewer")
		servertest.Do(w, "admin", api.TransferSpace, api.TransferSpaceInput{Space: p.ref.Space, Body: api.Transfer{Organization: target}})
		servertest.RunJobs(w)
		servertest.Equal(t, "read there", 0, getReading(w, "reviewer", p.ref).Read)
		servertest.Equal(t, "records", 0, countPrivate(w, ""))
	})
}

// countPrivate counts the private records of a user, or of all users if user is "".
func countPrivate(w *servertest.World, user string) (n int) {
	w.T.Helper()
	for key := range w.Dump() {
		if strings.Contains(key, user) && (strings.Contains(key, "}:read:") || strings.Contains(key, "}:saved:")) {
			n++
		}
	}
	return n
}
