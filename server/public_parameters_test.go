package server_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// publicParameter is a call of the public API with a parameter or a member that wsd refused as unknown.
type publicParameter struct {
	operation    string
	method, path string // of the call
	body         string
	was, status  int    // status before wsd knew the parameter, and now
	want         string // a part of the answer: the effect, or the reason of the refusal
}

const (
	ofSite    = "/v1/orgs/{org}/sites/{site}"
	ofRequest = "/v1/spaces/{space}/change-requests/{request}"
)

var publicParameters = []publicParameter{
	{"listSites", "GET", "/v1/orgs/{org}/sites?type[]=premium", "", 400, 200, `"items":[]`},
	{"listSites", "GET", "/v1/orgs/{org}/sites?type%5B%5D=premium&type%5B%5D=basic", "", 400, 200, `"id":"{site}"`},
	{"listSites", "GET", "/v1/orgs/{org}/sites?type=basic", "", 400, 200, `"id":"{site}"`},
	{
		"updateCommentReplyInChangeRequest", "PUT", ofRequest + "/comments/{onRequest}/replies/{onRequestReply}",
		`{"resolved":true}`, 422, 422, "resolved: is not a field here: a comment is resolved",
	},
	{
		"requestReviewersForChangeRequest", "POST", ofRequest + "/requested-reviewers",
		`{"users":["{user-reviewer}"],"description":"Please"}`, 422, 422, "description: is not a field here: a request for a review",
	},
	{"listSiteShareLinks", "GET", ofSite + "/share-links?search=NOBODY", "", 400, 200, `"items":[]`},
	{"listSiteShareLinks", "GET", ofSite + "/share-links?search=TEA&limit=1", "", 400, 200, `"name":"Our team"`},
	{
		"listPermissionsAggregateInSite", "GET", ofSite + "/permissions/aggregate?search=nobody-has-this", "", 400, 200,
		`"items":[]`,
	},
	{
		"listPermissionsAggregateInSite", "GET",
		ofSite + "/permissions/aggregate?sort=name&order=desc&search=admin&limit=1", "", 400, 200, `"id":"{user-admin}"`,
	},
	{"listPermissionsAggregateInSite", "GET", ofSite + "/permissions/aggregate?team=t_nobody", "", 400, 200, `"items":[]`},
	{"getPageByPath", "GET", "/v1/spaces/{space}/content/path/page?cachedMetadata=true", "", 400, 200, `"id":"{page}"`},
	{
		"getPageInChangeRequestByPath", "GET", ofRequest + "/content/path/page?cachedMetadata=false", "", 400, 200,
		`"id":"{page}"`,
	},
	{"updateSiteById", "PATCH", ofSite, `{"defaultLevel":"read"}`, 422, 422, "defaultLevel: is not a field here: a site has no"},
	{"updateSiteById", "PATCH", ofSite, `{"styleguide":"s"}`, 422, 422, "wsd has no style guides"},
	{"addSpaceToSite", "POST", ofSite + "/site-spaces", `{"spaceId":"{space}","title":"T"}`, 422, 422, "the title of its space"},
	{"addSpaceToSite", "POST", ofSite + "/site-spaces", `{"spaceId":"{space}","pageId":"p"}`, 422, 422, "from its first page"},
	{"addSpaceToSite", "POST", ofSite + "/site-spaces", `{"spaceId":"{space}","draft":true}`, 422, 422, "sites have no drafts"},
	{"addSpaceToSite", "POST", ofSite + "/site-spaces", `{"spaceId":"{space}","template":{}}`, 422, 422, "wsd has no templates"},
	{
		"addSectionToSite", "POST", ofSite + "/sections", `{"spaceId":"{space}","siteSectionGroupId":"{group}"}`, 422, 201,
		`"sectionGroup":"{group}"`,
	},
	{
		"addSectionToSite", "POST", ofSite + "/sections", `{"spaceId":"{space}","siteSectionGroupId":"sg_none"}`, 422, 422,
		"siteSectionGroupId: is not a section group of this site",
	},
	{"addSectionToSite", "POST", ofSite + "/sections", `{"spaceId":"{space}","pageId":"p"}`, 422, 422, "from its first page"},
	{"addSectionToSite", "POST", ofSite + "/sections", `{"spaceId":"{space}","draft":true}`, 422, 422, "sites have no drafts"},
	{"addSectionToSite", "POST", ofSite + "/sections", `{"spaceId":"{space}","template":{}}`, 422, 422, "wsd has no templates"},
	{"updateSiteSpaceById", "PATCH", ofSite + "/site-spaces/{siteSpace}", `{"hidden":true}`, 422, 422, "cannot be hidden"},
	{"updateSiteSpaceById", "PATCH", ofSite + "/site-spaces/{siteSpace}", `{"pageId":"p"}`, 422, 422, "from its first page"},
	{"updateSiteSpaceById", "PATCH", ofSite + "/site-spaces/{siteSpace}", `{"draft":true}`, 422, 422, "sites have no drafts"},
	{"updateSiteSectionById", "PATCH", ofSite + "/sections/{section}", `{"localizedTitle":{"fr":"T"}}`, 422, 422, "one language"},
	{"updateSiteSectionById", "PATCH", ofSite + "/sections/{section}", `{"localizedDescription":{}}`, 422, 422, "one language"},
	{"updateSiteSectionById", "PATCH", ofSite + "/sections/{section}", `{"draft":true}`, 422, 422, "sites have no drafts"},
	{"addSectionGroupToSite", "POST", ofSite + "/section-groups", `{"title":"T","parent":"sg"}`, 422, 422, "have no groups in them"},
	{"addSectionGroupToSite", "POST", ofSite + "/section-groups", `{"title":"T","draft":true}`, 422, 422, "sites have no drafts"},
	{"updateSiteSectionGroupById", "PATCH", ofSite + "/section-groups/{group}", `{"localizedTitle":{}}`, 422, 422, "one language"},
	{
		"updateSiteSectionGroupById", "PATCH", ofSite + "/section-groups/{group}", `{"parentSectionGroupId":"sg"}`, 422, 422,
		"have no groups in them",
	},
	{"updateSiteSectionGroupById", "PATCH", ofSite + "/section-groups/{group}", `{"draft":true}`, 422, 422, "sites have no drafts"},
	{"createOrganization", "POST", "/v1/orgs", `{"title":"Mine","onboardingPreferences":{}}`, 422, 422, "no introduction"},
}

// TestPublicParameters checks that parameters of the public API take effect, or are refused with the reason, and that a client that
// prefers lenient handling is told which ones are ignored.
func TestPublicParameters(t *testing.T) {
	t.Parallel()
	p := newPublicStory(servertest.NewWorld(t, storetest.Memory()))
	request := api.ChangeRequestRef{Space: p.ids["space"], ChangeRequest: p.ids["request"]}
	comment := servertest.Do(p.World, "admin", api.CreateChangeRequestComment, api.CreateChangeRequestCommentInput{
		ChangeRequestRef: request, Body: api.CommentCreate{Body: servertest.CommentBody("Why?")},
	})
	p.ids["onRequest"] = comment.ID
	p.ids["onRequestReply"] = servertest.Do(p.World, "admin", api.CreateChangeRequestReply, api.CreateChangeRequestReplyInput{
		ChangeRequestCommentRef: api.ChangeRequestCommentRef{ChangeRequestRef: request, Comment: comment.ID},
		Body:                    api.ReplyCreate{Body: servertest.CommentBody("So.")},
	}).ID
	servertest.Do(p.World, "admin", api.CreateShareLink, api.CreateShareLinkInput{
		SiteRef: api.SiteRef{Organization: p.Org, Site: p.ids["site"]}, Body: api.ShareLinkCreate{Name: "Our team"},
	})
	for _, call := range publicParameters {
		path := p.expandNames(call.path, nil)
		var body any
		if call.body != "" {
			body = []byte(p.expandNames(call.body, nil))
		}
		a := p.Send("admin", call.method, path, body, publicClient...)
		if want := p.expandNames(call.want, nil); a.Status != call.status || !strings.Contains(string(a.Body), want) {
			t.Errorf("%s: %s %s %s: %d, was %d, want %d with %q\n%s", call.operation, call.method, path, call.body, a.Status, call.was,
				call.status, want, a.Body)
		}
		if call.status == http.StatusUnprocessableEntity && !strings.Contains(call.body, "sg_none") {
			a := p.Send("admin", call.method, servertest.WithQuery(path, "dryRun=true"), body, api.PreferHeader, api.Lenient)
			if a.Status >= http.StatusBadRequest && a.Status != http.StatusConflict || a.Header.Get(api.IgnoredHeader) == "" {
				t.Errorf("%s: lenient: %d, ignored %q: %s", call.operation, a.Status, a.Header.Get(api.IgnoredHeader), a.Body)
			}
		}
	}
}

// TestSitePermissionsAreSorted checks the orders and filters of the list of those who may read a site, page by page.
func TestSitePermissionsAreSorted(t *testing.T) {
	t.Parallel()
	p := newPublicStory(servertest.NewWorld(t, storetest.Memory()))
	in := api.ListSitePermissionsInput{SiteRef: api.SiteRef{Organization: p.Org, Site: p.ids["site"]}}
	list := func(sort api.MemberSort, order api.Order, limit int) (names []string) {
		in := in
		in.Sort, in.Order, in.Limit = sort, order, api.Some(limit)
		for {
			page := servertest.Do(p.World, "admin", api.ListSitePermissions, in)
			for _, item := range page.Items {
				names = append(names, item.User.DisplayName)
			}
			if page.Next == nil {
				return names
			}
			in.Page = page.Next.Page
		}
	}
	byName := list(api.SortName, api.Ascending, 2)
	for i := 1; i < len(byName); i++ {
		if strings.ToLower(byName[i-1]) > strings.ToLower(byName[i]) {
			t.Errorf("by name: %v", byName)
		}
	}
	if len(byName) < 3 {
		t.Errorf("only %v are listed", byName)
	}
	for _, sort := range []api.MemberSort{"", api.SortName, api.SortJoined} {
		up, down := list(sort, api.Ascending, 100), list(sort, api.Descending, 2)
		for i, j := 0, len(down)-1; i < len(up) && j >= 0; i, j = i+1, j-1 {
			if len(up) != len(down) || up[i] != down[j] {
				t.Errorf("by %q: %v and %v", sort, up, down)
			}
		}
	}
	if seen := list(api.SortLastSeen, api.Ascending, 100); len(seen) == 0 || len(seen) >= len(byName) {
		t.Errorf("of %v, %v were seen", byName, seen)
	}
}
