package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// call is one of several concurrent requests. It returns no response if it is not a request.
type call func(w *servertest.World) (servertest.Response, bool)

// request returns a call of an operation.
func request[In, Out any](as string, row api.Route[In, Out], in In) call {
	return func(w *servertest.World) (servertest.Response, bool) { return servertest.Try(w, as, row, in), true }
}

// nameRace is a race for a unique name on several nodes.
type nameRace struct {
	t        *testing.T
	nodes    []*servertest.World
	statuses map[int]int // answers by status
	busy     int
}

// run makes all calls at once, on the nodes in turn. No answer may be a server error, except 503 with Retry-After because of too many
// writers, which is counted.
func (r *nameRace) run(calls ...call) {
	r.t.Helper()
	responses := make([]servertest.Response, len(calls))
	var done sync.WaitGroup
	for i, c := range calls {
		done.Go(func() {
			if a, ok := c(r.nodes[i%len(r.nodes)]); ok {
				responses[i] = a
			}
		})
	}
	done.Wait()
	for _, a := range responses {
		if a.Status == 0 {
			continue // no request
		}
		busy := strings.HasPrefix(a.Error().Message, "Too many writers") && a.Header.Get("Retry-After") != ""
		switch r.statuses[a.Status]++; {
		case a.Status < http.StatusInternalServerError:
		case a.Status == http.StatusServiceUnavailable && busy:
			r.busy++
		default:
			r.t.Errorf("answer %d %s", a.Status, a.Body)
		}
	}
}

// nameRaces are races for the name with a number, by what the name is of.
var nameRaces = map[string]func(r *nameRace) (round func(n int)){
	"hostname of a site":         raceSiteHostnames,
	"hostname of organizations":  raceOrganizationHostnames,
	"e-mail address":             raceAddresses,
	"basename of a site":         raceBasenames,
	"slug of a specification":    raceSpecSlugs,
	"name of an integration":     raceIntegrationNames,
	"hostname of a deleted site": raceDeletedSites,
	"invite of an address":       raceInvites,
}

// TestRacesGiveNameToOneOwnerCampaign makes 16 requests at once on two nodes that give a name to several owners or take it away,
// and checks that no two of them have it afterwards and that fsck finds nothing.
func TestRacesGiveNameToOneOwnerCampaign(t *testing.T) {
	t.Parallel()
	rounds, _ := storetest.Campaign(t, "claims", 4, 200)
	for name, setUp := range nameRaces {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &nameRace{t: t, nodes: servertest.NewNodes(t, 2), statuses: map[int]int{}}
			round := setUp(r)
			for n := 0; n < rounds && !t.Failed(); n++ {
				round(n)
			}
			r.nodes[0].Fsck()
			answers := 0
			for _, n := range r.statuses {
				answers += n
			}
			if t.Logf("%d answers by status: %v", answers, r.statuses); r.busy*1000 > answers {
				t.Errorf("%d of %d answers are 503", r.busy, answers)
			}
		})
	}
}

func setSiteHostname(as string, site api.SiteRef, hostname api.Optional[string]) call {
	return request(as, api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: hostname}})
}

// foreignSite creates a site in the other organization.
func foreignSite(w *servertest.World) api.SiteRef {
	made := servertest.Do(w, "stranger", api.CreateSite, api.CreateSiteInput{Organization: w.OtherOrg})
	return api.SiteRef{Organization: w.OtherOrg, Site: made.ID}
}

// requireOneOwner gives a hostname to the foreign site and checks that the site does not have it if this succeeds.
func requireOneOwner(r *nameRace, site, foreign api.SiteRef, hostname string) {
	r.t.Helper()
	w := r.nodes[0]
	a, _ := setSiteHostname("stranger", foreign, api.Some(hostname))(w)
	has := servertest.Do(w, "creator", api.GetSite, site).Hostname == hostname
	if servertest.Succeeded(a) == has {
		r.t.Errorf("the site has %s: %v; the one of another organization got %d", hostname, has, a.Status)
	}
}

// raceSiteHostnames sets and clears the hostname of a site, then gives it to one of another organization.
func raceSiteHostnames(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	site, foreign := servertest.NewSite(w, api.SitePublic), foreignSite(w)
	return func(n int) {
		hostname := fmt.Sprintf("docs-%d.example.com", n)
		servertest.Do(w, "creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Hostname: api.Some(hostname)}})
		set, clear := setSiteHostname("creator", site, api.Some(hostname)), setSiteHostname("creator", site, api.Null[string]())
		calls := slices.Concat(slices.Repeat([]call{clear, set, set}, 4), slices.Repeat([]call{set}, 4))
		if n%2 == 1 { // with somebody who waits for the hostname
			calls = append(calls[:12], slices.Repeat([]call{setSiteHostname("stranger", foreign, api.Some(hostname))}, 4)...)
		}
		if r.run(calls...); n%2 == 0 {
			requireOneOwner(r, site, foreign, hostname)
		}
	}
}

// raceDeletedSites deletes a site while its hostname is set and given to one of another organization.
func raceDeletedSites(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	foreign := foreignSite(w)
	return func(n int) {
		site, hostname := servertest.NewSite(w, api.SitePublic), api.Some(fmt.Sprintf("docs-%d.example.com", n))
		set, take := setSiteHostname("creator", site, hostname), setSiteHostname("stranger", foreign, hostname)
		remove := request("creator", api.DeleteSite, site)
		r.run(set, set, take, set, set, take, remove, remove, set, set, take, set, take, set, take, remove)
	}
}

// raceOrganizationHostnames changes the hostnames of two organizations that want the same one.
func raceOrganizationHostnames(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	set := func(as, org, hostname string) call {
		return request(as, api.UpdateOrganization, api.UpdateOrganizationInput{
			Organization: org, Body: api.OrganizationPatch{Hostname: api.Some(hostname)},
		})
	}
	return func(n int) {
		shared, own := fmt.Sprintf("acme-%d", n), fmt.Sprintf("own-%d", n)
		ours, other, theirs := set("admin", w.Org, shared), set("admin", w.Org, own), set("stranger", w.OtherOrg, shared)
		r.run(slices.Repeat([]call{ours, theirs, other, ours}, 4)...)
	}
}

// raceAddresses accepts an invite to an address of a proven domain, by several requests, while the operator vouches for it.
func raceAddresses(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	w.TrustDomains("admin", w.Org, "corp.example")
	return func(n int) {
		email := fmt.Sprintf("person-%d@corp.example", n)
		accept := request("", api.AcceptInvite, servertest.AcceptInput(servertest.InviteAs(w, "admin", email, api.RoleRead)))
		vouch := func(w *servertest.World) (a servertest.Response, ok bool) {
			if _, err := (orgs.Accounts{Store: w.Store}).EnsureVerifiedUser(r.t.Context(), email, "Person"); err != nil {
				r.t.Errorf("account of %s: %v", email, err)
			}
			return a, false
		}
		r.run(slices.Repeat([]call{accept, vouch, accept, accept}, 4)...)
	}
}

// raceInvites invites one address by several requests, one of which takes the invite back. At most one invite may be open
// afterwards.
func raceInvites(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	invite := func(email string, role api.Role) call {
		return request("admin", api.CreateInvite, api.CreateInviteInput{
			Organization: w.Org, Body: api.InviteCreate{Emails: api.Invitees(email), Role: api.Some(role)},
		})
	}
	return func(n int) {
		email := fmt.Sprintf("person-%d@elsewhere.example", n)
		other := servertest.InviteAs(w, "admin", "other-"+email, api.RoleRead)
		remove := request("admin", api.DeleteInvite, api.InviteRef{Organization: w.Org, Invite: other.ID})
		r.run(append(slices.Repeat([]call{invite(email, api.RoleRead), invite(email, api.RoleEdit)}, 4), remove)...)
		open := 0
		for _, i := range servertest.Do(w, "admin", api.ListInvites, api.ListInvitesInput{Organization: w.Org}).Items {
			if i.Email == email {
				open++
			}
			servertest.Do(w, "admin", api.DeleteInvite, api.InviteRef{Organization: w.Org, Invite: i.ID})
		}
		if open != 1 {
			r.t.Errorf("%d invites to %s are open", open, email)
		}
	}
}

// raceBasenames changes the basenames of two sites that want the same one.
func raceBasenames(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	first, second := servertest.NewSite(w, api.SitePublic), servertest.NewSite(w, api.SitePublic)
	set := func(site api.SiteRef, basename string) call {
		return request("creator", api.UpdateSite, api.UpdateSiteInput{SiteRef: site, Body: api.SitePatch{Basename: api.Some(basename)}})
	}
	return func(n int) {
		shared, own := fmt.Sprintf("docs-%d", n), fmt.Sprintf("own-%d", n)
		r.run(slices.Repeat([]call{set(first, shared), set(second, shared), set(first, own), set(second, shared)}, 4)...)
		a, b := servertest.Do(w, "creator", api.GetSite, first), servertest.Do(w, "creator", api.GetSite, second)
		if a.Basename == b.Basename {
			r.t.Errorf("both sites have the basename %q", a.Basename)
		}
	}
}

// raceSpecSlugs creates, replaces and deletes the specification with a slug.
func raceSpecSlugs(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	return func(int) {
		source := api.OpenAPISource{Text: servertest.PetsText}
		ref := api.OpenAPISpecRef{Organization: w.Org, Spec: servertest.PetsSlug}
		create := request("admin", api.CreateOpenAPISpec, api.CreateOpenAPISpecInput{
			Organization: w.Org, Body: api.OpenAPISpecCreate{Slug: ref.Spec, Source: source},
		})
		put := request("admin", api.PutOpenAPISpec, api.PutOpenAPISpecInput{OpenAPISpecRef: ref, Body: api.OpenAPISpecPut{Source: source}})
		remove := request("admin", api.DeleteOpenAPISpec, api.DeleteOpenAPISpecInput{OpenAPISpecRef: ref})
		r.run(slices.Repeat([]call{create, put, create, remove}, 4)...)
		r.run(remove)
		servertest.RunJobs(w) // removes the content of the deleted specifications
	}
}

// raceIntegrationNames publishes and removes the integration with a name by two organizations.
func raceIntegrationNames(r *nameRace) (round func(n int)) {
	w := r.nodes[0]
	return func(n int) {
		ref := api.IntegrationRef{Integration: fmt.Sprintf("linter-%d", n)}
		publish := func(as, org string) call {
			body := w.LinterIntegration("Linter")
			body.Organization, body.Icon, body.Secrets = org, "", nil
			return request(as, api.PublishIntegration, api.PublishIntegrationInput{IntegrationRef: ref, Body: body})
		}
		ours, theirs := publish("admin", w.Org), publish("stranger", w.OtherOrg)
		remove := request("admin", api.UnpublishIntegration, ref)
		r.run(slices.Repeat([]call{ours, theirs, remove, theirs}, 4)...)
	}
}
