package server_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
)

// A ping answers what makes a member a visitor of the site whose key the server has: what they see there goes by their
// role. A server without a key answers nothing of the kind.
func TestVisitorClaimsOfAPing(t *testing.T) {
	t.Parallel()
	story(t, func(t *testing.T, w *world) {
		org := api.OrganizationRef{Organization: w.org}
		equal(t, "claims without a key", "", do(w, "editor", api.PingMember, org).ServiceVisitorClaims)

		site, _, _ := w.adaptiveSite(api.SiteVisitorAuth)
		do(w, "admin", api.UpdateSiteAdaptiveSchema, api.UpdateAdaptiveSchemaInput{SiteRef: site, Body: api.AdaptiveSchemaUpdate{
			JSONSchema: api.JSONObject(`{"type":"object","additionalProperties":false,"properties":{"role":{"type":"string","description":"Role"},"plan":{"type":"string","description":"Plan"}}}`),
		}})
		section := do(w, "admin", api.ListSiteSections, api.ListSiteSectionsInput{SiteVisit: api.SiteVisit{SiteRef: site}}).Items[1]
		do(w, "admin", api.UpdateSiteSection, api.UpdateSiteSectionInput{
			SiteSectionRef: api.SiteSectionRef{SiteRef: site, SiteSection: section.ID},
			Body:           api.SiteSectionPatch{Condition: api.Some(`visitor.claims.role == "edit"`)},
		})
		key := do(w, "admin", api.RegenerateSiteAuth, site).PrivateKey
		w.serve(func(o *server.Options) { o.VisitorClaimsKey = []byte(key) })
		for as, want := range map[string]string{"editor": "All Pro", "guest": "All"} {
			equal(t, "sections for the "+as, want, w.sectionsFor(site, do(w, as, api.PingMember, org).ServiceVisitorClaims))
		}

		first := do(w, "guest", api.PingMember, org, "Idempotency-Key", "ping").ServiceVisitorClaims
		claims, err := base64.RawURLEncoding.DecodeString(strings.Split(first, ".")[1])
		w.must(err)
		for _, part := range []string{`"sub":"` + w.users["guest"].ID + `"`, `"role":"guest"`, `"organization":"` + w.org + `"`, `"email":"guest@example.com"`} {
			if !strings.Contains(string(claims), part) {
				t.Errorf("%s is not in the claims %s", part, claims)
			}
		}
		for name, stored := range w.dump() {
			if strings.Contains(stored, first) {
				t.Errorf("the claims stand in %s", name)
			}
		}
		w.clock.Advance(time.Hour)
		refused(w, "", api.GetSitePublished, api.SiteVisit{SiteRef: site, VisitorToken: first}, 401, api.ReasonUnauthenticated)
		seen := do(w, "admin", api.GetMember, api.MemberRef{Organization: w.org, User: w.users["guest"].ID}).LastSeenAt
		if again := do(w, "guest", api.PingMember, org, "Idempotency-Key", "ping"); again.ServiceVisitorClaims == first {
			t.Error("a repeat answers the old claims")
		}
		equal(t, "the guest is seen later", true, do(w, "admin", api.GetMember, api.MemberRef{Organization: w.org, User: w.users["guest"].ID}).LastSeenAt.After(seen.Time))
		refused(w, "stranger", api.PingMember, org, 404, api.ReasonNotFound)
	})
}
