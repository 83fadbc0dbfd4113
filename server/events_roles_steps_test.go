package server_test

import (
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/operator"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
)

// eventStep is a change that hides objects from callers, or removes them.
type eventStep struct {
	name   string
	before func(w *eventRoles, o eventObjects) // changes that are necessary for it; nil = none
	hide   func(w *eventRoles, o eventObjects) // the change, in one commit
	later  func(w *eventRoles, o eventObjects) // changes of the objects afterwards; nil = none
	undo   func(w *eventRoles, o eventObjects) // nil = none
	lose   []string                            // who saw events of the space and sees none any more
	end    string                              // whose stream ends; "" = none
}

// eventObjects are a space in a collection, shown on a site, with a change request and comments, and a collection that only admins
// can read. Their titles are unique.
type eventObjects struct {
	collection, shelf, space, site string
	request                        api.ChangeRequest
	comment                        string
	team                           string // with a role in the space
}

// Names of tokens by what they can do in the objects of a step. Admins lose nothing.
var (
	membersOfAll   = []string{"creator", "reviewer", "editor", "commenter", "reader", "robot"}
	withoutRestore = []string{"editor", "commenter", "reader", "robot", "guest", "in the team"}
	withRestore    = []string{"creator", "reviewer", servertest.AdminReading, servertest.AdminWriting} // the reviewer has the role create
	allReaders     = slices.Concat(withoutRestore, withRestore)
)

var eventSteps = []eventStep{
	{name: "the level of a space is null", hide: hideSpace, later: renameSpace, lose: membersOfAll},
	{name: "the original of a copy is hidden", before: copySpace, hide: hideSpace, later: renameSpace, lose: membersOfAll},
	{name: "the level of a collection is null", hide: hideCollection, later: renameSpace, lose: membersOfAll},
	{name: "a space moves into a hidden collection", hide: moveToShelf, later: renameSpace, lose: membersOfAll},
	{name: "a grant is taken away", hide: takeGrant, later: renameSpace, lose: []string{"guest"}},
	{name: "a team is deleted", hide: deleteTeam, later: renameSpace, lose: []string{"in the team"}},
	{name: "a role is taken away", hide: demoteReader, later: renameSpace, undo: promoteReader, lose: []string{"reader"}},
	{name: "a space is deleted", hide: deleteSpace, later: deleteCollection, lose: withoutRestore},
	{name: "a collection is deleted", hide: deleteCollection, lose: withoutRestore},
	{name: "a site is deleted", hide: deleteSite, later: renameSpace},
	{name: "a comment is deleted", hide: deleteComment, later: renameSpace},
	{name: "a change request is archived", hide: archiveRequest, later: renameSpace},
	{name: "a space is purged", before: deleteSpace, hide: purgeTrash, lose: withRestore},
	{name: "a collection is purged", before: deleteCollection, hide: purgeTrash, lose: withRestore},
	{name: "a space is transferred", before: deleteSite, hide: transferSpace, lose: allReaders},
	{name: "a collection is transferred", before: deleteSite, hide: transferCollection, lose: allReaders},
	{name: "an account is disabled", hide: disableCommenter, later: renameSpace, end: "commenter"},
	{name: "a member is removed", hide: removeEditor, later: renameSpace, end: "editor"},
}

// newObjects creates the objects of a step. Every member has a role in them, the guest one in the space and the site, and a
// team with a guest one in the space.
func (w *eventRoles) newObjects() eventObjects {
	w.T.Helper()
	n := strconv.Itoa(len(w.titles)) + "z"
	o := eventObjects{collection: w.NewCollection("Zcollection"+n, "").ID, shelf: w.NewCollection("Zshelf"+n, "").ID}
	w.titles[o.collection], w.titles[o.shelf] = []string{"Zcollection" + n}, []string{"Zshelf" + n}
	hideCollection(w, eventObjects{collection: o.shelf})
	o.space = w.NewSpaceIn("Zspace"+n, o.collection).ID
	w.titles[o.space] = []string{"Zspace" + n}
	o.request = w.CreateRequest("admin", o.space, "Zsubject"+n)
	w.Edit("admin", o.request, servertest.Insert("Zpage"+n, "", "# Zpage\n"))
	w.titles[o.request.ID] = []string{"Zsubject" + n, "Zpage" + n}
	made := servertest.Do(w.World, "admin", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: servertest.Ref(o.request), Body: api.CommentCreate{Body: servertest.CommentBody("Zcomment" + n)},
	})
	o.comment = made.ID
	o.site = servertest.Do(w.World, "admin", api.CreateSite, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{
		Title: "Zsite" + n, Spaces: api.SpaceSelection{o.space},
	}}).ID
	w.titles[o.site] = []string{"Zsite" + n}
	servertest.GrantAccess(w.World, o.space, api.PermissionCreate{Role: new(api.RoleComment), Users: []string{w.Users["guest"].ID}})
	servertest.GrantAccess(w.World, o.site, api.PermissionCreate{Role: new(api.RoleRead), Users: []string{w.Users["guest"].ID}})
	o.team = servertest.Do(w.World, "admin", api.CreateTeam, api.CreateTeamInput{
		Organization: w.Org, Body: api.TeamCreate{Title: "Zteam" + n, Members: []string{w.teamMember}},
	}).ID
	servertest.GrantAccess(w.World, o.space, api.PermissionCreate{Role: new(api.RoleRead), Teams: []string{o.team}})
	w.titles[o.team] = []string{"Zteam" + n}
	return o
}

// shows reports whether a caller receives events of the space of a step.
func (w *eventRoles) shows(as string, o eventObjects) bool {
	w.T.Helper()
	return strings.Contains(w.received(as), o.space)
}

func renameSpace(w *eventRoles, o eventObjects) {
	title := w.titles[o.space][0] + "later"
	w.titles[o.space] = append(w.titles[o.space], title)
	servertest.Do(w.World, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: o.space, Body: api.SpacePatch{Title: api.Some(title)}})
}

func copySpace(w *eventRoles, o eventObjects) {
	made := servertest.Do(w.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: o.space})
	servertest.Do(w.World, "admin", api.UpdateSpace, api.UpdateSpaceInput{Space: made.ID, Body: api.SpacePatch{Title: api.Some("Copy")}})
}

func hideSpace(w *eventRoles, o eventObjects) { w.Hide(o.space) }

func hideCollection(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.UpdateCollection, api.UpdateCollectionInput{
		Collection: o.collection, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()},
	})
}

func moveToShelf(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.MoveSpace, api.MoveSpaceInput{Space: o.space, Body: api.Move{Parent: api.Some(o.shelf)}})
}

func deleteSpace(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteSpace, api.SpaceRef{Space: o.space})
}

func deleteCollection(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteCollection, api.CollectionRef{Collection: o.collection})
}

func deleteSite(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteSite, api.SiteRef{Organization: w.Org, Site: o.site})
}

func deleteComment(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteChangeRequestComment, api.ChangeRequestCommentRef{
		ChangeRequestRef: servertest.Ref(o.request), Comment: o.comment,
	})
}

func archiveRequest(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.UpdateChangeRequest, api.UpdateChangeRequestInput{
		ChangeRequestRef: servertest.Ref(o.request), Body: api.ChangeRequestPatch{Status: api.Some(api.StatusArchived)},
	})
}

// purgeTrash removes everything in the trash for good.
func purgeTrash(w *eventRoles, _ eventObjects) {
	w.Clock.Advance(store.TrashTime)
	servertest.RunJobs(w.World)
}

func transferSpace(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.TransferSpace, servertest.TransferInput(o.space, w.sample.Other))
}

func transferCollection(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.TransferCollection, api.TransferCollectionInput{
		Collection: o.collection, Body: api.Transfer{Organization: w.sample.Other},
	})
}

func takeGrant(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteSpacePermissionUser, api.SpaceUserRef{
		SpaceRef: api.SpaceRef{Space: o.space}, User: w.Users["guest"].ID,
	})
}

func deleteTeam(w *eventRoles, o eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteTeam, api.TeamRef{Organization: w.Org, Team: o.team})
}

// setReader sets the role of the reader.
func (w *eventRoles) setReader(role api.Optional[api.Role]) {
	w.T.Helper()
	servertest.Do(w.World, "admin", api.UpdateMember, api.UpdateMemberInput{
		MemberRef: api.MemberRef{Organization: w.Org, User: w.Users["reader"].ID}, Body: api.MemberPatch{Role: role},
	})
}

func demoteReader(w *eventRoles, _ eventObjects) { w.setReader(api.Null[api.Role]()) }

func promoteReader(w *eventRoles, _ eventObjects) { w.setReader(api.Some(api.RoleRead)) }

func disableCommenter(w *eventRoles, _ eventObjects) {
	_, err := operator.Service{Store: w.Store}.SetDisabled(w.T.Context(), w.Users["commenter"].ID, true)
	w.Must(err)
	w.awaitEnd("commenter")
}

func removeEditor(w *eventRoles, _ eventObjects) {
	servertest.Do(w.World, "admin", api.DeleteMember, api.MemberRef{Organization: w.Org, User: w.Users["editor"].ID})
	w.awaitEnd("editor")
}
