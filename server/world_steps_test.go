package server_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// words splits at everything that is neither letter nor digit.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// threePages puts three new pages in the place of all that a space has.
func threePages(w *world, space string) (pages []string) {
	w.t.Helper()
	seed := w.newRequest("editor", space)
	var changes []api.ContentChange
	for _, old := range w.pages(seed) {
		changes = append(changes, remove(old.ID))
	}
	for i := range 3 {
		changes = append(changes, newPage(fmt.Sprintf("Page %d", i), "Alpha beta. Gamma delta.\n\nEpsilon zeta. Eta theta.\n"))
	}
	for _, effect := range w.change(seed, changes...).Changes {
		if effect.Object == "created_page" {
			pages = append(pages, effect.Page.ID)
		}
	}
	w.merged(seed)
	return pages
}

func show(s *string) string {
	if s == nil {
		return "absent"
	}
	return *s
}

const threeSentences = "The lamp is green. The door is shut. The cat is asleep.\n"

const (
	petsSlug = "pets"
	petsText = `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{"/pets":{"get":{"operationId":"listPets","responses":{"200":{"description":"All."}}}}}}`
)

// newSpec adds a specification by its text and has it read.
func newSpec(w *world, slug, text string) api.OpenAPISpec {
	w.t.Helper()
	do(w, "admin", api.CreateOpenAPISpec, api.CreateOpenAPISpecInput{
		Organization: w.org, Body: api.OpenAPISpecCreate{Slug: slug, Source: api.OpenAPISource{Text: text}},
	})
	return specRead(w, slug)
}

func specRef(w *world, slug string) api.OpenAPISpecRef {
	return api.OpenAPISpecRef{Organization: w.org, Spec: slug}
}

// specRead does what is due and returns what became of a specification.
func specRead(w *world, slug string) api.OpenAPISpec {
	w.t.Helper()
	w.must(w.server.RunDueJobs(w.t.Context()))
	return do(w, "reader", api.GetOpenAPISpec, specRef(w, slug))
}

func putSpec(w *world, slug string, source api.OpenAPISource) api.OpenAPISpec {
	w.t.Helper()
	return do(w, "creator", api.PutOpenAPISpec, api.PutOpenAPISpecInput{OpenAPISpecRef: specRef(w, slug), Body: api.OpenAPISpecPut{Source: source}})
}

// quota gives an organization limits of its own.
func quota(w *world, org string, limits map[string]*int64) {
	w.t.Helper()
	w.must(orgs.Accounts{Store: w.store}.SetLimits(w.t.Context(), store.Organization(org), txn.QuotaKey(org), limits))
}

// full leaves no organization room for anything.
func full(w *world) {
	w.t.Helper()
	organizations, err := w.store.Organizations(w.t.Context())
	w.must(err)
	for _, org := range organizations {
		quota(w, org, map[string]*int64{"bytes": new(int64(1)), "records": new(int64(1))})
	}
}

// shownRole is the role that the answers show for somebody in a space: none when it cannot be seen. That of an admin
// shows as create.
func shownRole(w *world, who, space string) api.Role {
	w.t.Helper()
	a := try(w, who, api.GetSpace, api.GetSpaceInput{Space: space})
	if a.Status == 404 {
		return api.RoleGuest
	}
	p := do(w, who, api.GetSpace, api.GetSpaceInput{Space: space}).Permissions
	switch {
	case p.Admin:
		return api.RoleCreate
	case p.Merge:
		return api.RoleReview
	case p.Edit:
		return api.RoleEdit
	case p.Comment:
		return api.RoleComment
	}
	return api.RoleRead
}

// grant gives somebody a role in a space or collection by name.
func grant(w *world, who, content string, role api.Role) {
	w.t.Helper()
	w.must(w.store.Update(w.t.Context(), store.Organization(w.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		m, err := tx.Member(w.org, w.users[who].ID)
		if err != nil {
			return err
		}
		if m.Private.Grants == nil {
			m.Private.Grants = map[string]api.Role{}
		}
		m.Private.Grants[content] = role
		_, err = tx.PutMember(w.org, m)
		return err
	}))
}

// elsewhere is an id of the same form that leads nowhere.
func elsewhere(id string) string { return id[:len(id)-5] + "zzzzz" }

const chief = "cfo@corp.example"

const (
	pumpIntro = "This page says how the pump is started, and what to do when it does not.\n\n"
	pumpBody  = "Open the valve first. Wait for the pressure to rise above four bar. Then press the green button.\n\n"
	pumpLast  = "Call the service if nothing moves within a minute, and stay with the pump.\n\n"
)

// upload adds a file to a change request and returns it with the path of its download.
func upload(w *world, ref api.ChangeRequestRef, name, contentType string, data []byte) (f api.File, download string) {
	w.t.Helper()
	f = w.change(ref, api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
		{Name: name, ContentType: contentType, Base64: base64.StdEncoding.EncodeToString(data)},
	}}).InsertedFiles[0].File
	download, ok := strings.CutPrefix(f.DownloadURL, publicURL)
	if !ok || !strings.HasPrefix(download, "/raw/") {
		w.t.Fatalf("downloadURL %s", f.DownloadURL)
	}
	return f, download
}

// inviteAs makes an invite with a token.
func inviteAs(w *world, as, email string, role api.Role) api.Invite {
	w.t.Helper()
	return do(w, as, api.CreateInvite, api.CreateInviteInput{
		Organization: w.org, Body: api.InviteCreate{Emails: []string{email}, Role: api.Some(role)},
	}).Invited[0]
}

// accepting is the request that accepts an invite.
func accepting(i api.Invite) api.AcceptInviteInput {
	return api.AcceptInviteInput{Body: api.InviteAccept{Secret: i.Secret, DisplayName: "Newcomer"}}
}

// spacesOf are the titles of a collection's spaces, in order.
func spacesOf(w *world, collection string) (titles []string) {
	w.t.Helper()
	for _, s := range do(w, "admin", api.ListCollectionSpaces, api.ListCollectionSpacesInput{Collection: collection}).Items {
		titles = append(titles, s.Title)
	}
	return titles
}

func pointer(space string) *api.ContentPointer {
	if space == "" {
		return nil
	}
	return &api.ContentPointer{Type: api.PointerSpace, Space: space}
}

// following is the request of somebody who follows an invite link.
func following(l api.LinkInvite) api.AcceptInviteInput {
	return api.AcceptInviteInput{Body: api.InviteAccept{Secret: l.Secret, DisplayName: "Passer-by"}}
}

// follow lets somebody without an account come in by a link, under a name of this test.
func follow(w *world, name string, l api.LinkInvite) api.Accepted {
	w.t.Helper()
	made := do(w, "", api.AcceptInvite, following(l))
	w.tokens[name] = made.Token
	return made
}
