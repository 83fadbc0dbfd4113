package events

import (
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/txn"
)

// object describes the objects that events of some operations are about.
type object struct {
	typ   string // as in the API: space, change-request
	field string // field of an entry with the id
	exact bool   // entries without the field are about no object; otherwise their id is in eventlog.ID
	// reader is the row that reads the object, and need is its need: who may read the object may see the events.
	reader string
	need   auth.Need
	// scope is the scope that the row takes besides api.ScopeRead and that of its need. "" = none
	scope api.Scope
	// shows is the field with the space that a site shows in the object; whoever sees the events may read it. "" = none
	shows string
	// own is the field with the id of the user who may see the events besides admins. "" = the need decides
	own string
}

// by returns the object whose id is in a field, which is the subject of a path, or in eventlog.ID if the path does not contain it.
func by(typ, field, reader string, need auth.Need) object {
	return object{typ: typ, field: field, reader: reader, need: need}
}

// on returns the object whose id is in a field.
func on(typ, field, reader string, need auth.Need) object {
	return object{typ: typ, field: field, exact: true, reader: reader, need: need}
}

// showing returns o with events that only those see who may read the space in a field.
func (o object) showing(field string) object { o.shows = field; return o }

// withScope returns o with events that only those see whose token has a scope.
func (o object) withScope(scope api.Scope) object { o.scope = scope; return o }

// forActor returns o with events that only the actor and admins may see.
func (o object) forActor() object { o.own = eventlog.Actor; return o }

// forUser returns o with events that only the user in the field user and admins may see.
func (o object) forUser() object { o.own = "user"; return o }

var (
	inSpace     = auth.InSpace(api.RoleComment)
	adminsOnly  = auth.InOrganization(api.RoleAdmin)
	readMembers = auth.InOrganization(api.RoleRead)
)

// objectsByResource maps the resource of an operation, the part of its name before the dot, to the object of its events.
var objectsByResource = map[string]object{
	"change-request-comments":   by("comment", "comment", "change-request-comments.get", inSpace),
	"change-request-content":    on("change-request", "changeRequest", "change-request-content.get", inSpace),
	"change-request-replies":    by("reply", "reply", "change-request-replies.get", inSpace),
	"change-request-reviews":    by("review", "review", "change-request-reviews.list", inSpace),
	"change-requests":           by("change-request", "changeRequest", "change-requests.get", inSpace),
	"collection-permissions":    on("collection", "collection", "collection-permissions.list", auth.InCollection(api.RoleCreate)),
	"collections":               by("collection", "collection", "collections.get", auth.InCollection(api.RoleRead)),
	"command":                   on("organization", eventlog.ID, "", adminsOnly),
	"comments":                  by("comment", "comment", "comments.get", inSpace),
	"content":                   on("space", "space", "content.get", auth.InSpace(api.RoleRead)),
	"email-domains":             by("email-domain", "emailDomain", "email-domains.list", adminsOnly),
	"identities":                by("identity", "identity", "identities.get", adminsOnly),
	"import-runs":               by("import-run", "importRun", "import-runs.get", auth.Member()).forActor(),
	"installation-sites":        on("installation", "installation", "", adminsOnly),
	"installation-spaces":       on("installation", "installation", "", adminsOnly),
	"installation-tokens":       on("installation", "installation", "", adminsOnly),
	"integration-installations": by("installation", "installation", "", adminsOnly),
	"integrations":              by("integration", "integration", "", adminsOnly),
	"invites":                   by("invite", "invite", "invites.list", adminsOnly),
	"link-invites":              by("link-invite", "linkInvite", "link-invites.get", auth.Member()).forActor(),
	"logins":                    by("token", "token", "tokens.list", auth.Member()).forActor(),
	"member-tokens":             by("token", "token", "tokens.list", auth.Member()).forUser(),
	"members":                   by("member", "user", "members.list", readMembers),
	"oidc-providers":            by("oidc-provider", "oidcProvider", "oidc-providers.get", adminsOnly),
	"openapi-specs":             by("openapi-spec", "", "openapi-specs.get", readMembers),
	"organizations":             by("organization", "organization", "organizations.get", auth.Member()),
	"providers":                 on("provider", "provider", "", adminsOnly),
	"replies":                   by("reply", "reply", "replies.get", inSpace),
	"revisions":                 on("space", "space", "revisions.get", inSpace),
	"saml-providers":            by("saml-provider", "samlProvider", "saml-providers.get", adminsOnly),
	"service-accounts":          by("service-account", "serviceAccount", "service-accounts.get", adminsOnly),
	"sessions":                  by("token", "token", "tokens.list", auth.Member()).forActor(),
	"share-links":               by("share-link", "shareLink", "share-links.list", auth.InSite(api.RoleCreate).AndShown()),
	"site-permissions":          on("site", "site", "site-permissions.list", auth.InSite(api.RoleCreate)),
	"site-section-groups":       by("site-section-group", "siteSectionGroup", "site-section-groups.list", auth.InSite(api.RoleRead)),
	"site-sections":             by("site-section", "siteSection", "site-sections.list", auth.InSite(api.RoleRead)),
	"site-spaces":               by("site-space", "siteSpace", "site-spaces.list", auth.InSite(api.RoleRead)).showing("space"),
	"sites":                     by("site", "site", "sites.get", auth.InSite(api.RoleRead)),
	"space-permissions":         on("space", "space", "space-permissions.list", auth.InSpace(api.RoleCreate)),
	"spaces":                    by("space", "space", "spaces.get", auth.InSpace(api.RoleRead)),
	"teams":                     by("team", "team", "teams.get", readMembers),
	"tokens":                    by("token", "token", "tokens.list", auth.Member()).forActor(),
	"transfers":                 by("transfer", "transfer", "transfers.get", adminsOnly),
	"translations":              by("translation", "translation", "translations.get", adminsOnly),
	"users":                     by("user", "user", "members.list", readMembers),
}

// refusedRequests is the kind of events of requests that were refused although their token exists.
const refusedRequests = "tokens.refuse"

// siteAuth is the site in events of the key that signs the tokens of its visitors.
var siteAuth = on("site", "site", "sites.get-auth", auth.InSite(api.RoleCreate).AndShown()).withScope(api.ScopeWrite)

// objectsByKind holds the events whose object is read by another row than the others of its resource.
var objectsByKind = map[string]object{
	api.UpdateSiteAuth.Name:            siteAuth,
	api.RegenerateSiteAuth.Name:        siteAuth,
	api.UpdateSiteAdaptiveSchema.Name:  on("site", "site", "sites.get-adaptive-schema", auth.InSite(api.RoleEdit)),
	api.DuplicateSpace.Name:            on("space", eventlog.ID, "spaces.get", auth.InSpace(api.RoleRead)), // the path has the original
	api.CreateServiceAccountToken.Name: on("token", eventlog.ID, "", adminsOnly),
	"content.repair":                   on("space", "space", "change-requests.get", inSpace), // may be about a change request
	api.JoinOrganization.Name:          on("organization", "organization", "members.list", readMembers),
	"organizations.break-glass":        on("organization", eventlog.ID, "", adminsOnly),
	"organizations.repair":             on("organization", eventlog.ID, "", adminsOnly),
	refusedRequests:                    by("token", "token", "tokens.list", auth.Member()).forUser(),
	"users.disable":                    on("user", eventlog.ID, "", adminsOnly),
	"users.enable":                     on("user", eventlog.ID, "", adminsOnly),
	"users.end":                        on("user", eventlog.ID, "", adminsOnly),
}

// jobKinds are the kinds of events of jobs and commands, with their descriptions.
var jobKinds = map[string]string{
	"collections.purge":         "A deleted collection was removed for good.",
	"command":                   "A command was run on the machine of the server.",
	"content.repair":            "Content that could not be read was replaced by what is left.",
	"identities.change-teams":   "A provider confirmed a login, and named other teams for the person.",
	"identities.create":         "An identity of a provider was linked with an account.",
	"identities.extend":         "A login goes on for an hour because the provider did not answer.",
	"identities.refuse":         "The provider said that somebody may not sign in any more; the login ends at its time.",
	"identities.request":        "A sign-in was refused whose identity an admin can link with a member.",
	"logins.approve":            "Somebody let a client act for them.",
	"logins.create":             "A client signed in with the code that it got.",
	"logins.end":                "A login was ended.",
	"logins.reuse":              "A login was ended because a replaced refresh secret was used again.",
	"openapi-specs.read":        "A specification was read from its address.",
	"organizations.break-glass": "The operator of the server made a token that works without single sign-on.",
	"organizations.repair":      "An organization was repaired.",
	"providers.activate":        "An admin signed in by a provider for the first time, or by its changed settings.",
	"providers.refuse":          "A sign-in by a provider was refused.",
	"sessions.create":           "Somebody signed in with a browser.",
	"sessions.end":              "Somebody signed out of a browser.",
	"sessions.sign-in":          "Somebody signed in with a browser, by a provider.",
	"sites.repair":              "A site was repaired.",
	"spaces.compute":            "The pages of a specification were written.",
	"spaces.purge":              "A deleted space was removed for good.",
	refusedRequests:             "Requests with a token were refused: its secret was wrong, it had expired, or its account was disabled.",
	"users.disable":             "An account was disabled.",
	"users.enable":              "An account was enabled again.",
	"users.end":                 "An account was ended.",
	"users.repair":              "An account was repaired.",
}

// unknownObject is that of events of unknown kinds, which only admins may see.
var unknownObject = on("unknown", eventlog.ID, "", adminsOnly)

// objectOf returns the object of events of a kind; ok is false if the kind is unknown.
func objectOf(kind string) (o object, ok bool) {
	if o, ok := objectsByKind[kind]; ok {
		return o, true
	}
	resource, _, _ := strings.Cut(kind, ".")
	if o, ok := objectsByResource[resource]; ok {
		return o, true
	}
	return unknownObject, false
}

// id returns the id of the object in an entry, or "".
func (o object) id(fields map[string]string) string {
	if id := fields[o.field]; id != "" || o.exact {
		return id
	}
	return fields[eventlog.ID]
}

// container returns the id of the space, collection or site in which the object of an entry is, or that it is.
func (o object) container(fields map[string]string) string {
	scope := o.need.Scope
	if o.typ == scope {
		return o.id(fields)
	}
	return fields[scope]
}

// ReadingNeed returns the row that reads the object of events of a kind, and its need. The row is "" for objects that no row reads.
// ok is false if the kind is unknown.
func ReadingNeed(kind string) (row string, need auth.Need, ok bool) {
	o, ok := objectOf(kind)
	return o.reader, o.need, ok
}

// ReadingScope returns the scope that a token needs for the row that reads the object of events of a kind.
func ReadingScope(kind string) api.Scope {
	o, _ := objectOf(kind)
	switch {
	case o.scope != "":
		return o.scope
	case o.need.Role == api.RoleAdmin:
		return api.ScopeAdmin
	}
	return api.ScopeRead
}

// ofIntegration reports whether the events of an operation are in the log of an integration, which belongs to no organization.
func ofIntegration(row api.Row) bool {
	named := func(p api.PathParam) bool { return p.Subject == "integration" }
	return row.Resource() == "integrations" || slices.ContainsFunc(row.PathParams(), named)
}

// Kinds returns the kinds of all events of organizations, sorted, with their descriptions: those of operations, jobs and commands.
func Kinds() (kinds []string, descriptions map[string]string) {
	descriptions = maps.Clone(jobKinds)
	for _, row := range api.Rows() {
		if row.Writes() && !ofIntegration(row) {
			descriptions[row.Name] = row.Summary
		}
	}
	descriptions[txn.EventCommand] = jobKinds["command"]
	return slices.Sorted(maps.Keys(descriptions)), descriptions
}
