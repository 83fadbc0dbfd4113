package operations_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/resolve"
)

// printedSubjects maps lists to the subject of what their first column shows. Those with an empty subject show something that no
// command takes.
var printedSubjects = map[string]string{
	"change-request-comments.list":          "comment",
	"change-request-content.list-backlinks": "", // kinds of references
	"change-request-content.list-files":     "file",
	"change-request-content.list-links":     "", // states of links
	"change-request-replies.list":           "reply",
	"change-request-reviews.list":           "review",
	"change-requests.list":                  "changeRequest",
	"change-requests.list-commenters":       "user",
	"change-requests.list-contributors":     "user",
	"change-requests.list-queue":            "space",
	"change-requests.list-reviewers":        "user",
	"change-requests.list-revisions":        "", // numbers in the change request; commands take numbers in the space
	"collection-permissions.list":           "user",
	"collection-permissions.list-teams":     "team",
	"collection-permissions.list-users":     "user",
	"collections.list":                      "collection",
	"collections.list-spaces":               "space",
	"comments.list":                         "comment",
	"content.list-backlinks":                "", // kinds of references
	"content.list-files":                    "file",
	"content.list-links":                    "", // states of links
	"email-domains.list":                    "domain",
	"identities.list":                       "identity",
	"import-runs.list":                      "importRun",
	"installation-sites.list":               "site",
	"installation-spaces.list":              "space",
	"integration-events.list":               "event",
	"integration-installations.list":        "installation",
	"integrations.list":                     "integration",
	"invites.list":                          "invite",
	"link-invites.list":                     "linkInvite",
	"member-tokens.list":                    "token",
	"members.list":                          "user",
	"members.list-spaces":                   "space",
	"members.list-teams":                    "team",
	"oidc-providers.list":                   "oidcProvider",
	"openapi-specs.list":                    "spec",
	"openapi-specs.list-versions":           "version",
	"organizations.list":                    "organization",
	"organizations.search":                  "space",
	"pages.list-revisions":                  "revision",
	"replies.list":                          "reply",
	"revisions.list-files":                  "file",
	"saml-providers.list":                   "samlProvider",
	"service-accounts.list":                 "serviceAccount",
	"share-links.list":                      "shareLink",
	"site-permissions.list":                 "user",
	"audit.list":                            "event",
	"events.list":                           "event",
	"site-permissions.list-teams":           "team",
	"site-permissions.list-users":           "user",
	"site-section-groups.list":              "siteSectionGroup",
	"site-sections.list":                    "siteSection",
	"site-spaces.list":                      "siteSpace",
	"sites.list":                            "site",
	"sites.search":                          "space",
	"sources.list":                          "", // sources are named by --name where they are imported again
	"space-permissions.list":                "user",
	"space-permissions.list-teams":          "team",
	"space-permissions.list-users":          "user",
	"spaces.list":                           "space",
	"spaces.list-commenters":                "user",
	"spaces.list-links":                     "", // states of links
	"spaces.list-revisions":                 "revision",
	"spaces.search":                         "page",
	"teams.list":                            "team",
	"teams.list-members":                    "user",
	"tokens.list":                           "token",
	"transfers.list":                        "transfer",
	"translations.list":                     "translation",
	"trash.list":                            "space",
	"trash.list-organizations":              "organization",
}

// printedValue returns a value as the first column of a list shows it, and the id that it stands for.
func printedValue(subject, column string) (value, id string) {
	id = exampleID("$" + strings.ToUpper(strings.ReplaceAll(app.Kebab(subject), "-", "_")))
	switch {
	case subject == "changeRequest":
		return "4", "4"
	case subject == "revision" && column == "number":
		return "12", id
	case subject == "page" && column == "title":
		return "Install", id
	case subject == "domain":
		return "docs.example.com", "docs.example.com"
	}
	return id, id
}

// TestPrintedNamesAreAccepted checks that what the first column of any list shows is accepted by the commands on resources of its
// kind: by one of each resource and argument.
func TestPrintedNamesAreAccepted(t *testing.T) {
	t.Parallel()
	const tree = `200 {"pages":[{"id":"p_1","title":"Install","path":"guides/install"}]}`
	answers := map[string]string{
		"GET /v1/spaces/s_1/revisions?limit=1000":            `200 {"items":[{"id":"r_1","number":12}]}`,
		"GET /v1/spaces/s_1/content/pages":                   tree,
		"GET /v1/spaces/s_1/change-requests/1/content/pages": tree,
		"GET /v1/spaces/s_1/revisions/r_1/pages":             tree,
	}
	root := newRoot(app.New(newHarness(t, nil).Environment(nil, nil)))
	tried := map[string]bool{}
	for _, list := range api.Rows() {
		subject, known := printedSubjects[list.Name]
		if !list.IsList() || known && subject == "" {
			continue
		}
		if !known {
			t.Errorf("what does the first column of %s show?", list.Name)
			continue
		}
		column, _, _ := strings.Cut(list.Columns(), ",")
		column, _, _ = strings.Cut(column, "=")
		value, id := printedValue(subject, column)
		for _, row := range api.Rows() {
			cmd, _, err := root.Find([]string{row.Resource(), row.Verb()})
			group := strings.Join([]string{row.Resource(), app.ArgumentName(row), subject, value}, " ")
			line, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
			if err == nil && !tried[group] && tryPrinted(t, answers, row, subject, value, id, line) {
				tried[group] = true
			}
		}
	}
	if len(tried) < 100 {
		t.Errorf("%d commands tried", len(tried))
	}
}

// tryPrinted runs the example of a row with a value for a subject, and checks the request that is sent. It reports whether the path
// of the row has the subject.
func tryPrinted(t *testing.T, answers map[string]string, row api.Row, subject, value, id, line string) bool {
	t.Helper()
	want, has := row.Path, false
	for _, p := range row.PathParams() {
		variable := "$" + strings.ToUpper(strings.ReplaceAll(app.Kebab(p.Subject), "-", "_"))
		of := exampleID(variable)
		switch p.Subject {
		case subject:
			of, has = id, true
		case "pagePath":
			of = resolve.Example("page")
		}
		want = strings.NewReplacer("{"+p.Name+"}", of, "{"+p.Name+"...}", of).Replace(want)
	}
	if !has || row.Name == api.JoinInvite.Name { // its argument is a secret
		return false
	}
	args := exampleArgs(line)
	for i, word := range args {
		word = strings.ReplaceAll(word, "$BEFORE", beforeID(row))
		args[i] = exampleVariable.ReplaceAllStringFunc(word, func(variable string) string {
			if variable == "$"+strings.ToUpper(strings.ReplaceAll(app.Kebab(subject), "-", "_")) {
				return value
			}
			return exampleID(variable)
		})
		if strings.HasSuffix(args[i], ".md") || strings.HasSuffix(args[i], ".json") {
			args[i] = filepath.Join(t.TempDir(), args[i])
			if err := os.WriteFile(args[i], []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	h := newHarness(t, answers)
	h.Env["WSCTL_ORG"] = "o_1"
	got := h.Run(append(args, "--no-input", "--max-retries", "0")...)
	var sent string
	for _, request := range h.Requests() {
		sent, _, _ = strings.Cut(request, "?")
		sent, _, _ = strings.Cut(sent, " {")
		if sent == row.Method+" "+want {
			return true
		}
	}
	t.Errorf("%s of %s: %s: sent %q, want %s %s\n%s", value, subject, strings.Join(args, " "), h.Requests(), row.Method, want,
		cmp.Or(got.Stderr, got.Stdout))
	return true
}

// beforeID returns an id of what a command moves.
func beforeID(row api.Row) string {
	if row.Name == api.MoveSiteSpace.Name {
		return "ssp_2"
	}
	return "sec_2"
}
