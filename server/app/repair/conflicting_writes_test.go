package repair_test

import (
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/repair"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// damagedSpace is a space with two pages, the first of which has lost its text, and an open change request. An earlier
// draft of the text is readable.
type damagedSpace struct {
	*damagedWorld

	hook            servertest.WriteHook
	space           string
	page, otherPage string
	openRequest     api.ChangeRequest
}

func newDamagedSpace(t *testing.T) *damagedSpace {
	t.Helper()
	d := &damagedSpace{damagedWorld: &damagedWorld{}}
	d.World = servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
		d.prefix = c.Prefix
		c.Hooks = append(c.Hooks, &d.breaker, &d.hook)
	})
	d.space, d.page = d.NewSpaceWithPage("The first text.\n")
	r := d.CreateRequest("editor", d.space, "Better")
	d.otherPage = d.Edit("editor", r, servertest.Insert("Other", "", "Other.\n")).Changes[0].Page.ID
	for _, text := range []string{"An earlier draft.\n", "The last word.\n"} {
		d.Clock.Advance(time.Minute)
		d.Edit("editor", r, servertest.Update(d.page, text))
	}
	d.Merge("admin", r)
	d.openRequest = d.CreateRequest("editor", d.space, "Open")
	d.Edit("editor", d.openRequest, servertest.Update(d.otherPage, "Other, changed.\n"))
	d.loseObjects(d.space, d.textHash(d.space, d.page))
	return d
}

// repairDuring repairs the space and calls act before its n-th write. more is false if the repair made fewer writes.
func (d *damagedSpace) repairDuring(n int64, act func()) (more bool) {
	d.T.Helper()
	report, err := fsck.Run(d.T.Context(), d.Store, fsck.Options{})
	d.Must(err)
	plan, err := repair.NewPlan(d.T.Context(), d.Store, d.Clock.Now, report.Unreadable)
	d.Must(err)
	more = d.hook.Before(n, act, func() { _, err = plan.Apply(d.T.Context()) })
	d.Must(err)
	d.Serve()
	return more
}

// wantRepaired fails the test unless the page has its first text, in the space and in change requests, and the earlier
// draft of its text is proposed.
func (d *damagedSpace) wantRepaired(requests ...api.ChangeRequest) {
	d.T.Helper()
	servertest.Equal(d.T, "text", "The first text.\n", d.PageText(d.space, d.page))
	for _, r := range requests {
		servertest.Equal(d.T, "text in "+r.Subject, "The first text.\n", *d.DraftPage(servertest.Ref(r), d.page).Markdown)
	}
	drafts := servertest.Do(d.World, "admin", api.ListChangeRequests, api.ListChangeRequestsInput{
		Space: d.space, Status: api.StatusDraft,
	}).Items
	texts := []string{}
	for _, r := range drafts {
		if r.Subject == "Texts of 1 pages that a repair has found" {
			texts = append(texts, *d.DraftPage(servertest.Ref(r), d.page).Markdown)
		}
	}
	servertest.Equal(d.T, "proposed", []string{"An earlier draft.\n"}, texts)
}

// TestRepairAndConcurrentWriteBothTakeEffect checks that a repair and another write between any of its steps have the
// effects of both.
func TestRepairAndConcurrentWriteBothTakeEffect(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(d *damagedSpace) (check func()){
		"merge into the space": func(d *damagedSpace) func() {
			d.Merge("admin", d.openRequest)
			return func() {
				servertest.Equal(d.T, "merged", "Other, changed.\n", d.PageText(d.space, d.otherPage))
				d.wantRepaired()
			}
		},
		"edit of the change request": func(d *damagedSpace) func() {
			d.Edit("editor", d.openRequest, servertest.Update(d.otherPage, "Other, changed again.\n"))
			return func() {
				servertest.Equal(d.T, "edited", "Other, changed again.\n",
					*d.DraftPage(servertest.Ref(d.openRequest), d.otherPage).Markdown)
				d.wantRepaired(d.openRequest)
			}
		},
		"new change request": func(d *damagedSpace) func() {
			r := d.CreateRequest("creator", d.space, "New")
			return func() { d.wantRepaired(d.openRequest, r) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n, more := int64(1), true; more; n++ {
				passed := t.Run(fmt.Sprint(n), func(t *testing.T) {
					d := newDamagedSpace(t)
					check := func() { d.wantRepaired(d.openRequest) }
					more = d.repairDuring(n, func() { check = write(d) })
					check()
				})
				more = more && passed
			}
		})
	}
}
