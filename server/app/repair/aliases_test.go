package repair_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// countBrokenLinks returns the number of broken links of a space.
func (dw *damagedWorld) countBrokenLinks(space string) int {
	dw.T.Helper()
	return servertest.Do(dw.World, "admin", api.ListSpaceLinks, api.ListLinksInput{Space: space}).Stats.Broken.Total
}

// TestRepairRestoresAnchorsOfLostBlockTable checks that anchors of a source resolve after the block table of a page is lost if
// another table of the page is readable: in a merged change request or in the import. Otherwise the next import restores them.
func TestRepairRestoresAnchorsOfLostBlockTable(t *testing.T) {
	t.Parallel()
	for name, isEdited := range map[string]bool{"edited": true, "unedited": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newDamagedWorld(t, storetest.Memory())
			space, _ := b.NewSpaceWithPage("# Page\n\nText.\n")
			const address = "https://example.com/manual/"
			b.Web["https://example.com/robots.txt"] = "User-agent: *\nAllow: /\n"
			b.Web[address] = `<html><head><title>Manual</title></head><body><main><h1>Manual</h1><p>See <a href="#way">the way</a>.</p>` +
				`<p id="way">This is the way.</p><p>The end.</p></main></body></html>`
			imported := func() {
				request := b.NewRequest("editor", space)
				servertest.Do(b.World, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
					ChangeRequestRef: request, Body: api.Import{URL: address, Source: api.ImportWebsite, Name: "manual", Force: true},
				})
				for _, p := range servertest.Do(b.World, "editor", api.ListChangeRequestContentPages,
					api.ChangeRequestContentInput{ChangeRequestRef: request}).Pages {
					if text := b.DraftPage(request, p.ID).Markdown; p.Title == "Manual" && isEdited {
						b.Change(request, servertest.Write(p.ID, "New here.\n\n"+*text))
					}
				}
				b.MustMerge(request)
			}
			imported()
			servertest.Equal(t, "broken links", 0, b.countBrokenLinks(space))
			b.loseObjects(space, b.findObject(space, []byte(`"aliases":["way"]`)))
			b.repairAll()
			if isEdited {
				servertest.Equal(t, "broken links after the repair", 0, b.countBrokenLinks(space))
				return
			}
			servertest.Equal(t, "broken links after the repair", 1, b.countBrokenLinks(space))
			imported()
			servertest.Equal(t, "broken links after the next import", 0, b.countBrokenLinks(space))
		})
	}
}
