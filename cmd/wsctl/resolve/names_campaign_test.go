package resolve_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
	"docspace.dev/wsd/cmd/wsctl/resolve"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/text/names"
	"docspace.dev/wsd/store/storetest"
)

// oddTitles are titles that look like other titles, like names of another form, or like something else altogether.
var oddTitles = []string{
	"C++", "C#", "🚀", "🛰", "a/b", "A B", "x#2", "@me", "-o", "--all", "s_0aj2dx9w2g0zhc0aj2dxaktdzzy3", "s_1", "l_1", "u_1", "id:s_1",
	"Decisions", "decisions", "DECISIONS!", "title:Decisions", "Stra\u00dfe", "STRASSE", "E\u0301tude", "\u00c9tude", "日本 語", "日本-語",
	"https://docs.example.com/app/spaces/s_1", "docs.example.com", "a, b", "Inside", "Inside/Decisions", "The reader", "Reader",
	"reader@example.com", "1", "#2", "a:b", "  spaced  out ", "\"quoted\"", "$HOME", "*", "..", ".",
}

// drawn is a resource of a random world.
type drawn struct {
	subject, title string
	parent         int  // number of the collection that it is in, modulo the number of collections so far; negative for none
	hidden         bool // from guests and readers
}

// drawResources draws resources of all kinds with odd titles.
func drawResources(t *rapid.T) []drawn {
	title := rapid.OneOf(rapid.SampledFrom(oddTitles), rapid.SampledFrom(oddTitles), rapid.StringN(1, 6, 24))
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) drawn {
		return drawn{
			subject: rapid.SampledFrom(append([]string{"space", "space", "collection"}, subjects...)).Draw(t, "subject"),
			title:   title.Draw(t, "title"),
			parent:  rapid.IntRange(-1, 3).Draw(t, "parent"),
			hidden:  rapid.Bool().Draw(t, "hidden"),
		}
	}), 4, 12).Draw(t, "resources")
}

// namesWorld is a server with random resources.
type namesWorld struct {
	*servertest.World
	url         string
	collections []string
	titles      []string
	people      []string // whose display names are still to be set
}

// TestNamesCampaign checks in random worlds that every name that completion offers names that resource, that a name never names
// another resource after something was added, and that nobody finds what they do not see.
func TestNamesCampaign(t *testing.T) { //nolint:tparallel // see below
	t.Parallel()
	runs, seed := storetest.Campaign(t, "names", 100, 2000)
	for i := range runs { //nolint:paralleltest // thousands of worlds do not fit into memory
		number := int(seed%1e9) + i
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			checkNames(t, rapid.Custom(drawResources).Example(number), rapid.Custom(drawResources).Example(-number))
		})
	}
}

// checkNames checks the laws of names in a world with some resources, to which others are added.
func checkNames(t *testing.T, first, added []drawn) {
	t.Helper()
	w := &namesWorld{World: servertest.NewWorld(t, storetest.Memory()), people: []string{"reader", "editor", "guest"}}
	w.SkipFsck = true
	server := httptest.NewServer(w.Handler)
	defer server.Close()
	w.url = server.URL
	w.add(first)
	viewers := []string{"admin", "reader", "guest"}
	before := map[string]map[string]string{}
	for _, viewer := range viewers {
		visible := w.visible(viewer)
		w.checkCompletions(viewer, visible)
		before[viewer] = w.meanings(viewer, visible)
	}
	w.people = nil // by a new display name a name may get another meaning
	w.add(added)
	for _, viewer := range viewers {
		visible := w.visible(viewer)
		w.checkCompletions(viewer, visible)
		after := w.meanings(viewer, visible)
		for name, id := range before[viewer] {
			if now := after[name]; id != "" && now != "" && now != id {
				t.Errorf("%s of %s was %s, is %s", name, viewer, id, now)
			}
		}
	}
}

// add creates resources. Those whose titles the server refuses are left out.
func (w *namesWorld) add(resources []drawn) {
	w.T.Helper()
	ctx, c := w.T.Context(), client.New(w.url, client.WithToken(w.Tokens["admin"]), client.WithRetries(0))
	for _, d := range resources {
		parent := ""
		if d.parent >= 0 && len(w.collections) > 0 {
			parent = w.collections[d.parent%len(w.collections)]
		}
		var err error
		switch d.subject {
		case "space":
			var s api.Space
			s, err = c.Spaces.Create(ctx, api.CreateSpaceInput{Organization: w.Org, Body: api.SpaceCreate{Title: d.title, Parent: parent}})
			if err == nil && d.hidden {
				w.Hide(s.ID)
			}
		case "collection":
			var l api.Collection
			l, err = c.Collections.Create(ctx, api.CreateCollectionInput{
				Organization: w.Org, Body: api.CollectionCreate{Title: d.title, Parent: parent},
			})
			if err == nil {
				w.collections = append(w.collections, l.ID)
				if d.hidden {
					servertest.Do(w.World, "admin", api.UpdateCollection, api.UpdateCollectionInput{
						Collection: l.ID, Body: api.CollectionPatch{DefaultLevel: api.Null[api.Level]()},
					})
				}
			}
		case "team":
			_, err = c.Teams.Create(ctx, api.CreateTeamInput{Organization: w.Org, Body: api.TeamCreate{Title: d.title}})
		case "site":
			_, err = c.Sites.Create(ctx, api.CreateSiteInput{Organization: w.Org, Body: api.SiteCreate{Title: d.title}})
		case "user":
			if len(w.people) == 0 {
				continue
			}
			err = w.rename(d.title)
		}
		if refused, ok := api.AsError(err); err != nil && (!ok || refused.Code != http.StatusUnprocessableEntity) {
			w.T.Fatalf("%+v: %v", d, err)
		}
		if err == nil {
			w.titles = append(w.titles, d.title)
		}
	}
}

// rename gives the next person a display name.
func (w *namesWorld) rename(title string) error {
	person := w.people[0]
	w.people = w.people[1:]
	c := client.New(w.url, client.WithToken(w.Tokens[person]), client.WithRetries(0))
	_, err := c.Users.Update(w.T.Context(), api.UpdateUserInput{
		UserRef: api.UserRef{User: w.Users[person].ID}, Body: api.UserPatch{DisplayName: api.Some(title)},
	})
	return err
}

// subjects are the subjects of the resources of a random world.
var subjects = []string{"space", "collection", "site", "team", "user"}

// command returns an App and a command as of a run by a person.
func (w *namesWorld) command(viewer string) (*app.App, *cobra.Command) {
	env := map[string]string{
		"WSCTL_URL": w.url, "WSCTL_TOKEN": w.Tokens[viewer], "WSCTL_ORG": w.Org, "WSCTL_CONFIG_DIR": w.T.TempDir(),
	}
	a := app.New(app.Environment{
		Getenv: func(name string) string { return env[name] }, HTTP: http.DefaultClient, Now: time.Now, Keyring: &apptest.Keyring{},
	})
	cmd := a.Root() // sets the defaults of the flags
	a.SilenceForCompletion()
	cmd.SetContext(w.T.Context())
	return a, cmd
}

// nowhere is the place of resources that are in an organization only.
func nowhere(string) string { return "" }

// visible returns the completions of a viewer by subject. A subject that the viewer may not list has none.
func (w *namesWorld) visible(viewer string) map[string][]resolve.Completion {
	w.T.Helper()
	a, cmd := w.command(viewer)
	all := map[string][]resolve.Completion{}
	for _, subject := range subjects {
		found, err := resolve.New(a, cmd).Complete(subject, nowhere)
		if refused, ok := api.AsError(err); err != nil && (!ok || refused.Code != http.StatusForbidden) {
			w.T.Fatalf("%s of %s: %v", subject, viewer, err)
		}
		all[subject] = found
	}
	return all
}

// checkCompletions checks that each name that completion offers is that of its resource.
func (w *namesWorld) checkCompletions(viewer string, visible map[string][]resolve.Completion) {
	w.T.Helper()
	a, cmd := w.command(viewer)
	for subject, found := range visible {
		all := resolve.New(a, cmd)
		ids := make([]string, len(found))
		for i, c := range found {
			if strings.HasPrefix(c.Name, "-") || strings.Contains(c.Name, ",") && !strings.HasPrefix(c.Name, "title:") {
				w.T.Errorf("%s completes %q, which is a flag or a list", viewer, c.Name)
			}
			rest, in, err := all.Split(subject, c.Name)
			if err != nil || len(in) > 0 {
				w.T.Errorf("%q of the %s %s is in %v: %v", c.Name, subject, c.ID, in, err)
			}
			ids[i] = rest
			all.Add(nowhere, subject, rest, func(found resolve.Found) { ids[i] = found.ID })
		}
		if err := all.Resolve(); err != nil {
			w.T.Errorf("%s completes a %s by a name that is not one: %v", viewer, subject, err)
		}
		for i, c := range found {
			if ids[i] != c.ID {
				w.T.Errorf("%s: the %s %q of %s is completed by %q, which is %q", viewer, subject, c.Title, c.ID, c.Name, ids[i])
			}
		}
	}
}

// meanings returns the ids that all names that the titles of the world could have stand for, "" if nothing or several things have
// the name. It checks that the viewer sees what is found.
func (w *namesWorld) meanings(viewer string, visible map[string][]resolve.Completion) map[string]string {
	w.T.Helper()
	c := client.New(w.url, client.WithToken(w.Tokens[viewer]), client.WithRetries(0))
	forms := map[string]bool{"@me": true, "the-reader": true, "guest@example.com": true}
	for _, title := range w.titles {
		for _, form := range []string{title, names.Fold(title), "title:" + title, strings.ToUpper(title)} {
			forms[form] = form != "" && len(form) <= 512
			forms["inside/"+form], forms["decisions/"+form] = true, true
		}
	}
	maps.DeleteFunc(forms, func(_ string, use bool) bool { return !use })
	meanings := map[string]string{}
	for _, subject := range subjects {
		kind := api.NameKind(subject)
		if subject == "user" {
			kind = api.NameMember
		}
		var query []api.Name
		for form := range forms {
			query = append(query, api.Name{Kind: kind, Name: form})
		}
		for chunk := range slices.Chunk(query, api.MaxNames) {
			list, err := resolve.FindNames(w.T.Context(), c, w.Org, chunk)
			if err != nil {
				w.T.Fatal(err)
			}
			for _, m := range list {
				if m.Count == 1 {
					meanings[subject+" "+m.Name] = m.Found[0].ID
				}
				for _, found := range m.Found {
					sees := slices.ContainsFunc(visible[subject], func(c resolve.Completion) bool { return c.ID == found.ID })
					if !sees && found.ID != w.Users[viewer].ID {
						w.T.Errorf("%s finds the %s %s by %q and does not see it", viewer, subject, found.ID, m.Name)
					}
				}
			}
		}
	}
	return meanings
}
