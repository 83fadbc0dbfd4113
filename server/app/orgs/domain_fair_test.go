package orgs_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// silence is a DNS that does not answer. It counts who waits for it.
type silence struct {
	mu                    sync.Mutex
	running, most, waited int
}

// LookupTXT implements domains.Resolver.
func (s *silence) LookupTXT(ctx context.Context, name string) ([]string, error) {
	s.count(1)
	defer s.count(-1)
	<-ctx.Done()
	return nil, &net.DNSError{Err: ctx.Err().Error(), Name: name, IsTimeout: true}
}

func (s *silence) count(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += by
	s.most = max(s.most, s.running)
	s.waited += max(by, 0)
}

// told is how many waited at the same time at most, and how many have waited.
func (s *silence) told() (most, waited int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most, s.waited
}

// Of a person one domain is asked for at a time, in all organizations and on all nodes together: who has many that do
// not answer keeps nobody else's waiting. Each look-up ends.
func TestSilentDomainsAreAskedOneByOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dns := &silence{}
		nodes := servertest.NewNodes(t, 2, func(o *server.Options) { o.Resolver = dns })
		w := nodes[0]
		defer servertest.StartJobs(t, nodes)()
		owned := []string{w.OtherOrg, servertest.Do(w, "stranger", api.CreateOrganization, api.CreateOrganizationInput{Body: api.OrganizationCreate{Title: "Own"}}).ID}
		for _, org := range owned {
			var names []string
			for i := range 4 {
				names = append(names, fmt.Sprintf("silent%d.example", i))
			}
			set(w, "stranger", org, names...)
			w.Must(w.Store.Update(t.Context(), store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				for _, name := range names {
					tx.Schedule(org, store.EmailDomainJob(name), 0)
				}
				return nil
			}))
		}
		time.Sleep(3 * time.Minute)
		most, waited := dns.told()
		servertest.Equal(t, "look-ups at the same time", 1, most)
		servertest.Equal(t, "look-ups in the end", 8, waited)
		for _, org := range owned {
			for _, d := range servertest.EmailDomains(w, "stranger", org) {
				servertest.Equal(t, d.Domain, "DNS did not answer for "+d.RecordName+" within 5 seconds.", d.Problem)
			}
		}
		w.Fsck()
	})
}
