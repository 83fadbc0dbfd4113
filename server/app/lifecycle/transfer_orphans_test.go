package lifecycle_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// keyCommitHook is a hook that calls act before the next script that uses key.
type keyCommitHook struct {
	storetest.Trips
	key string
	act func()
}

func (h *keyCommitHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		named := func(arg any) bool {
			text, ok := arg.(string)
			return ok && strings.HasSuffix(text, h.key)
		}
		if act := h.act; act != nil && command.Name() == "evalsha" && slices.ContainsFunc(command.Args(), named) {
			h.act = nil
			act()
		}
		return next(ctx, command)
	}
}

// overtakenTransfer is a transfer whose node can be overtaken by another one.
type overtakenTransfer struct {
	*transferScenario
	hook *keyCommitHook
}

// newOvertakenTransfer returns a transfer to an organization with the given members.
func newOvertakenTransfer(t *testing.T, members ...string) overtakenTransfer {
	h := &keyCommitHook{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, h) })
	to, third := servertest.NewOrganization(w, "Other", members...), servertest.NewOrganization(w, "Third")
	return overtakenTransfer{newTransferScenario(w, to, third), h}
}

// transferWith transfers the collection and calls act before the first script that uses key. It fails the test if there is no
// such script.
func (o overtakenTransfer) transferWith(key string, act func()) servertest.Response {
	o.T.Helper()
	o.hook.key, o.hook.act = key, act
	response := o.transfer()
	if o.hook.act != nil {
		o.T.Fatalf("no script used %s: %d %s", key, response.Status, response.Body)
	}
	return response
}

// completeAndReturn completes the transfer on another node and transfers the collection back.
func (o overtakenTransfer) completeAndReturn() {
	o.T.Helper()
	resumeOnOtherNode(o.transferScenario)
	servertest.Equal(o.T, "organization", o.targetOrg, o.owner())
	servertest.Equal(o.T, "transfer back", 200, o.transferTo(o.Org).Status)
}

// TestStaleNodeWritesNoCopiesAfterTransfer checks that a node that is overtaken while it copies the original writes no copies
// after the arrival has ended: nothing would remove them, and they would block later transfers.
func TestStaleNodeWritesNoCopiesAfterTransfer(t *testing.T) {
	t.Parallel()
	o := newOvertakenTransfer(t, "creator", "editor", "reviewer")
	servertest.Do(o.World, "admin", api.CreateComment, api.CreateCommentInput{
		Space: o.space, Body: api.CommentCreate{Page: o.page, Body: servertest.CommentBody("?")},
	})
	o.transferWith("{"+o.targetOrg+"}:sp:"+o.space, func() {
		o.completeAndReturn()
		o.checkNoCopies(o.targetOrg, o.space)
	})
	servertest.Equal(t, "organization", o.Org, o.owner())
	for _, id := range []string{o.outer, o.space} {
		o.checkNoCopies(o.targetOrg, id)
	}
	o.checkNoTransfers()
	servertest.Equal(t, "next transfer", 200, o.transfer().Status)
	servertest.Equal(t, "organization", o.targetOrg, o.owner())
	o.WantClean()
}

// TestStaleNodeWritesNoGrantsAfterTransfer checks that a node that is overtaken before it copies the roles of members gives
// nobody a role after the arrival has ended: nothing would take it away, and it would apply when the collection arrives again.
func TestStaleNodeWritesNoGrantsAfterTransfer(t *testing.T) {
	t.Parallel()
	o := newOvertakenTransfer(t, "creator", "editor", "reviewer")
	servertest.Grant(o.World, "editor", o.space, api.RoleRead)
	o.transferWith(store.MemberKey(o.targetOrg, o.Users["editor"].ID).Name(), func() {
		o.completeAndReturn()
		o.checkNoCopies(o.targetOrg, o.space)
	})
	servertest.Equal(t, "organization", o.Org, o.owner())
	o.checkNoCopies(o.targetOrg, o.space)
	o.WantClean()
}

// TestStaleNodeDoesNotAbortCompletedTransfer checks that a node that is overtaken after it finds that the other organization is
// deleted does not abort a transfer that another node has completed since, when the organization was restored.
func TestStaleNodeDoesNotAbortCompletedTransfer(t *testing.T) {
	t.Parallel()
	o := newOvertakenTransfer(t)
	in := deleteOrganizationInput(o.World, o.targetOrg)
	overtaken := o.transferWith(store.TransferKey(o.Org, o.outer).Name(), func() { // before the transfer begins
		servertest.Do(o.World, "admin", api.DeleteOrganization, in)
		o.hook.act = func() { // before the transfer is aborted
			servertest.Do(o.World, "admin", api.RestoreOrganization, in.OrganizationRef)
			resumeOnOtherNode(o.transferScenario)
			servertest.Equal(t, "organization", o.targetOrg, o.owner())
		}
	})
	servertest.Equal(t, "status", 200, overtaken.Status)
	servertest.Equal(t, "organization", o.targetOrg, o.owner())
	o.checkNoTransfers()
	o.WantClean()
}

// TestTransferWaitsForRemovalOfOlderArrival checks that a transfer is completed although a node that was overtaken has opened
// the arrival of an earlier transfer of the collection: the job of the arrival removes it during the transfer.
func TestTransferWaitsForRemovalOfOlderArrival(t *testing.T) {
	t.Parallel()
	o := newOvertakenTransfer(t)
	o.transferWith(store.ArrivalKey(o.targetOrg, o.outer).Name(), o.completeAndReturn)
	servertest.Equal(t, "organization", o.Org, o.owner())
	servertest.Equal(t, "next transfer", 503, o.transfer().Status)
	for range 3 {
		o.Clock.Advance(time.Minute)
		_ = o.Server.RunDueJobs(t.Context()) // the job of the transfer fails until that of the arrival has run
	}
	servertest.Equal(t, "organization", o.targetOrg, o.owner())
	o.checkNoTransfers()
	o.WantClean()
}

// checkNoCopies fails the test if an organization has keys of an entry, except for records of transfers and words of a
// search index.
func (r *transferScenario) checkNoCopies(org, id string) {
	r.T.Helper()
	left := slices.DeleteFunc(servertest.KeysWithIDIn(r.World, org, id), func(key string) bool {
		_, rest, _ := strings.Cut(key, "}:")
		kind, _, _ := strings.Cut(rest, ":")
		return slices.Contains([]string{"term", "kept", "tf", "shapes"}, kind)
	})
	if len(left) > 0 {
		r.T.Errorf("left of %s in %s: %q", id, org, left)
	}
}
