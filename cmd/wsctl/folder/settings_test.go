package folder

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/dialects"
)

// withSettings returns an export whose pages have the given settings, by path.
func withSettings(x *Export, settings map[string]pageSettings) *Export {
	for i, p := range x.Pages {
		s := settings[p.Path]
		if s.Slug != "" {
			x.Pages[i].Slug = s.Slug
		}
		x.Pages[i].ExportedSettings = api.ExportedSettings{
			Icon: s.Icon, Emoji: s.Emoji, Description: s.Description, Hidden: s.Hidden, NoIndex: s.NoIndex, NoRobotsIndex: s.NoRobotsIndex,
		}
	}
	return x
}

func settingsIn(t *testing.T, dir string) map[string]pageSettings {
	t.Helper()
	f := openFolder(t, dir)
	defer f.Close()
	settings, err := f.readSettings(nil)
	if err != nil {
		t.Fatal(err)
	}
	return settings.pages
}

// TestPullWritesSettings checks that a pull writes what the files do not say, merges it with that of the folder, and removes the file
// when there is nothing left.
func TestPullWritesSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{"a.md": "A.\n", "b/README.md": "B.\n", "c.md": "---\ndescription: About C.\n---\n# C\n"}
	pull := func(revision string, settings map[string]pageSettings) []Result {
		return pullInto(t, dir, withSettings(exportOf(t, revision, files, nil), settings))
	}
	said := map[string]pageSettings{"c.md": {Description: "About C."}}
	pull("r_1", said)
	if _, err := os.Lstat(filepath.Join(dir, settingsName)); err == nil {
		t.Error("settings that the text has are in a file of their own")
	}
	both := map[string]pageSettings{"a.md": {Slug: "alpha", Icon: "bolt"}, "b/README.md": {Hidden: true}, "c.md": {Description: "Other."}}
	pull("r_2", both)
	if diff := cmp.Diff(both, settingsIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	write(t, dir, map[string]string{settingsName: "version: 1\npages:\n  a.md: {slug: alpha, icon: sun}\n  b/README.md: {hidden: true}\n"})
	got := pull("r_3", map[string]pageSettings{
		"a.md": {Slug: "first", Icon: "bolt"}, "b/README.md": {Emoji: "1f600"}, "c.md": {Description: "Other."},
	})
	want := map[string]pageSettings{"a.md": {Slug: "first", Icon: "sun"}, "b/README.md": {Emoji: "1f600"}}
	if diff := cmp.Diff(want, settingsIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	if len(got) != 1 || got[0].Outcome != Updated || got[0].Path != settingsName {
		t.Errorf("%+v", got)
	}
	got = pull("r_4", map[string]pageSettings{"a.md": {Slug: "first", Icon: "moon"}, "c.md": {Description: "Other."}})
	if len(got) != 1 || got[0].Outcome != Conflicted || !strings.Contains(got[0].Reason, "both changed the icon of a.md") {
		t.Errorf("%+v", got)
	}
	undoIn(t, dir)
	if diff := cmp.Diff(want, settingsIn(t, dir)); diff != "" {
		t.Error("after undo:", diff)
	}
}

// TestPushSendsSettings checks that a push sends the settings that the file has changed, those of moved and new pages included.
func TestPushSendsSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "# Page\n\nOne.\n\nTwo.\n\nThree.\n"
	base := map[string]pageSettings{"a.md": {Slug: "alpha", Icon: "bolt"}, "b.md": {Hidden: true}, "c.md": {Emoji: "1f600"}}
	pullInto(t, dir, withSettings(exportOf(t, "r_1", map[string]string{"a.md": "A.\n", "b.md": text, "c.md": "C.\n"}, nil), base))
	f := openFolder(t, dir)
	if p := planPush(t, f); !p.IsEmpty() {
		t.Fatalf("%+v", p.operations)
	}
	if err := os.Rename(filepath.Join(dir, "b.md"), filepath.Join(dir, "bb.md")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{
		"new.md": "New.\n",
		settingsName: "version: 1\npages:\n  a.md: {icon: sun}\n  b.md: {hidden: true}\n" +
			"  new.md: {slug: novel, noIndex: true}\n",
	})
	p := planPush(t, f)
	got := map[string]api.ContentChange{}
	for _, o := range p.operations {
		got[o.path] = o.change
	}
	if c := got["a.md"]; c.Slug != api.Some("a") || c.Icon != api.Some("sun") || c.Document != nil {
		t.Errorf("%+v", c)
	}
	if c := got["bb.md"]; c.Path != "bb.md" || c.Slug != api.Some("bb") || !c.Hidden.IsZero() {
		t.Errorf("%+v", c)
	}
	if c := got["c.md"]; c.Emoji != api.Some("") {
		t.Errorf("%+v", c)
	}
	if c := got["new.md"]; c.Slug != api.Some("novel") || c.NoIndex != api.Some(true) {
		t.Errorf("%+v", c)
	}
}

// TestSettingsAreRefused checks that a file that cannot be read is an error that names it, and that nothing is pulled or pushed.
func TestSettingsAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"version: 2\npages: {}\n": "version must be 1", "version: 1\nother: 2\n": "other", "pages: [": "cannot be read",
		"version: 1\npages: {a.md: {colour: red}}\n": "colour",
	} {
		dir := t.TempDir()
		x := exportOf(t, "r_1", map[string]string{"a.md": "A.\n"}, nil)
		pullInto(t, dir, x)
		write(t, dir, map[string]string{settingsName: text})
		f := openFolder(t, dir)
		_, differences := differencesOf(t, f)
		if _, err := f.PlanPush(differences, PushOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSettingsOfUnknownPathsAreKept checks that a page keeps its settings if the file does not name it, but a path without a page: the
// page may have been moved elsewhere.
func TestSettingsOfUnknownPathsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	base := map[string]pageSettings{"a.md": {Icon: "bolt"}, "b.md": {Hidden: true}}
	files := map[string]string{"a.md": "A.\n", "b.md": "B.\n"}
	pullInto(t, dir, withSettings(exportOf(t, "r_1", files, nil), base))
	write(t, dir, map[string]string{settingsName: "version: 1\npages:\n  old/a.md: {icon: bolt}\n  b.md: {}\n"})
	f := openFolder(t, dir)
	p := planPush(t, f)
	f.Close()
	if len(p.operations) != 1 || p.operations[0].path != "b.md" || p.operations[0].change.Hidden != api.Some(false) {
		t.Errorf("%+v", p.operations)
	}
	if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "names old/a.md, which is no page") {
		t.Errorf("%q", p.Notes)
	}
	pullInto(t, dir, withSettings(exportOf(t, "r_2", files, nil), base))
	if diff := cmp.Diff(map[string]pageSettings{"a.md": {Icon: "bolt"}}, settingsIn(t, dir)); diff != "" {
		t.Error(diff)
	}
	write(t, dir, map[string]string{settingsName: "version: 1\npages: {}\n"})
	if p := planPush(t, openFolder(t, dir)); len(p.operations) != 2 {
		t.Errorf("settings that nothing names are not removed: %+v", p.operations)
	}
}

// TestOwnFilesAreReserved checks that no page or file of a space can have the name of a file of wsctl.
func TestOwnFilesAreReserved(t *testing.T) {
	t.Parallel()
	for _, name := range []string{configName, dataName, settingsName, historyName, api.ManifestName} {
		if dialects.InvalidPathReason(name) == "" || !isOwn("part/"+name) {
			t.Errorf("%s is not reserved", name)
		}
	}
}
