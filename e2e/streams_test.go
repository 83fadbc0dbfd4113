package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// sseMessage is a message of a stream of server-sent events.
type sseMessage struct{ name, id, data string }

// openStream opens the stream of events of an organization and calls receive with each message until receive returns false, or the
// stream or ctx ends.
func openStream(ctx context.Context, client *http.Client, p person, organization string, receive func(sseMessage) bool) error {
	return openStreamAfter(ctx, client, p, organization, "", receive)
}

// openStreamAfter is openStream after a position, unless that is "".
func openStreamAfter(
	ctx context.Context, client *http.Client, p person, organization, position string, receive func(sseMessage) bool,
) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+"/v1/orgs/"+organization+"/events/stream", nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	if position != "" {
		r.Header.Set("Last-Event-ID", position)
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the stream is answered %s", response.Status)
	}
	var m sseMessage
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(make([]byte, 4<<10), 64<<10)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			m.name = value
		case "id":
			m.id = value
		case "data":
			m.data = value
		case "":
			if !receive(m) {
				return nil
			}
			m = sseMessage{}
		}
	}
	return lines.Err()
}

// TestProxiesPassStreams checks that messages of a stream pass the proxies of docs/operations.md one by one, and that its heartbeats
// keep it open longer than the proxy waits for an answer.
func TestProxiesPassStreams(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	host := newRedisHost(t).withEnvironment("WSD_TRUSTED_PROXIES=127.0.0.1", "WSD_BUDGETS=stream-heartbeat=200ms")
	wsd := host.mustServe(t)
	token, organization := host.createOrganization(t)
	upstream := strings.TrimPrefix(wsd.url, "http://")
	site := strings.ReplaceAll(block(t, "## TLS", "nginx"), "127.0.0.1:8080", upstream)
	if !strings.Contains(site, "proxy_read_timeout 12m;") {
		t.Fatal("the file of nginx has no proxy_read_timeout 12m")
	}
	caddy := strings.ReplaceAll(block(t, "## TLS", "text"), "127.0.0.1:8080", upstream)
	for name, url := range map[string]string{
		"nginx": startNginxWith(t, t.TempDir(), strings.Replace(site, "proxy_read_timeout 12m;", "proxy_read_timeout 1s;", 1)).url,
		"caddy": startCaddy(t, caddy),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := person{url, token, clientFrom("")}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			heartbeats, isReceived := 0, false
			var first time.Time
			err := openStream(ctx, p.client, p, organization, func(m sseMessage) bool {
				if heartbeats++; heartbeats == 1 {
					first = time.Now()
				}
				if heartbeats == 5 {
					go func() {
						p.do(t, http.MethodPut, "/v1/orgs/"+organization+"/teams", map[string]any{"title": "Readers by " + name})
					}()
				}
				isReceived = isReceived || strings.Contains(m.data, `"teams.create"`) && strings.Contains(m.data, "by "+name)
				return !isReceived || heartbeats < 20
			})
			if took := time.Since(first); err != nil || !isReceived || took < 2*time.Second {
				t.Errorf("%d messages in %s, event received: %t, %v", heartbeats, took, isReceived, err)
			}
		})
	}
}

// streamLoad is a number of organizations whose members all receive the events.
type streamLoad struct {
	organizations, receivers int           // receivers of each organization
	writes                   int           // of each organization
	interval                 time.Duration // between two of them
}

// TestStreamsOfManyReceiversCampaign prints the memory that a stream takes and how late events arrive, with a receiver that has stopped
// to read in each organization. No event may be missing.
func TestStreamsOfManyReceiversCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	organizations, _ := storetest.LongCampaign(t, "streams", 2, 20)
	load := streamLoad{organizations: organizations, receivers: 50, writes: 100, interval: 100 * time.Millisecond}
	if organizations < 20 {
		load.receivers, load.writes = 5, 20
	}
	host := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0", "WSD_BUDGETS=user-streams=2000,user-organizations=50,stream-heartbeat=1h")
	wsd := host.mustServe(t)
	token, first := host.createOrganization(t)
	p, ids := person{wsd.url, token, clientFrom("")}, []string{first}
	for len(ids) < load.organizations {
		ids = append(ids, member(p.do(t, http.MethodPost, "/v1/orgs", map[string]any{"title": fmt.Sprint("Company ", len(ids))}), "id"))
	}
	before := wsd.memory(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var opened, receivers sync.WaitGroup
	opening := make(chan struct{}, 20) // connections whose request may not have arrived
	var mu sync.Mutex
	var delays []time.Duration
	var missing atomic.Int64
	for _, organization := range ids {
		for n := range load.receivers {
			opened.Add(1)
			opening <- struct{}{}
			receivers.Go(func() {
				isOpen := sync.OnceFunc(func() {
					opened.Done()
					<-opening
				})
				defer isOpen()
				got, first := 0, true
				err := openStream(ctx, &http.Client{Transport: &http.Transport{}}, p, organization, func(m sseMessage) bool {
					if first {
						first = false
						isOpen()
						if n == 0 { // stops to read
							<-ctx.Done()
							return false
						}
					}
					if m.data == "" {
						return true
					}
					var e struct {
						At time.Time `json:"at"`
					}
					if err := json.Unmarshal([]byte(m.data), &e); err != nil {
						t.Error(err)
					}
					got++
					mu.Lock()
					delays = append(delays, time.Since(e.At))
					mu.Unlock()
					return got < load.writes
				})
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				if n > 0 {
					missing.Add(int64(load.writes - got))
				}
			})
		}
	}
	opened.Wait()
	if t.Failed() {
		return
	}
	streams := load.organizations * load.receivers
	each := (wsd.memory(t) - before) * 1000 / float64(streams)
	load.write(t, p, ids)
	eventually(t, "the events", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(delays) == load.organizations*(load.receivers-1)*load.writes
	})
	cancel()
	receivers.Wait()
	slices.Sort(delays)
	t.Logf("%d streams of %.0f KB; %d events: median %s, 99 %% %s, last %s", streams, each, len(delays), delays[len(delays)/2],
		delays[len(delays)*99/100], delays[len(delays)-1])
	if missing.Load() > 0 {
		t.Errorf("%d events are missing", missing.Load())
	}
}

// write makes the changes of the load.
func (l streamLoad) write(t *testing.T, p person, organizations []string) {
	t.Helper()
	var writers sync.WaitGroup
	for _, organization := range organizations {
		writers.Go(func() {
			tick := time.NewTicker(l.interval)
			defer tick.Stop()
			for n := range l.writes {
				<-tick.C
				p.do(t, http.MethodPut, "/v1/orgs/"+organization+"/teams", map[string]any{"title": fmt.Sprint("Team ", n)})
			}
		})
	}
	writers.Wait()
}
