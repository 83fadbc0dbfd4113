package servertest

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Words splits text at all characters that are neither letters nor digits.
func Words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// ReplacePages replaces all pages of a space with three new ones.
func ReplacePages(w *World, space string) (pages []string) {
	w.T.Helper()
	seed := w.NewRequest("editor", space)
	var changes []api.ContentChange
	for _, old := range w.Pages(seed) {
		changes = append(changes, DeletePage(old.ID))
	}
	for i := range 3 {
		changes = append(changes, NewPage(fmt.Sprintf("Page %d", i), "Alpha beta. Gamma delta.\n\nEpsilon zeta. Eta theta.\n"))
	}
	for _, effect := range w.Change(seed, changes...).Changes {
		if effect.Object == "created_page" {
			pages = append(pages, effect.Page.ID)
		}
	}
	w.MustMerge(seed)
	return pages
}

// FormatOptional formats an optional string.
func FormatOptional(s *string) string {
	if s == nil {
		return "absent"
	}
	return *s
}

// ThreeSentences is a paragraph for merges.
const ThreeSentences = "The lamp is green. The door is shut. The cat is asleep.\n"

// An OpenAPI specification for tests.
const (
	PetsSlug = "pets"
	PetsText = `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{"/pets":{"get":{"operationId":"listPets","responses":{"200":{"description":"All."}}}}}}`
)

// NewSpec creates a specification with a text as the admin, runs due jobs, and returns the specification.
func NewSpec(w *World, slug, text string) api.OpenAPISpec {
	w.T.Helper()
	Do(w, "admin", api.CreateOpenAPISpec, api.CreateOpenAPISpecInput{
		Organization: w.Org, Body: api.OpenAPISpecCreate{Slug: slug, Source: api.OpenAPISource{Text: text}},
	})
	return ReadSpec(w, slug)
}

// SpecRef returns the reference of a specification of the organization.
func SpecRef(w *World, slug string) api.OpenAPISpecRef {
	return api.OpenAPISpecRef{Organization: w.Org, Spec: slug}
}

// ReadSpec runs due jobs and returns the specification with the given slug.
func ReadSpec(w *World, slug string) api.OpenAPISpec {
	w.T.Helper()
	w.Must(w.Server.RunDueJobs(w.T.Context()))
	return Do(w, "reader", api.GetOpenAPISpec, SpecRef(w, slug))
}

// PutSpec creates or replaces a specification.
func PutSpec(w *World, slug string, source api.OpenAPISource) api.OpenAPISpec {
	w.T.Helper()
	return Do(w, "creator", api.PutOpenAPISpec, api.PutOpenAPISpecInput{
		OpenAPISpecRef: SpecRef(w, slug), Body: api.OpenAPISpecPut{Source: source},
	})
}

// SetQuota sets limits of an organization by the names of its quotas.
func SetQuota(w *World, org string, limits map[string]*int64) {
	w.T.Helper()
	w.Must(orgs.Accounts{Store: w.Store}.SetLimits(w.T.Context(), store.Organization(org), txn.QuotaKey(org), limits))
}

// ExhaustQuotas sets the limits of all organizations to zero.
func ExhaustQuotas(w *World) {
	w.T.Helper()
	organizations, err := w.Store.Organizations(w.T.Context())
	w.Must(err)
	for _, org := range organizations {
		SetQuota(w, org, map[string]*int64{"bytes": new(int64(1)), "records": new(int64(1))})
	}
}

// ShownRole returns the role of a user in a space as shown by responses, or "" if it is not visible. Admins are shown
// with the role create.
func ShownRole(w *World, who, space string) api.Role {
	w.T.Helper()
	a := Try(w, who, api.GetSpace, api.GetSpaceInput{Space: space})
	if a.Status == 404 {
		return api.RoleGuest
	}
	p := Do(w, who, api.GetSpace, api.GetSpaceInput{Space: space}).Permissions
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

// Grant grants a user a role on a space or collection.
func Grant(w *World, who, content string, role api.Role) {
	w.T.Helper()
	w.Must(w.Store.Update(w.T.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		m, err := tx.Member(w.Org, w.Users[who].ID)
		if err != nil {
			return err
		}
		if m.Private.Grants == nil {
			m.Private.Grants = map[string]api.Role{}
		}
		m.Private.Grants[content] = role
		_, err = tx.PutMember(w.Org, m)
		return err
	}))
}

// AbsentID returns an id of the same form that does not exist.
func AbsentID(id string) string { return id[:len(id)-5] + "zzzzz" }

// ChiefEmail is an e-mail address in a domain of the organization.
const ChiefEmail = "cfo@corp.example"

// Paragraphs of a page about a pump, for tests of the anchors of comments.
const (
	PumpIntro = "This page says how the pump is started, and what to do when it does not.\n\n"
	PumpBody  = "Open the valve first. Wait for the pressure to rise above four bar. Then press the green button.\n\n"
	PumpLast  = "Call the service if nothing moves within a minute, and stay with the pump.\n\n"
)

// Upload adds a file to a change request and returns it with its download path.
func Upload(w *World, ref api.ChangeRequestRef, name, contentType string, data []byte) (f api.File, download string) {
	w.T.Helper()
	f = w.Change(ref, api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
		{Name: name, ContentType: contentType, Base64: base64.StdEncoding.EncodeToString(data)},
	}}).InsertedFiles[0].File
	download, ok := strings.CutPrefix(f.DownloadURL, PublicURL)
	if !ok || !strings.HasPrefix(download, "/raw/") {
		w.T.Fatalf("downloadURL %s", f.DownloadURL)
	}
	return f, download
}

// InviteAs creates an invite as a user.
func InviteAs(w *World, as, email string, role api.Role) api.Invite {
	w.T.Helper()
	return Do(w, as, api.CreateInvite, api.CreateInviteInput{
		Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(email), Role: api.Some(role)},
	}).Invites[0]
}

// AcceptInput returns the input that accepts an invite.
func AcceptInput(i api.Invite) api.AcceptInviteInput {
	return api.AcceptInviteInput{Body: api.InviteAccept{Secret: i.Secret, DisplayName: "Newcomer"}}
}

// SpaceTitles returns the titles of the spaces of a collection, in order.
func SpaceTitles(w *World, collection string) (titles []string) {
	w.T.Helper()
	for _, s := range Do(w, "admin", api.ListCollectionSpaces, api.ListCollectionSpacesInput{Collection: collection}).Items {
		titles = append(titles, s.Title)
	}
	return titles
}

// SpacePointer returns a pointer to a space, or nil for "".
func SpacePointer(space string) *api.ContentPointer {
	if space == "" {
		return nil
	}
	return &api.ContentPointer{Type: api.PointerSpace, Space: space}
}

// AcceptLinkInput returns the input that accepts an invite link.
func AcceptLinkInput(l api.LinkInvite) api.AcceptInviteInput {
	return api.AcceptInviteInput{Body: api.InviteAccept{Secret: l.Secret, DisplayName: "Passer-by"}}
}

// AcceptLink accepts an invite link as a new user, and adds the user to the world under name.
func AcceptLink(w *World, name string, l api.LinkInvite) api.Accepted {
	w.T.Helper()
	made := Do(w, "", api.AcceptInvite, AcceptLinkInput(l))
	w.Tokens[name] = made.Token
	return made
}
