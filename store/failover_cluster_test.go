package store_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// clusterFailovers is a space on a Cluster whose content and organization are on different masters.
type clusterFailovers struct {
	*failovers

	cluster      *storetest.Cluster
	org, content string // keys
}

func newClusterFailovers(t *testing.T, cluster *storetest.Cluster) *clusterFailovers {
	t.Helper()
	if err := cluster.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	for {
		f := newFailovers(t, storetest.Server("cluster", cluster.URL()))
		c := &clusterFailovers{
			failovers: f, cluster: cluster,
			org: store.Name(f.store, store.OrganizationKey(f.fixture.Org)), content: store.ContentName(f.store, f.fixture.Space),
		}
		if c.master(c.org) != c.master(c.content) {
			return c
		}
	}
}

func (c *clusterFailovers) master(key string) *storetest.Redis {
	c.t.Helper()
	master, err := c.cluster.Master(c.t.Context(), key)
	if err != nil {
		c.t.Fatal(err)
	}
	return master
}

// run triggers a failover of the masters of keys during one write.
func (c *clusterFailovers) run(name string, keys ...string) []string {
	c.t.Helper()
	o := c.cluster.Outage(keys...)
	if err := o.Ready(c.t.Context()); err != nil {
		c.t.Fatal(err)
	}
	return c.writeDuringFailover(name, o.Detach, o.Promote)
}

// TestClusterFailoverBeforeCommitLosesNoObjectsCampaign checks that no objects are lost if replicas without the objects are
// promoted just before the commit that refers to them: of the content's master, of the organization's, of both. Before the
// outbox is delivered, the content's master fails over once more.
func TestClusterFailoverBeforeCommitLosesNoObjectsCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	runs, _ := storetest.LongCampaign(t, "failover", 3, 200)
	cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	c := newClusterFailovers(t, cluster)
	for n := range runs {
		keys := [][]string{{c.content}, {c.org}, {c.content, c.org}}[n%3]
		for _, problem := range c.run(fmt.Sprint("n", n), keys...) {
			t.Error(problem)
		}
	}
	c.deliver()
	c.testLargeCommit()
	c.testClaim()
	unfenced := newClusterFailovers(t, cluster)
	store.Unfence(unfenced.store)
	if problems := unfenced.run("unfenced", unfenced.content); len(problems) == 0 {
		t.Error("without an outbox nothing is wrong: these failovers miss")
	} else {
		t.Logf("without an outbox: %s", problems[0])
	}
	clearDamaged(t, unfenced.store)
}

// deliver checks that the outbox is not emptied while no replica is up to date, and then empties it.
func (c *clusterFailovers) deliver() {
	c.t.Helper()
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	must(c.cluster.Ready(c.t.Context()))
	must(c.write("last"))
	replica, err := c.cluster.Replica(c.t.Context(), c.content)
	must(err)
	must(replica.Detach(c.t.Context()))
	storetest.WantError(c.t, c.store.Deliver(c.t.Context(), c.fixture.Org, nil), redis.ErrLagging)
	must(c.cluster.Failover(c.t.Context(), c.content)) // the promoted replica lacks the delivered objects
	if text, err := c.read(c.newNode(), "last"); text != "text of last" {
		c.t.Errorf("a fresh node reads %q, %v", text, err)
	}
	must(c.cluster.Ready(c.t.Context()))
	must(retryLagging(func() error { return c.store.Deliver(c.t.Context(), c.fixture.Org, nil) }))
	if dump := storetest.Dump(c.t, c.store); dump["{"+c.fixture.Org+"}:outbox"] != "" {
		c.t.Error("the outbox is not empty")
	}
	must(c.cluster.Failover(c.t.Context(), c.content)) // it has everything
	if report := storetest.Fsck(c.t, c.store, fsck.Options{}); len(report.Findings) > 0 {
		c.t.Errorf("afterwards: %v", report.Findings)
	}
}

// retryLagging retries operations that are refused because the replicas lag, like callers and jobs do.
func retryLagging(do func() error) error {
	err := do()
	for n := 0; errors.Is(err, redis.ErrLagging) && n < 10; n++ {
		err = do()
	}
	return err
}

// testLargeCommit commits more than maxCommitOutboxBytes: the commit is refused while no replica of the content's
// master is up to date, and committed data survives a failure of that master.
func (c *clusterFailovers) testLargeCommit() {
	c.t.Helper()
	o := c.cluster.Outage(c.content)
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	must(o.Ready(c.t.Context()))
	must(o.Detach(c.t.Context()))
	heads := "{" + c.fixture.Org + "}:heads"
	before := storetest.Dump(c.t, c.store)
	storetest.WantError(c.t, c.writeLarge("large"), redis.ErrLagging)
	if after := storetest.Dump(c.t, c.store); after[heads] != before[heads] || after["{"+c.fixture.Org+"}:outbox"] != "" {
		c.t.Error("a refused commit was partially applied or in the outbox")
	}
	must(o.Ready(c.t.Context()))
	must(retryLagging(func() error { return c.writeLarge("large") }))
	if dump := storetest.Dump(c.t, c.store); dump["{"+c.fixture.Org+"}:outbox"] != "" {
		c.t.Error("the objects are in the outbox")
	}
	must(o.Promote(c.t.Context()))
	if text, err := c.read(c.newNode(), "large"); text != "text of large" {
		c.t.Errorf("a fresh node reads %q, %v", text, err)
	}
}

// testClaim claims a name and adds an index member, both on another master than the commit. Without a replica of that
// master the commit is refused, and after a failover of that master both are still there.
func (c *clusterFailovers) testClaim() {
	c.t.Helper()
	must := func(err error) {
		c.t.Helper()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	user, email, index := "u_claims", store.EmailKey("claims"), store.DomainKey("claims.example")
	for i := 0; c.master(store.Name(c.store, email)) == c.master(store.Name(c.store, store.UserKey(user))); i++ {
		email = store.EmailKey(fmt.Sprint("claims", i))
	}
	for i := 0; c.master(store.Name(c.store, index)) != c.master(store.Name(c.store, email)); i++ {
		index = store.DomainKey(fmt.Sprint(i, ".example"))
	}
	put := func(elsewhere func(tx *store.Tx)) error {
		return c.store.Update(c.t.Context(), store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
			d, err := tx.User(user)
			if err != nil {
				return err
			}
			d.Fields = api.UserFields{ID: user}
			elsewhere(tx)
			_, err = tx.PutUser(d)
			return err
		})
	}
	o := c.cluster.Outage(store.Name(c.store, email))
	must(o.Ready(c.t.Context()))
	must(o.Detach(c.t.Context()))
	for _, elsewhere := range []func(tx *store.Tx){
		func(tx *store.Tx) { tx.Claim(email, user) },
		func(tx *store.Tx) { tx.AddToSupersetBeforeCommit(index, user) },
	} {
		storetest.WantError(c.t, put(elsewhere), redis.ErrLagging)
	}
	if _, found := storetest.Record(c.t, c.store, store.UserKey(user)); found {
		c.t.Error("a refused commit was applied")
	}
	if _, claimed, err := c.store.Claim(c.t.Context(), email); claimed || err != nil {
		c.t.Errorf("the name is taken: %t %v", claimed, err)
	}
	must(o.Ready(c.t.Context()))
	must(retryLagging(func() error {
		return put(func(tx *store.Tx) { tx.Claim(email, user); tx.AddToSupersetBeforeCommit(index, user) })
	}))
	must(o.Promote(c.t.Context()))
	if claim, _, err := c.store.Claim(c.t.Context(), email); claim.Owner != user || err != nil {
		c.t.Errorf("the name belongs to %q, %v", claim.Owner, err)
	}
	batch := c.store.NewBatch()
	members := batch.Range(index, "", -1, false)
	storetest.Do(c.t, batch)
	if got := members.Value(); len(got) != 1 || got[0] != user {
		c.t.Errorf("the index has %q", got)
	}
}

// writeLarge is write with 5 MiB of incompressible objects.
func (c *clusterFailovers) writeLarge(name string) error {
	noise := make([]objects.Object, 5)
	for i := range noise {
		bytes := make([]byte, 1<<20)
		_, _ = rand.Read(bytes)
		noise[i] = objects.NewBlob(bytes)
	}
	return c.store.Update(c.t.Context(), store.Organization(c.fixture.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		head, _, err := tx.Head(c.fixture.Org, c.fixture.Space)
		if err != nil {
			return err
		}
		tx.Objects(c.fixture.Space, noise...)
		return storetest.AddPage(tx, c.store.Content(c.fixture.Space), c.fixture.Org, head, name)
	})
}

// TestFsckChecksOutbox checks that outbox entries are counted, that old ones are noted, and that neither hides damage.
func TestFsckChecksOutbox(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := storetest.Open(t, func(c *store.Config) { c.Clock = func() time.Time { return now } })
	store.AlwaysUseOutbox(s)
	e := storetest.NewFixture(t, s)
	storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
		head, _, err := tx.Head(e.Org, e.Space)
		if err != nil {
			return err
		}
		return storetest.AddPage(tx, s.Content(e.Space), e.Org, head, "outbox")
	})
	if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings)+len(report.Notes) > 0 {
		t.Errorf("at once: %v %v", report.Findings, report.Notes)
	}
	now = now.Add(time.Hour)
	if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 || len(report.Notes) != 1 {
		t.Errorf("after an hour: %v %v", report.Findings, report.Notes)
	}
	client, _ := store.Client(s)
	outbox := store.Name(s, txn.OutboxKey(e.Org))
	if err := client.HSet(ctx(), outbox, "bytes", 1).Err(); err != nil {
		t.Fatal(err)
	}
	if report := storetest.Fsck(t, s, fsck.Options{Repair: true}); !storetest.HasFinding(report, "differs from what is there") ||
		!report.Clean() {
		t.Errorf("a wrong count: %v", report.Findings)
	}
	if err := s.Deliver(t.Context(), e.Org, nil); err != nil {
		t.Fatal(err)
	}
	if dump := storetest.Dump(t, s); dump["{"+e.Org+"}:outbox"] != "" {
		t.Errorf("the outbox is not empty: %s", dump["{"+e.Org+"}:outbox"])
	}
}

// TestOutboxIsLimited checks that a commit that exceeds the limit of the outbox is refused completely.
func TestOutboxIsLimited(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, func(c *store.Config) { c.OutboxBytes = 2000 })
	store.AlwaysUseOutbox(s)
	e := storetest.NewFixture(t, s)
	before := storetest.Dump(t, s)["{"+e.Org+"}:heads"]
	noise := make([]byte, 3000)
	_, _ = rand.Read(noise)
	late := objects.NewBlob(noise)
	err := s.Update(t.Context(), store.Organization(e.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Objects(e.Space, late)
		tx.SetHead(e.Org, e.Space, store.Head{Revision: late.Hash, MovedAt: now()})
		return nil
	})
	storetest.WantError(t, err, txn.ErrOutboxFull)
	storetest.WantError(t, err, redis.ErrLagging)
	if dump := storetest.Dump(t, s); dump["{"+e.Org+"}:heads"] != before {
		t.Error("the head has moved")
	}
}

func now() time.Time { return time.UnixMilli(1) }
