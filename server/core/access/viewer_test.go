package access

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// TestViewerMatchesModelRoles compares the counts and pages of the viewer, most of which are inferred, with the role
// in every space.
func TestViewerMatchesModelRoles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		model := genModel(r)
		c := genCaller(r, model)
		var want []string
		for _, id := range model.spaces.sorted() {
			if _, active := model.Active(id); active && model.Role(c, id).AtLeast(api.RoleRead) {
				want = append(want, id)
			}
		}
		if got := NewViewer(model, c).CountSpaces(); got != len(want) {
			r.Fatalf("counted %d spaces, %v can read %d", got, c, len(want))
		}
		var walked []string
		for {
			after := ""
			if len(walked) > 0 {
				after = walked[len(walked)-1]
			}
			page := NewViewer(model, c).After(model.spaces.sorted(), after, 3, strings.Compare)
			if len(page) == 0 {
				break
			}
			walked = append(walked, page...)
		}
		if fmt.Sprint(walked) != fmt.Sprint(want) {
			r.Fatalf("walked %v, want %v", walked, want)
		}
	})
}

var levels = []string{`"inherit"`, `"inherit"`, `"inherit"`, "null", `"read"`, `"edit"`}

// genModel returns a model after a random history of entries, in no order of ids.
func genModel(r *rapid.T) *Model {
	model, _ := NewModel("o_x").(*Model)
	folder := func(i int) string { return fmt.Sprintf("%sx%02d", txn.CollectionPrefix, i) }
	for range rapid.IntRange(0, 60).Draw(r, "news") {
		i := rapid.IntRange(0, 14).Draw(r, "n")
		id, parent := fmt.Sprintf("%sx%02d", txn.SpacePrefix, i), ""
		if rapid.Bool().Draw(r, "folder") {
			i %= 5
			id = folder(i)
			if above := rapid.IntRange(0, 5).Draw(r, "above"); above < i {
				parent = folder(above)
			}
		} else if above := rapid.IntRange(0, 6).Draw(r, "above"); above < 5 {
			parent = folder(above)
		}
		if rapid.IntRange(0, 7).Draw(r, "gone") == 0 {
			model.Apply(id, nil)
			continue
		}
		n := store.Entry{Parent: parent, Order: fmt.Sprint(i), Creator: rapid.SampledFrom([]string{"u_me", "u_you"}).Draw(r, "creator")}
		_ = json.Unmarshal([]byte(rapid.SampledFrom(levels).Draw(r, "level")), &n.Level)
		if rapid.IntRange(0, 5).Draw(r, "trashed") == 0 && IsSpace(id) {
			n.Deleted = 1
		}
		if rapid.IntRange(0, 5).Draw(r, "team") == 0 {
			n.Teams = map[string]api.Role{"team": api.RoleReview}
		}
		entry, _ := json.Marshal(n)
		model.Apply(id, entry)
	}
	return model
}

func genCaller(r *rapid.T, model *Model) *Caller {
	c := &Caller{
		User: "u_me", Grants: map[string]api.Role{}, Teams: map[string]api.TeamRole{},
		Role: rapid.SampledFrom([]api.Role{api.RoleGuest, api.RoleRead, api.RoleCreate, api.RoleAdmin}).Draw(r, "role"),
	}
	if rapid.Bool().Draw(r, "in the team") {
		c.Teams["team"] = api.TeamMember
	}
	for _, id := range slices.Sorted(maps.Keys(model.entries)) {
		if rapid.IntRange(0, 5).Draw(r, "granted "+id) == 0 {
			c.Grants[id] = rapid.SampledFrom([]api.Role{api.RoleRead, api.RoleEdit}).Draw(r, "grant")
		}
	}
	return c
}
