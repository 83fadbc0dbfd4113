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

// silentResolver is a DNS resolver that never answers. It counts its lookups.
type silentResolver struct {
	mu                           sync.Mutex
	running, maxRunning, lookups int
}

// LookupTXT implements orgs.Resolver.
func (s *silentResolver) LookupTXT(ctx context.Context, name string) ([]string, error) {
	s.addRunning(1)
	defer s.addRunning(-1)
	<-ctx.Done()
	return nil, &net.DNSError{Err: ctx.Err().Error(), Name: name, IsTimeout: true}
}

func (s *silentResolver) addRunning(by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running += by
	s.maxRunning = max(s.maxRunning, s.running)
	s.lookups += max(by, 0)
}

// counts returns the maximum number of concurrent lookups and the number of all lookups.
func (s *silentResolver) counts() (most, waited int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.maxRunning, s.lookups
}

// TestUserHasOneLookupInFlight checks that a user has one lookup in flight across organizations and nodes, so that many
// silent domains do not delay others, and that each lookup ends.
func TestUserHasOneLookupInFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dns := &silentResolver{}
		nodes := servertest.NewNodes(t, 2, func(o *server.Options) { o.Resolver = dns })
		w := nodes[0]
		defer servertest.StartJobs(t, nodes)()
		owned := []string{
			w.OtherOrg, servertest.Do(w, "stranger", api.CreateOrganization, api.CreateOrganizationInput{
				Body: api.OrganizationCreate{Title: "Own"},
			}).ID,
		}
		for _, org := range owned {
			var names []string
			for i := range 4 {
				names = append(names, fmt.Sprintf("silent%d.example", i))
			}
			setDomains(w, "stranger", org, names...)
			w.Must(w.Store.Update(t.Context(), store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				for _, name := range names {
					tx.Schedule(org, store.EmailDomainJob(name), 0)
				}
				return nil
			}))
		}
		time.Sleep(3 * time.Minute)
		most, waited := dns.counts()
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
