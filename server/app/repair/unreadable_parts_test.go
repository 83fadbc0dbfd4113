package repair_test

import (
	"bytes"
	"encoding/base64"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/repair"
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

// Fsck reports the reusable content and the file whose bytes are lost, and the repair changes nothing else.
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
