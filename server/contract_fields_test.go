package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// sequentialIDs generates the ids 1, 2, 3..., so that equal requests create equal objects.
type sequentialIDs struct {
	mu sync.Mutex
	n  int
}

// New implements txn.IDGenerator.
func (c *sequentialIDs) New(prefix string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return fmt.Sprintf("%s%014d", prefix, c.n)
}

func (c *sequentialIDs) restart(at int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = at
}

// fieldWorld is a sample organization with additional objects, so that every field can have an effect.
type fieldWorld struct {
	*servertest.World

	sample          *servertest.Sample
	ids             *sequentialIDs
	pairs           map[string]pair
	separateResults map[string]bool      // whether the requests of a pair have different effects, by operation and pair
	original        *servertest.Snapshot // initial state of the world
	lastID          int                  // last id of the initial state
}

func newFieldWorld(t *testing.T) *fieldWorld {
	t.Helper()
	ids := &sequentialIDs{n: 1000}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.IDs = ids })
	w.Serve(func(o *server.Options) { o.IDs = ids })
	f := &fieldWorld{World: w, sample: w.Populate(), ids: ids, separateResults: map[string]bool{}}
	f.pairs = readPairs(t, f.addObjects())
	w.UpdateIndex()
	f.original, f.lastID = w.Snapshot(), ids.n
	return f
}

// clone returns a world in the initial state of w.
func (w *fieldWorld) clone(t *testing.T) *fieldWorld {
	t.Helper()
	other := *w
	other.ids = &sequentialIDs{n: w.lastID}
	other.World = w.original.World(t, storetest.Memory(), func(c *store.Config) { c.IDs = other.ids })
	other.Serve(func(o *server.Options) { o.IDs = other.ids })
	return &other
}

// TestEveryFieldHasEffect checks that every field of the body and the query of a row has an effect on the response or
// on the stored data. It compares two dry runs and, if their responses are equal, two worlds.
//
//wsd:serial
func TestEveryFieldHasEffect(t *testing.T) {
	t.Parallel()
	w, tried := newFieldWorld(t), 0
	servertest.EachRow(t, func(api.Row) bool { return true }, func(t *testing.T, row api.Row) {
		for _, name := range fieldsOf(row) {
			if reason, ok := noPairReason(row, name); ok {
				t.Logf("%s: %s", name, reason)
				continue
			}
			tried++
			if !w.differs(t, row, name) {
				t.Errorf("%s makes no difference: %s", name, w.pairOf(row, name))
			}
		}
	})
	if tried < 400 {
		t.Errorf("only %d fields were looked at", tried)
	}
}

// pair holds two requests of a row that differ in one field.
type pair struct {
	as            string
	with, without servertest.Input
}

// String implements fmt.Stringer.
func (p pair) String() string {
	return fmt.Sprintf("%s%s and %s%s", p.with.Query, toJSON(p.with.Body), p.without.Query, toJSON(p.without.Body))
}

// pairOf returns the pair for a field: from testdata/fields.txt, or generated from the sample request of the row.
func (w *fieldWorld) pairOf(row api.Row, name string) pair {
	if p, ok := w.pairs[row.Name+" "+name]; ok {
		return p
	}
	return generatedPair(w.World, w.sample, row, name)
}

// differs reports whether the requests of a pair differ in their response or effect.
func (w *fieldWorld) differs(t *testing.T, row api.Row, name string) bool {
	t.Helper()
	p := w.pairOf(row, name)
	with, without := w.mustSend(t, row, p.as, p.with, "dryRun=true"), w.mustSend(t, row, p.as, p.without, "dryRun=true")
	if with.Status != without.Status || servertest.MaskRandom(with.Body) != servertest.MaskRandom(without.Body) {
		return true
	}
	if !row.Writes() {
		return false
	}
	key := row.Name + " " + p.String()
	if differ, ok := w.separateResults[key]; ok {
		return differ
	}
	w.separateResults[key] = !maps.Equal(w.effect(t, row, p.as, p.with), w.effect(t, row, p.as, p.without))
	return w.separateResults[key]
}

// effect returns all stored data after a request in a world of its own.
func (w *fieldWorld) effect(t *testing.T, row api.Row, as string, in servertest.Input) map[string]string {
	t.Helper()
	other := w.clone(t)
	other.mustSend(t, row, as, in, "")
	return other.plainDump()
}

// plainDump returns all stored data by key, with random values masked.
func (w *fieldWorld) plainDump() map[string]string {
	w.T.Helper()
	dump := map[string]string{}
	for key, value := range w.Dump() {
		dump[key] = servertest.MaskRandom([]byte(value))
	}
	return dump
}

// TestWorldsWithSameRequestsAreEqual checks that worlds only differ by the requests made in them; otherwise
// TestEveryFieldHasEffect would find differences everywhere.
//
//wsd:serial
func TestWorldsWithSameRequestsAreEqual(t *testing.T) {
	t.Parallel()
	w, other := newFieldWorld(t), newFieldWorld(t)
	servertest.Equal(t, "dump", w.plainDump(), other.plainDump())
	servertest.Equal(t, "dump of a copy", w.plainDump(), w.clone(t).plainDump())
}

// mustSend sends a request that must succeed.
func (w *fieldWorld) mustSend(t *testing.T, row api.Row, as string, in servertest.Input, query string) servertest.Response {
	t.Helper()
	if own := w.SampleInput(row, w.sample); in.Params == nil {
		in.Params = own.Params
	}
	path, _, _ := strings.Cut(w.SamplePathWith(row, w.sample, in.Params), "?")
	path += in.Query
	if query != "" && row.Writes() {
		path = servertest.WithQuery(path, query)
	}
	w.ids.restart(1 << 20)
	a := w.Send(valueOr(as, "admin"), row.Method, path, in.Body)
	if a.Status >= http.StatusBadRequest {
		t.Errorf("%s %s %s: %d %s", row.Method, path, toJSON(in.Body), a.Status, a.Body)
	}
	return a
}

func valueOr(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func toJSON(body any) string {
	data, _ := json.Marshal(body)
	return string(data)
}

// fieldsOf returns the fields of a row: the paths of body fields, and query parameters after a "?".
func fieldsOf(row api.Row) []string {
	in := api.NewCompiler().Input(row)
	var names []string
	for _, p := range in.Params {
		if p.In == api.InQuery {
			names = append(names, "?"+p.Name)
		}
	}
	if in.Body != nil {
		names = append(names, membersOf("", in.Body)...)
	}
	return names
}

func membersOf(path string, s *api.Schema) []string {
	var names []string
	for _, f := range s.Fields {
		inner := strings.TrimPrefix(path+"."+f.Name, ".")
		names = append(names, inner)
		if schema := f.Schema; schema.Kind == api.KindArray {
			names = append(names, membersOf(inner+"[]", schema.Items)...)
		} else {
			names = append(names, membersOf(inner, schema)...)
		}
	}
	return names
}

// noPairReason returns why a field cannot have an effect here, and the test that shows it.
func noPairReason(row api.Row, name string) (reason string, ok bool) {
	switch name {
	case "?page", "?limit":
		return "TestIterationReturnsUnchangedItemsOnce", row.IsList()
	case "?dryRun":
		return "TestDryRunWritesNothing", true
	}
	if name == "?shareKey" || name == "?jwt_token" {
		return "TestPublicSiteServesVisitors: only visitors without a token use it", true
	}
	if row.Name == api.UpdateSiteCustomization.Name {
		return "TestCustomizationRoundTrip: every member of the schema", true
	}
	reason, ok = noPairReasons[row.Name+" "+name]
	return reason, ok
}

// noPairReasons lists the fields without a pair and the tests that show their effect.
var noPairReasons = map[string]string{
	"change-requests.merge revision":             "TestMergeWithResolutions: what is not so is refused",
	"change-requests.merge spaceRevision":        "TestMergeWithResolutions: what is not so is refused",
	"change-requests.apply-suggestions revision": "TestApplySuggestion: what is not so is refused",
	"change-requests.apply-suggestions comments": "TestSuggestionsAreAppliedAtomically: one, or several",
	"change-requests.list-queue ?reason": "TestQueueReasons: the list, its filter and the counts " +
		"say the same",
	"change-requests.update-reading revision": "TestMarkEarlierRevision: what was read was another text",
	"change-requests.update-reading unread":   "TestReadingProgress: what was read before",
	"comments.create suggestion": "TestSuggestionsRequireChangeRequest: nothing could " +
		"apply it",
	"comments.create suggestion.markdown": "TestSuggestionsRequireChangeRequest: nothing could " +
		"apply it",
	"change-requests.pull revision":      "TestMergeWithResolutions: what is not so is refused",
	"change-requests.pull spaceRevision": "TestMergeWithResolutions: what is not so is refused",
	"content.import delete": "TestReimportReportsMissing: it is about a source that " +
		"was imported before",
	"content.import revision": "TestImportsOfTwoClones: it is about a source that was " +
		"imported before",
	"content.import force": "TestReimportRejectsOtherSource: it is about a source " +
		"that was imported before",
	"content.import adopt": "TestImportAdoptsPages: it is about a source that was " +
		"imported before",
	"content.import resolutions": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"content.import resolutions[].conflict": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"content.import resolutions[].take": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"content.import resolutions[].text": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"change-request-content.import delete": "TestReimportReportsMissing: it is about a source that " +
		"was imported before",
	"change-request-content.import revision": "TestImportsOfTwoClones: it is about a source that was " +
		"imported before",
	"change-request-content.import force": "TestReimportRejectsOtherSource: it is about a source " +
		"that was imported before",
	"change-request-content.import adopt": "TestImportAdoptsPages: it is about a source that was " +
		"imported before",
	"change-request-content.import resolutions": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"change-request-content.import resolutions[].conflict": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"change-request-content.import resolutions[].take": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"change-request-content.import resolutions[].text": "TestReimportConflict: it is about a source that was " +
		"imported before",
	"import-runs.list ?status":                  "TestImportRun: the sample has one run, which is pending",
	"change-requests.list ?topic":               "TestPublicAPI: it is refused",
	"change-requests.list-queue ?topic":         "TestPublicAPI: it is refused",
	"change-requests.list-queue ?styleguideRun": "TestPublicAPI: it is refused",
	"change-requests.list-queue ?finding": "TestPublicAPI: there are none, with it and " +
		"without",
	"organizations.create ?withDefaultSite":                   "TestPublicAPI: true is refused",
	"organizations.create ?openapiUrl":                        "TestPublicAPI: it is refused",
	"sites.get-preview ?draft":                                "TestPublicAPI: true is refused",
	"sites.get-preview ?target":                               "TestPublicAPI: it is refused",
	"revisions.get-page-by-path ?cachedMetadata":              "TestPublicAPI: times are never of a cache",
	"content.get-page-by-path ?cachedMetadata":                "TestPublicAPI: times are never of a cache",
	"change-request-content.get-page-by-path ?cachedMetadata": "TestPublicAPI: times are never of a cache",
	"change-request-content.edit changes[].condition":         "TestPublicAPI: it is refused",
	"comments.create tableCell":                               "TestPublicAPI: it is refused",
	"change-request-comments.create tableCell":                "as comments.create",
	"change-request-reviews.create comments[].tableCell":      "as comments.create",
	"change-request-reviews.submit drafts[].tableCell":        "as comments.create",
	"import-runs.create enhance":                              "TestCreateImportRunRejectsInvalid: true is refused",
	"import-runs.create source.files":                         "TestCreateImportRunRejectsInvalid: they are refused",
	"import-runs.create source.type":                          "TestCreateImportRunRejectsInvalid: files are refused",
	"organizations.delete ?title": "TestDeletedOrganizationCanBeRestored: any other is " +
		"refused",
	"openapi-specs.delete ?force": "TestComputedPages: without it is refused",
	"spaces.create empty": "TestSpaceIconAndLanguage: a new space is empty, and " +
		"anything else is refused",
	"spaces.create template":                                "TestSpaceIconAndLanguage: it is refused",
	"spaces.create computedSource":                          "TestSpaceIconAndLanguage: it is refused",
	"change-requests.create template":                       "TestChangeRequestLinks: it is refused",
	"change-requests.update links[].ref.kind":               "has one value",
	"content.get-reusable-content ?computed":                "a reusable content is not computed",
	"change-request-content.get-reusable-content ?computed": "a reusable content is not computed",
	"revisions.get-page-by-path ?format.markdown.refs":      "as revisions.get-page: TestLinksByIDKeepTargets",
	"revisions.get-page-by-path ?dereferenced":              "as revisions.get-page: TestTextOptionsSelectReplacements",
	"revisions.get-changes ?computed": "no revision holds the pages that computed pages stand " +
		"for",
	"organizations.update sso":                                                  "TestSingleSignOnRequiresProvider: needs a provider",
	"content.get-file ?metadata":                                                "a file has no times of its own",
	"content.get-file ?computed":                                                "a file is not computed",
	"revisions.get-reusable-content-document ?evaluated":                        "TestReadRevision",
	"content.get-document ?schema":                                              "there is one schema",
	"invites.create sso":                                                        "TestCreateInviteWithRoles: true is refused",
	"revisions.get-file ?metadata":                                              "a file has no times of its own",
	"revisions.get-file ?computed":                                              "a file is not computed",
	"revisions.list-files ?metadata":                                            "a file has no times of its own",
	"revisions.list-files ?computed":                                            "a file is not computed",
	"content.list-files ?metadata":                                              "a file has no times of its own",
	"content.list-files ?computed":                                              "a file is not computed",
	"change-request-content.get-file ?metadata":                                 "a file has no times of its own",
	"change-request-content.get-file ?computed":                                 "a file is not computed",
	"change-request-content.list-files ?metadata":                               "a file has no times of its own",
	"change-request-content.list-files ?computed":                               "a file is not computed",
	"change-request-content.edit changes[].computed.type":                       "has one value",
	"change-request-content.edit changes[].computed.dependencies.spec.ref.kind": "has one value",
	"sites.get-customization ?unmasked":                                         "no plan of wsd masks anything",
	"sites.get-preview ?siteSpace":                                              "TestPreviewShowsSiteToVisitor",
	"sites.get-preview ?claims": "TestPreviewShowsSiteToVisitor: it takes a key of the " +
		"site",
	"sites.search mode":                       "TestSearchSite: where to look",
	"sites.search siteSpaceId":                "TestSearchSite: where to look",
	"sites.search siteSpaceIds":               "TestSearchSite: where to look",
	"sites.search scope":                      "TestSearchSite: where to look",
	"sites.search scope.mode":                 "TestSearchSite: where to look",
	"sites.search scope.currentSiteSpace":     "TestSearchSite: where to look",
	"sites.search scope.restrictTo":           "TestSearchSite: where to look",
	"sites.search scope.siteSpaceIds":         "TestSearchSite: where to look",
	"site-sections.move position.before.type": "has one value",
	"site-sections.move position.after.type":  "has one value",
	"site-spaces.move position.before.type":   "has one value",
	"site-spaces.move position.after.type":    "has one value",
}

func clone(v map[string]any) map[string]any {
	var copied map[string]any
	_ = json.Unmarshal([]byte(toJSON(v)), &copied)
	return copied
}
