package repair_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/server/app/repair"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/storetest"
)

// TestCheckConfirmsLoss checks that content is repaired only with the option, and that content written by users is discarded
// only after a confirmation.
func TestCheckConfirmsLoss(t *testing.T) {
	t.Parallel()
	b := newDamagedWorld(t, storetest.Memory())
	space, page := b.NewSpaceWithPage("# Page\n\nText.\n")
	healthy, err := repair.Check(t.Context(), b.Store, fsck.Options{Repair: true}, nil)
	if err != nil || !healthy.Clean() || len(healthy.Lines()) > 0 {
		t.Errorf("before: %v %v", healthy.Lines(), err)
	}
	b.loseObjects(space, b.textHash(space, page))
	before := b.Dump()
	check := func(options fsck.Options, confirm repair.ConfirmFunc) (repair.Result, error) {
		return repair.Check(t.Context(), b.Store, options, confirm)
	}
	refusal := errors.New("no")
	found, err := check(fsck.Options{}, func([]repair.Damage, int) error { return refusal })
	if err != nil || found.Clean() || len(found.Damages) == 0 || len(found.Drafts) > 0 {
		t.Errorf("without repair: %+v %v", found, err)
	}
	for _, damage := range found.Damages {
		if !slices.Contains(found.Lines(), damage.String()) {
			t.Errorf("%q has no line %q", found.Lines(), damage)
		}
	}
	asked := 0
	_, err = check(fsck.Options{Repair: true}, func(damages []repair.Damage, lost int) error {
		if asked++; lost == 0 || len(damages) < lost {
			t.Errorf("%d of %d damages are losses", lost, len(damages))
		}
		return refusal
	})
	if !errors.Is(err, refusal) || asked != 1 {
		t.Errorf("refused %d times: %v", asked, err)
	}
	servertest.WantUnchanged(b.World, before, "a refused repair")
	repaired, err := check(fsck.Options{Repair: true}, nil)
	if err != nil || !repaired.Clean() || len(repaired.Unreadable) > 0 || len(repaired.Damages) == 0 {
		t.Errorf("repaired: %+v %v", repaired, err)
	}
	b.Serve()
}

// TestCheckKeepsConcurrentEdits checks that changes that are made while the loss is confirmed, in a space and in one of
// its change requests, are kept: the repair examines the content again.
func TestCheckKeepsConcurrentEdits(t *testing.T) {
	t.Parallel()
	b := newDamagedWorld(t, storetest.Memory())
	space, page := b.NewSpaceWithPage("# Page\n\nText.\n")
	first := b.NewRequest("editor", space)
	other := b.Change(first, servertest.NewPage("Other", "Before.\n")).Changes[0].Page.ID
	b.MustMerge(first)
	open := b.NewRequest("editor", space)
	draft := b.Change(open, servertest.NewPage("Draft", "Before.\n")).Changes[0].Page.ID
	b.loseObjects(space, b.textHash(space, page))
	repaired, err := repair.Check(t.Context(), b.Store, fsck.Options{Repair: true}, func([]repair.Damage, int) error {
		b.Change(open, servertest.Write(draft, "During.\n"))
		second := b.NewRequest("editor", space)
		b.Change(second, servertest.Write(other, "During.\n"))
		b.MustMerge(second)
		return nil
	})
	if err != nil || !repaired.Clean() || len(repaired.Damages) == 0 {
		t.Errorf("repaired: %+v %v", repaired, err)
	}
	b.Serve()
	servertest.Equal(t, "text of the space", "During.\n", b.PageText(space, other))
	servertest.Equal(t, "text of the change request", "During.\n", *b.DraftPage(open, draft).Markdown)
}

func TestRepairResultLines(t *testing.T) {
	t.Parallel()
	r := repair.Result{
		Report:  fsck.Report{Findings: []fsck.Finding{{Key: "key", Problem: "is wrong"}}, Notes: []string{"a note"}},
		Damages: []repair.Damage{{Space: "s_1", Title: "Docs", Kind: "page", Outcome: "is lost"}},
		Drafts:  []string{"cr_1"},
	}
	want := "key: is wrong\nspace s_1 (Docs): page: is lost\nnote: a note\nwhat is readable elsewhere is in the draft change request cr_1"
	if got := strings.Join(r.Lines(), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
