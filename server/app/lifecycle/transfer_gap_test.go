package lifecycle_test

import (
	"net/http"
	"slices"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestDeletionDuringInterruptedTransferTakesEffect deletes a space of an interrupted transfer while neither organization shows
// the space. Before each call to Redis of the deletion it completes the transfer, or also transfers the collection further. An
// acknowledged deletion has taken effect.
func TestDeletionDuringInterruptedTransferTakesEffect(t *testing.T) {
	t.Parallel()
	const step = 3 // increment of the number of calls to Redis after which the transfer is interrupted
	for name, further := range map[string]bool{"completed": false, "transferred further": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gaps, hidden := 0, true
			for calls := int64(1); gaps == 0 || hidden; calls += step {
				g := newInterruptedTransfer(t, further)
				if !g.interrupt(calls) {
					t.Fatalf("the space was never hidden, or until the end; %d calls", calls)
				}
				if hidden = g.isHidden(); hidden {
					gaps++
					g.deleteAtEveryCall(calls)
				}
				g.WantClean()
			}
			t.Logf("interrupted at %d places", gaps)
		})
	}
}

// interruptedTransfer is a scenario whose transfer is interrupted.
type interruptedTransfer struct {
	*transferScenario

	passedOn bool // the collection is transferred to the third organization, too
	limit    *servertest.CallLimit
	hook     *servertest.WriteHook
}

func newInterruptedTransfer(t *testing.T, further bool) *interruptedTransfer {
	g := &interruptedTransfer{passedOn: further, limit: &servertest.CallLimit{}, hook: &servertest.WriteHook{Reads: true}}
	g.limit.Remaining.Store(servertest.Unlimited)
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, g.limit, g.hook) })
	g.transferScenario = &transferScenario{
		World: w, targetOrg: servertest.NewOrganization(w, "Other"), thirdOrg: servertest.NewOrganization(w, "Third"),
	}
	return g
}

// interrupt transfers a new collection and interrupts the transfer after the given number of calls to Redis. It reports whether
// the transfer makes more calls.
func (g *interruptedTransfer) interrupt(calls int64) bool {
	g.T.Helper()
	g.transferScenario = newTransferScenario(g.World, g.targetOrg, g.thirdOrg)
	g.limit.Remaining.Store(calls)
	transferred := g.transfer()
	more := g.limit.Remaining.Load() <= 0
	g.limit.Remaining.Store(servertest.Unlimited)
	if !more && transferred.Status != http.StatusOK {
		g.T.Fatalf("after %d calls: %d %s", calls, transferred.Status, transferred.Body)
	}
	return more
}

// isHidden reports whether neither organization lists the space.
func (g *interruptedTransfer) isHidden() bool {
	g.T.Helper()
	for _, org := range []string{g.Org, g.targetOrg} {
		listed := servertest.Do(g.World, "admin", api.ListSpaces, api.ListSpacesInput{
			Organization: org, ListOptions: api.ListOptions{Limit: api.Some(1000)},
		}).Items
		if slices.ContainsFunc(listed, func(s api.Space) bool { return s.ID == g.space }) {
			return false
		}
	}
	return true
}

// deleteAtEveryCall deletes the space of transfers that were interrupted after the given number of calls.
func (g *interruptedTransfer) deleteAtEveryCall(calls int64) {
	g.T.Helper()
	for n, more := int64(1), true; more; n++ {
		g.interrupt(calls)
		var acted servertest.Response
		more = g.hook.Before(n, g.complete, func() {
			acted = servertest.Try(g.World, "admin", api.DeleteSpace, api.SpaceRef{Space: g.space})
		})
		resumeOnOtherNode(g.transferScenario)
		deleted := !g.getSpace(g.space).DeletedAt.IsZero()
		if succeeded := servertest.Succeeded(acted); succeeded != deleted || !succeeded && acted.Status != http.StatusServiceUnavailable {
			g.T.Fatalf("transfer interrupted after %d calls and completed before call %d of the deletion: %d %s, deleted: %t", calls, n,
				acted.Status, acted.Body, deleted)
		}
	}
}

// complete completes the transfer on another node and, if passedOn is set, transfers the collection to the third organization.
func (g *interruptedTransfer) complete() {
	resumeOnOtherNode(g.transferScenario)
	if g.passedOn {
		g.transferTo(g.thirdOrg)
	}
}
