package folder

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/storetest"
)

// drawPath draws the path of a file.
func drawPath(t *rapid.T) string {
	at := rapid.SampledFrom([]string{
		"x.md", "X.md", "y.md", "y z.md", "é.md", "long.markdown", "README.md", "index.md", "readme.md", "pic.png", "Pic.PNG", "x.html",
		"y.pdf", "a.md",
	}).Draw(t, "name")
	for range rapid.IntRange(0, 2).Draw(t, "depth") {
		at = rapid.SampledFrom([]string{"a", "b", "A", "y", "é"}).Draw(t, "directory") + "/" + at
	}
	return at
}

// drawDestination draws a destination: often of something that is there.
func drawDestination(t *rapid.T, paths []string) string {
	to := rapid.OneOf(rapid.SampledFrom(paths), rapid.Custom(drawPath)).Draw(t, "to")
	switch rapid.IntRange(0, 8).Draw(t, "form") {
	case 0:
		to = strings.TrimSuffix(to, path.Ext(to))
	case 1:
		to = path.Dir(to) + "/"
	case 2:
		to = path.Base(to)
	case 3:
		to = strings.ToUpper(to)
	case 4:
		to = strings.TrimSuffix(to, path.Ext(to)) + ".html"
	case 5:
		to = content.Slug(to)
	case 6:
		to = rapid.SampledFrom([]string{"", "", "#", "?q=1", "/pages/p_1x", "/files/x.png", "/spaces/s_1", "/users/u_1"}).Draw(t, "odd")
	}
	if !strings.HasPrefix(to, "/") && to != "" {
		to = rapid.SampledFrom([]string{"", "", "./", "../", "/", "../../", "a/../"}).Draw(t, "start") + to
	}
	to = strings.ReplaceAll(strings.ReplaceAll(to, " ", "%20"), "é", rapid.SampledFrom([]string{"é", "%C3%A9", "e\u0301"}).Draw(t, "é"))
	ends := []string{"", "", "", "#here", "#Here", "#here-1", "#own", "#OWN", "#none", "?q=a/b", "#top"}
	return to + rapid.SampledFrom(ends).Draw(t, "end")
}

// drawFolder draws the files of a folder of pages that refer to each other.
func drawFolder(t *rapid.T) map[string]string {
	paths := rapid.SliceOfNDistinct(rapid.Custom(drawPath), 3, 10, rapid.ID).Draw(t, "paths")
	for _, at := range slices.Clone(paths) { // a directory in another one is refused if neither has a page
		if dir, _, isDeep := strings.Cut(at, "/"); isDeep && strings.Count(at, "/") == 2 && !slices.Contains(paths, dir+"/README.md") {
			paths = append(paths, dir+"/README.md")
		}
	}
	files := map[string]string{}
	for _, at := range paths {
		if !isText(at) {
			files[at] = at
			continue
		}
		texts := []string{"", "# Here\n", "# Here\n\n## Here\n", "## Words {#own}\n", "---\ntitle: T\n---\n\n# Here\n"}
		text := rapid.SampledFrom(texts).Draw(t, "text")
		for range rapid.IntRange(0, 6).Draw(t, "links") {
			to := drawDestination(t, paths)
			form := rapid.SampledFrom([]string{"[x](%s)", "[x](<%s>)", "![x](%s)", `<a href="%s">x</a>`, `<img src="%s">`}).Draw(t, "link")
			text += "\n" + fmt.Sprintf(form, to) + "\n"
		}
		files[at] = text
	}
	if rapid.IntRange(0, 2).Draw(t, "order") > 0 {
		return files
	}
	summary, indent := "# Summary\n\n", ""
	for _, at := range rapid.Permutation(paths).Draw(t, "summary") {
		if isText(at) && rapid.IntRange(0, 4).Draw(t, "listed") > 0 {
			summary += indent + "* [" + rapid.SampledFrom([]string{"One", "Two", "a"}).Draw(t, "title") + "](<" + at + ">)\n"
			indent = rapid.SampledFrom([]string{"", "  "}).Draw(t, "indent")
		}
	}
	files["SUMMARY.md"] = summary
	return files
}

var drawnLink = regexp.MustCompile(`\]\(<?([^)>]*)>?\)|="([^"]*)">`)

// checkedLinks returns the broken links of a folder by the check: paths of pages with destinations.
func checkedLinks(t *testing.T, dir string, files map[string]string) (broken []string) {
	t.Helper()
	for _, finding := range checkDirectory(t, dir) {
		at, _, isBroken := strings.Cut(finding, " error link: ")
		if !isBroken {
			continue
		}
		at, number, _ := strings.Cut(at, ":")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		found := drawnLink.FindStringSubmatch(strings.Split(files[at], "\n")[n-1])
		if found == nil {
			t.Fatalf("%s is about no link", finding)
		}
		broken = append(broken, at+" "+found[1]+found[2])
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// brokenLinks returns the broken links of a space: paths of pages in their source with destinations. Those by ids are left out, since
// a check without a server does not know them.
func (w serverWorld) brokenLinks(space string) (broken []string) {
	links := servertest.Do(w.World, "admin", api.ListSpaceLinks, api.ListLinksInput{
		Space: space, ListOptions: api.ListOptions{Limit: api.Some(1000)}, Status: api.LinkBroken,
	})
	for _, l := range links.Items {
		if !isStable(l.Href) {
			broken = append(broken, l.Locations[0].Page.Git.Path+" "+l.Href)
		}
	}
	slices.Sort(broken)
	return slices.Compact(broken)
}

// TestCheckFindsTheBrokenLinksOfTheServerCampaign pushes random folders, and checks that the links that the check of the folder calls
// broken are those that are broken in the space.
func TestCheckFindsTheBrokenLinksOfTheServerCampaign(t *testing.T) {
	t.Parallel()
	folders, seed := storetest.Campaign(t, "resolver", 40, 2000)
	w := newServerWorld(t)
	pushed, links := 0, 0
	for i := range folders {
		number := int(seed%1e9) + i
		files := rapid.Custom(drawFolder).Example(number)
		dir := t.TempDir()
		write(t, dir, files)
		want, space := checkedLinks(t, dir, files), w.newSpace(t)
		if r := w.Run("push", dir, "--space", space, "--merge", "--yes"); r.Code != 0 {
			if !strings.Contains(r.Stderr+r.Stdout, "both have no page of their own") {
				t.Fatalf("folder %d: exit code %d\n%s", number, r.Code, r.Stderr)
			}
			continue
		}
		pushed++
		got := w.brokenLinks(space)
		links += len(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("folder %d: %s", number, diff)
			for _, at := range slices.Sorted(maps.Keys(files)) {
				t.Logf("%s\n%s", at, files[at])
			}
			return
		}
	}
	t.Logf("%d of %d folders pushed, %d broken links", pushed, folders, links)
	if pushed*2 < folders || links < folders {
		t.Error("too few folders were pushed, or too few links are broken")
	}
}
