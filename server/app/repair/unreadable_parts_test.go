package repair_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/repair"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// findObject returns the hash of the object of a space that contains part.
func (dw *damagedWorld) findObject(space string, part []byte) (hash string) {
	dw.T.Helper()
	dw.Must(dw.Store.VisitObjects(dw.T.Context(), space, func(o objects.Object) error {
		payload, err := o.Payload()
		if bytes.Contains(payload, part) && !o.IsNode() {
			hash = o.Hash
		}
		return err
	}))
	return hash
}

// TestRepairLostReusableAndFile checks that fsck reports the reusable content and the file whose bytes are lost, and the repair
// changes nothing else.
func TestRepairLostReusableAndFile(t *testing.T) {
	t.Parallel()
	const words, data = "Nobody else says this.", "The bytes of a file."
	for kind, part := range map[string]string{repair.DamagedReusable: words, repair.DamagedFile: data} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b := newDamagedWorld(t, storetest.Memory())
			space, page := b.NewSpaceWithPage("# Page\n\nText.\n")
			r := b.CreateRequest("editor", space, "More")
			b.Edit("editor", r, servertest.InsertReusable("Note", words+"\n"),
				api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
					{Name: "a.txt", ContentType: "text/plain", Base64: base64.StdEncoding.EncodeToString([]byte(data))},
				}})
			b.Merge("admin", r)
			before := b.PageText(space, page)
			b.loseObjects(space, b.findObject(space, []byte(part)))
			report, err := fsck.Run(t.Context(), b.Store, fsck.Options{})
			b.Must(err)
			if report.Clean() || len(report.Unreadable) == 0 {
				t.Errorf("fsck finds %v", report.Findings)
			}
			damages := b.repairAll()
			if !slices.ContainsFunc(damages, func(d repair.Damage) bool { return d.Kind == kind && d.GivenUp && d.Space == space }) {
				t.Errorf("what was lost is %+v", damages)
			}
			servertest.Equal(t, "the page", before, b.PageText(space, page))
			files := servertest.Do(b.World, "admin", api.ListContentFiles, api.ListFilesInput{Space: space}).Items
			servertest.Equal(t, "files", kind == repair.DamagedReusable, len(files) == 1)
		})
	}
}

// changeEverything edits a change request so that it has other pages, files, reusable contents and sources.
func (dw *damagedWorld) changeEverything(r api.ChangeRequest, name string) {
	dw.T.Helper()
	dw.Edit("editor", r, servertest.InsertReusable(name, "Note of "+name+".\n"),
		api.ContentChange{Operation: api.InsertFiles, Files: []api.FileInsert{
			{Name: name + ".txt", ContentType: "text/plain", Base64: base64.StdEncoding.EncodeToString([]byte(name))},
		}})
	url := "https://example.com/" + name + ".md"
	dw.Web[url] = "# " + name + "\n\nText.\n"
	servertest.Do(dw.World, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
		ChangeRequestRef: servertest.Ref(r), Body: api.Import{URL: url, Source: api.ImportMarkdown, Name: name},
	})
}

// newDivergedSpace returns a space with a change request that is based on the revision base. Both have changed all parts
// since.
func (dw *damagedWorld) newDivergedSpace() (space string, base revision.Revision, open api.ChangeRequest) {
	dw.T.Helper()
	space = dw.CreateSpace("Estate", "", "")
	merge := func(name string) {
		r := dw.CreateRequest("editor", space, name)
		dw.changeEverything(r, name)
		dw.Merge("admin", r)
	}
	merge("First")
	base = dw.readRevision(space)
	open = dw.CreateRequest("editor", space, "Open")
	dw.changeEverything(open, "Open")
	merge("Later")
	return space, base, open
}

// readRevision returns the revision of the head of a space.
func (dw *damagedWorld) readRevision(space string) revision.Revision {
	dw.T.Helper()
	r, err := revision.New(dw.Store, 1<<20).Revision(dw.T.Context(), dw.Store.Content(space), dw.head(space, 0).Revision)
	dw.Must(err)
	return r
}

// sourcesRoot returns the root of the map of sources of a revision.
func sourcesRoot(r revision.Revision) string { return r.Sources }

// TestRepairLostPartOfBase checks that a change request can be merged after a repair, also if only the revision that it is based
// on has lost a part: it gets another base. The loss is reported once.
func TestRepairLostPartOfBase(t *testing.T) {
	t.Parallel()
	for name, root := range map[string]func(revision.Revision) string{
		"pages": revision.PagesRoot, "files": revision.FilesRoot, "reusable contents": revision.ReusablesRoot, "sources": sourcesRoot,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newDamagedWorld(t, storetest.Memory())
			space, base, open := b.newDivergedSpace()
			b.loseObjects(space, root(base))
			if damages := b.repairAll(); len(damages) != 1 || damages[0].ID != root(base) || damages[0].GivenUp {
				t.Errorf("what was lost is %+v", damages)
			}
			b.Merge("admin", open)
			now := servertest.Do(b.World, "admin", api.GetContent, api.GetContentInput{Space: space})
			notes := map[string]bool{}
			for _, note := range now.ReusableContents {
				notes[note.Title] = true
			}
			servertest.Equal(t, "reusable contents", map[string]bool{"First": true, "Open": true, "Later": true}, notes)
			files := servertest.Do(b.World, "admin", api.ListContentFiles, api.ListFilesInput{Space: space}).Items
			servertest.Equal(t, "files", 3, len(files))
			pages := servertest.Do(b.World, "admin", api.ListContentPages, api.GetContentInput{Space: space}).Pages
			servertest.Equal(t, "pages", 3, len(pages))
			sources := servertest.Do(b.World, "admin", api.ListSources, api.ListSourcesInput{Space: space}).Items
			servertest.Equal(t, "sources", 3, len(sources))
		})
	}
}

// TestRepairLostSources checks that a space whose map of sources is lost accepts imports and merges after a repair, which
// reports the loss.
func TestRepairLostSources(t *testing.T) {
	t.Parallel()
	b := newDamagedWorld(t, storetest.Memory())
	space, _, open := b.newDivergedSpace()
	lost := b.readRevision(space).Sources
	b.loseObjects(space, lost)
	damages := b.repairAll()
	if len(damages) != 1 || damages[0].Kind != repair.DamagedSources || damages[0].ID != lost || !damages[0].GivenUp {
		t.Errorf("what was lost is %+v", damages)
	}
	b.Merge("admin", open)
	last := b.CreateRequest("editor", space, "Last")
	b.changeEverything(last, "Last")
	b.Merge("admin", last)
	pages := servertest.Do(b.World, "admin", api.ListContentPages, api.GetContentInput{Space: space}).Pages
	servertest.Equal(t, "pages", 4, len(pages))
}

// TestRepairLostSpecification checks that a space that has lost the document of a specification shows the pages of its newest
// version, and the other pages, after a repair.
func TestRepairLostSpecification(t *testing.T) {
	t.Parallel()
	b := newDamagedWorld(t, storetest.Memory())
	servertest.NewSpec(b.World, servertest.PetsSlug, servertest.PetsText)
	space := b.CreateSpace("Estate", "", "")
	r := b.CreateRequest("editor", space, "API")
	b.Edit("editor", r, servertest.InsertComputedPage("API", servertest.PetsSlug), servertest.Insert("Other", "", "Text.\n"))
	b.Merge("admin", r)
	outline := func() []string {
		return servertest.Outline(servertest.Do(b.World, "admin", api.ListContentPages, api.GetContentInput{Space: space}).Pages)
	}
	before, pinned := outline(), b.readRevision(space).Specs[servertest.PetsSlug]
	b.loseObjects(space, pinned.Bundle)
	damages := b.repairAll()
	if len(damages) != 1 || damages[0].Kind != repair.DamagedSpec || damages[0].ID != pinned.Version || damages[0].GivenUp {
		t.Errorf("what was lost is %+v", damages)
	}
	servertest.Equal(t, "outline", before, outline())
}
