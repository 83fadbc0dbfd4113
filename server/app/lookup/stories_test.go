package lookup_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// find returns the resources that have a name, as a caller sees them.
func find(w *servertest.World, as string, kind api.NameKind, name string) api.NameMatches {
	w.T.Helper()
	in := api.FindNameInput{Organization: w.Org, Body: api.NameQuery{Names: []api.Name{{Kind: kind, Name: name}}}}
	return servertest.Do(w, as, api.FindName, in).Items[0]
}

// foundIDs returns the ids of the resources that have a name.
func foundIDs(w *servertest.World, as string, kind api.NameKind, name string) []string {
	w.T.Helper()
	ids := []string{}
	for _, match := range find(w, as, kind, name).Found {
		ids = append(ids, match.ID)
	}
	return ids
}

// TestNameFindsSpace checks the forms of names of spaces and collections: folded titles, exact titles, paths, and names that
// several have.
func TestNameFindsSpace(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		inside, customers := w.NewCollection("Inside", ""), w.NewCollection("Customers!", "")
		handbook := w.NewSpaceIn("Skylark Handbook", customers.ID).ID
		ours, theirs := w.NewSpaceIn("Decisions", inside.ID).ID, w.NewSpaceIn("decisions", customers.ID).ID
		plus, sharp := w.NewSpaceIn("C++", "").ID, w.NewSpaceIn("C#", "").ID
		rocket, slash, id := w.NewSpaceIn("🚀", "").ID, w.NewSpaceIn("a/b", "").ID, w.NewSpaceIn("s_0", "").ID
		both := []string{ours, theirs}
		slices.Sort(both)
		for name, want := range map[string][]string{
			"Skylark Handbook": {handbook}, "skylark-handbook": {handbook}, " SKYLARK_handbook ": {handbook}, "Skylark": {},
			"customers/skylark-handbook": {handbook}, "inside/skylark-handbook": {}, "//skylark-handbook": {handbook},
			"decisions": both, "Decisions": both, "title:Decisions": {ours}, "inside/decisions": {ours}, "Customers/Decisions": {theirs},
			"C++": {min(plus, sharp), max(plus, sharp)}, "title:C++": {plus}, "title:c++": {}, "🚀": {rocket}, "🛰": {},
			"a/b": {slash}, "a-b": {slash}, "s_0": {id}, "no such space": {}, "title:": {},
		} {
			servertest.Equal(t, name, want, foundIDs(w, "admin", api.NameSpace, name))
		}
		servertest.Equal(t, "collection", []string{customers.ID}, foundIDs(w, "admin", api.NameCollection, "customers"))
		for id, want := range map[string]string{
			handbook: "skylark-handbook", ours: "inside/decisions", theirs: "customers/decisions", plus: "title:C++", rocket: "title:🚀",
			slash: "a-b",
		} {
			title := servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: id}).Title
			found := find(w, "admin", api.NameSpace, title).Found
			at := slices.IndexFunc(found, func(m api.NameMatch) bool { return m.ID == id })
			if at < 0 || found[at].Name != want || found[at].Title != title {
				t.Errorf("%s: %+v, want the name %s", title, found, want)
			}
		}
		twin := w.NewSpaceIn("C++", "").ID
		match := find(w, "admin", api.NameSpace, "title:C++")
		if match.Count != 2 || match.Found[0].Name != match.Found[0].ID {
			t.Errorf("two have the title: %+v", match)
		}
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: twin})
		servertest.Equal(t, "without the deleted one", []string{plus}, foundIDs(w, "admin", api.NameSpace, "title:C++"))
	})
}

// TestRenamedSpaceIsFound checks that a space is found by its new title only, and that its version is that of If-Match.
func TestRenamedSpaceIsFound(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		space := w.NewSpaceIn("Before", "").ID
		before := find(w, "admin", api.NameSpace, "before").Found[0]
		rename := func(title, version string) int {
			return w.Send("admin", http.MethodPatch, "/v1/spaces/"+space, api.SpacePatch{Title: api.Some(title)}, "If-Match",
				`"`+version+`"`).Status
		}
		servertest.Equal(t, "with the version", http.StatusOK, rename("After", before.Version))
		servertest.Equal(t, "with the old version", http.StatusPreconditionFailed, rename("Later", before.Version))
		servertest.Equal(t, "old title", []string{}, foundIDs(w, "admin", api.NameSpace, "before"))
		servertest.Equal(t, "new title", []string{space}, foundIDs(w, "admin", api.NameSpace, "after"))
	})
}

// TestHiddenResourcesHaveNoName checks that nobody finds what they may not see, also not by the title of a collection that is
// hidden from them, and that guests find no members and teams but themselves.
func TestHiddenResourcesHaveNoName(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		secret := w.NewCollection("Secret", "")
		shown, hidden := w.NewSpaceIn("Plans", secret.ID).ID, w.NewSpaceIn("Salaries", secret.ID).ID
		servertest.Do(w, "admin", api.UpdateCollection, api.UpdateCollectionInput{
			Collection: secret.ID, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()},
		})
		w.Hide(hidden)
		w.NewTeam("reader")
		read := api.RoleRead
		servertest.GrantAccess(w, shown, api.PermissionCreate{Users: []string{w.Users["guest"].ID}, Role: &read})
		for name, want := range map[string][]string{"plans": {shown}, "secret/plans": {}, "salaries": {}} {
			servertest.Equal(t, name, want, foundIDs(w, "guest", api.NameSpace, name))
		}
		servertest.Equal(t, "collection", []string{}, foundIDs(w, "guest", api.NameCollection, "secret"))
		self := w.Users["guest"].ID
		servertest.Equal(t, "guest", []string{self}, foundIDs(w, "guest", api.NameMember, "@me"))
		servertest.Equal(t, "another", []string{}, foundIDs(w, "guest", api.NameMember, w.Users["reader"].Email))
		servertest.Equal(t, "member", []string{self}, foundIDs(w, "reader", api.NameMember, w.Users["guest"].DisplayName))
	})
}

// TestNamesOfPeopleSitesAndTeams checks the names of the other kinds, several in one request.
func TestNamesOfPeopleSitesAndTeams(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		team := w.NewTeam("reader")
		site := servertest.Do(w, "admin", api.CreateSite, api.CreateSiteInput{
			Organization: w.Org, Body: api.SiteCreate{Title: "Field Docs"},
		})
		servertest.Do(w, "admin", api.UpdateSite, api.UpdateSiteInput{
			SiteRef: api.SiteRef{Organization: w.Org, Site: site.ID}, Body: api.SitePatch{Hostname: api.Some("docs.example.com")},
		})
		reader := w.Users["reader"]
		query := []api.Name{
			{Kind: api.NameTeam, Name: team.Title},
			{Kind: api.NameSite, Name: "field-docs"},
			{Kind: api.NameSite, Name: "DOCS.example.com"},
			{Kind: api.NameSite, Name: "docs"},
			{Kind: api.NameMember, Name: reader.Email},
			{Kind: api.NameMember, Name: reader.DisplayName},
			{Kind: api.NameMember, Name: "@me"},
		}
		list := servertest.Do(w, "admin", api.FindName, api.FindNameInput{Organization: w.Org, Body: api.NameQuery{Names: query}})
		for i, want := range []string{team.ID, site.ID, site.ID, "", reader.ID, reader.ID, w.Users["admin"].ID} {
			item := list.Items[i]
			switch {
			case item.Kind != query[i].Kind || item.Name != query[i].Name:
				t.Errorf("item %d is %+v", i, item)
			case want == "" && item.Count == 0 && len(item.Found) == 0:
			case item.Count != 1 || item.Found[0].ID != want || item.Found[0].Version == "":
				t.Errorf("%s: %+v, want %s", query[i].Name, item, want)
			}
		}
		servertest.Refused(w, "admin", api.FindName, api.FindNameInput{
			Organization: w.Org, Body: api.NameQuery{Names: []api.Name{{Kind: "page", Name: "x"}}},
		}, http.StatusUnprocessableEntity, api.ReasonInvalid)
	})
}

// TestEntriesWithoutTitleAreFound checks that spaces whose access entries were written by version 0.1.0 are found, that their
// entries have a title then, and that fsck accepts both forms.
func TestEntriesWithoutTitleAreFound(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		collection := w.NewCollection("Inside", "")
		space := w.NewSpaceIn("Handbook", collection.ID).ID
		entry := func(id string) (text string) {
			w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) (err error) {
				text, _, err = tx.Field(txn.EntriesKey(w.Org), id)
				return err
			}))
			return text
		}
		deleted := w.NewSpaceIn("Old", "").ID
		servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: deleted})
		for _, id := range []string{space, collection.ID, deleted} {
			older := store.WithoutTitle(id, entry(id))
			w.Must(w.Store.Update(t.Context(), store.Organization(w.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				tx.SetAccess(id, []byte(older))
				return nil
			}))
		}
		w.WantClean()
		servertest.Equal(t, "path", []string{space}, foundIDs(w, "admin", api.NameSpace, "inside/handbook"))
		for id, want := range map[string]string{space: "Handbook", collection.ID: "Inside"} {
			var e store.Entry
			if err := json.Unmarshal([]byte(entry(id)), &e); err != nil || e.Title == nil || *e.Title != want {
				t.Errorf("the entry of %s is %s", want, entry(id))
			}
		}
		servertest.Equal(t, "title", []string{space}, foundIDs(w, "admin", api.NameSpace, "handbook"))
	})
}

// TestNamesCostTheSame checks that the round trips of a query do not depend on the number of spaces and names.
func TestNamesCostTheSame(t *testing.T) {
	t.Parallel()
	servertest.Once(t, func(t *testing.T, w *servertest.World) {
		w.NewSpace()
		trips := func(names ...string) int {
			in := api.FindNameInput{Organization: w.Org}
			for _, name := range names {
				in.Body.Names = append(in.Body.Names, api.Name{Kind: api.NameSpace, Name: name}, api.Name{Kind: api.NameTeam, Name: name})
			}
			w.Trips.Count()
			servertest.Do(w, "admin", api.FindName, in)
			return w.Trips.Count()
		}
		trips("docs") // loads the model
		few := trips("docs")
		w.CreateSpaces(50)
		trips("docs")
		servertest.Equal(t, "trips among many spaces", few, trips("docs", "docs", "space"))
	})
}
