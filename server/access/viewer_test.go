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

// TestViewerAgreesWithTheRoles holds the counts and pages of the viewer, which it mostly infers, against the role of
// every space, computed one by one.
func TestViewerAgreesWithTheRoles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		sh := drawModel(r)
		c := drawCaller(r, sh)
		var want []string
		for _, id := range sh.spaces.sorted() {
			if _, alive := sh.Active(id); alive && sh.Role(c, id).AtLeast(api.RoleRead) {
				want = append(want, id)
			}
		}
		if got := NewViewer(sh, c).CountSpaces(); got != len(want) {
			r.Fatalf("counted %d spaces, %v can read %d", got, c, len(want))
		}
		var walked []string
		for {
			after := ""
			if len(walked) > 0 {
				after = walked[len(walked)-1]
			}
			page := NewViewer(sh, c).After(sh.spaces.sorted(), after, 3, strings.Compare)
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

// drawModel makes a model by a random history of news, in no order of ids.
func drawModel(r *rapid.T) *Model {
	sh, _ := New("o_x").(*Model)
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
			sh.Apply(id, nil)
			continue
		}
		n := store.Node{Parent: parent, Order: fmt.Sprint(i), Creator: rapid.SampledFrom([]string{"u_me", "u_you"}).Draw(r, "creator")}
		_ = json.Unmarshal([]byte(rapid.SampledFrom(levels).Draw(r, "level")), &n.Level)
		if rapid.IntRange(0, 5).Draw(r, "trashed") == 0 && IsSpace(id) {
			n.Deleted = 1
		}
		if rapid.IntRange(0, 5).Draw(r, "team") == 0 {
			n.Teams = map[string]api.Role{"team": api.RoleReview}
		}
		entry, _ := json.Marshal(n)
		sh.Apply(id, entry)
	}
	return sh
}

func drawCaller(r *rapid.T, sh *Model) *Caller {
	c := &Caller{
		User: "u_me", Grants: map[string]api.Role{}, Teams: map[string]api.TeamRole{},
		Role: rapid.SampledFrom([]api.Role{api.RoleGuest, api.RoleRead, api.RoleCreate, api.RoleAdmin}).Draw(r, "role"),
	}
	if rapid.Bool().Draw(r, "in the team") {
		c.Teams["team"] = api.TeamMember
	}
	for _, id := range slices.Sorted(maps.Keys(sh.nodes)) {
		if rapid.IntRange(0, 5).Draw(r, "granted "+id) == 0 {
			c.Grants[id] = rapid.SampledFrom([]api.Role{api.RoleRead, api.RoleEdit}).Draw(r, "grant")
		}
	}
	return c
}
