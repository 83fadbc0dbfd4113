package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/store/storetest"
)

// Sizes of TestSlowUploadsCampaign.
const (
	uploads      = 20
	uploadBytes  = 30 << 20
	trickleBytes = 8 << 10 // for each trickleTime, a little more than the minimum rate
	trickleTime  = 100 * time.Millisecond

	uploadBudget   = 128 << 20 // body-bytes
	uncountedBytes = 1 << 20   // of a body that may be read without counting towards the budget
	uploadsAtOnce  = 4         // that fit in the budget, two for each of the users
)

// tricklingBody is a body of JSON that is sent up to burst at once, and then slowly until its context ends.
type tricklingBody struct {
	ctx   context.Context //nolint:containedctx // of the request
	sent  int64
	burst int64
	read  func() // called once burst bytes were read
}

// Read implements io.Reader.
func (b *tricklingBody) Read(data []byte) (int, error) {
	n := min(int64(len(data)), b.burst-b.sent)
	if n <= 0 {
		select {
		case <-time.After(trickleTime):
		case <-b.ctx.Done():
			return 0, b.ctx.Err() //nolint:wrapcheck // ends the request
		}
		n = min(int64(len(data)), trickleBytes)
	}
	copy(data[:n], bytes.Repeat([]byte("x"), int(n)))
	if b.sent == 0 {
		copy(data[:n], `{"changes":[{"operation":"insert_page","document":{"markdown":"`)
	}
	before := b.sent
	if b.sent += n; before < b.burst && b.sent >= b.burst {
		b.read()
	}
	return int(n), nil
}

// slowUploads are clients that upload large bodies slowly, until stop is called.
type slowUploads struct {
	reading, refused atomic.Int64 // bodies whose first bytes were read, and answers 503
	stop             func()
}

// uploadForm is how bodies are sent.
type uploadForm struct {
	name     string
	declared bool  // the length of the body
	burst    int64 // bytes that are sent as fast as possible
}

// startSlowUploads starts uploads by persons in turn. A refused one is tried again.
func startSlowUploads(t *testing.T, persons []person, path string, form uploadForm) *slowUploads {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	u, group := &slowUploads{}, sync.WaitGroup{}
	for i := range uploads {
		p := persons[i%len(persons)]
		group.Go(func() {
			for ctx.Err() == nil {
				status, wait := u.upload(ctx, t, p, path, form)
				switch {
				case ctx.Err() != nil, status == 0: // the answer may be lost if it comes while the body is sent
				case status == http.StatusServiceUnavailable:
					u.refused.Add(1)
					select {
					case <-time.After(wait):
					case <-ctx.Done():
					}
				default:
					t.Errorf("a slow upload: %d", status)
					return
				}
			}
		})
	}
	u.stop = func() { cancel(); group.Wait() }
	return u
}

// upload makes one upload, and returns the status, 0 for none, and the time after which to try again.
func (u *slowUploads) upload(ctx context.Context, t *testing.T, p person, path string, form uploadForm) (status int, wait time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	read := false
	body := &tricklingBody{ctx: ctx, burst: form.burst, read: func() { u.reading.Add(1); read = true }}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+path, io.NopCloser(body))
	if err != nil {
		t.Error(err)
		return 0, 0
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")
	if r.ContentLength = -1; form.declared {
		r.ContentLength = uploadBytes
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Minute}}
	answer, err := client.Do(r)
	if read {
		u.reading.Add(-1)
	}
	if err != nil {
		return 0, 0
	}
	defer answer.Body.Close()
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return answer.StatusCode, time.Duration(max(seconds, 1)) * time.Second
}

// memory returns the resident memory of a node in MB.
func (n *node) memory(t *testing.T) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
	if err != nil {
		t.Skip(err)
	}
	return residentMemory(t, status)
}

// readTimes are how long GETs took, sorted, and the greatest resident memory meanwhile in MB.
type readTimes struct {
	times  []time.Duration
	memory float64
}

// measureReads makes GETs one after the other, with a pause before each.
func measureReads(t *testing.T, n *node, p person, path string, count int, pause time.Duration) (r readTimes) {
	t.Helper()
	for range count {
		time.Sleep(pause)
		start := time.Now()
		p.do(t, http.MethodGet, path, nil)
		r.times = append(r.times, time.Since(start))
		r.memory = max(r.memory, n.memory(t))
	}
	slices.Sort(r.times)
	return r
}

// quantile returns a quantile of the times in milliseconds.
func (r readTimes) quantile(q float64) float64 {
	return float64(r.times[int(q*float64(len(r.times)-1))].Microseconds()) / 1000
}

// String returns the figures for a log.
func (r readTimes) String() string {
	return fmt.Sprintf("median %.1f ms, p99 %.1f ms, at most %.0f MB", r.quantile(0.5), r.quantile(0.99), r.memory)
}

// TestSlowUploadsCampaign has two users upload twenty bodies of 30 MB that trickle, and prints the memory of wsd and how long the
// GETs of another user take. Memory may grow by the budget of bodies. In full, the 99th percentile of the GETs may be three
// times that without uploads.
func TestSlowUploadsCampaign(t *testing.T) { //nolint:paralleltest // it measures times
	storetest.NeedServer(t)
	const full = 2_000
	count, _ := storetest.LongCampaign(t, "uploads", 200, full)
	h := newRedisHost(t).withEnvironment("WSD_RATE_LIMIT=0", "WSD_BUDGETS=turn-wait=2s")
	token, organization := h.createOrganization(t)
	tokens := []string{h.createToken(t, "greta@example.com", organization), h.createToken(t, "finn@example.com", organization)}
	for _, form := range []uploadForm{ //nolint:paralleltest // it measures times
		{"declared length", true, 2 << 20},
		{"unknown length", false, 2 << 20},
		{"most at once", true, 28 << 20},
		{"most at once, unknown length", false, 28 << 20},
	} {
		t.Run(form.name, func(t *testing.T) {
			n := h.mustServe(t)
			reader := n.newPerson(token)
			made := reader.do(t, http.MethodPost, "/v1/orgs/"+organization+"/spaces", map[string]any{"title": "Tea"})
			space := "/v1/spaces/" + member(made, "id")
			request := space + "/change-requests/" +
				fmt.Sprint(reader.do(t, http.MethodPost, space+"/change-requests", map[string]any{"subject": "Begin"})["number"])
			reader.do(t, http.MethodPost, request+"/content", map[string]any{"changes": []map[string]any{
				insertPage("Tea", "# Tea\n\n"+strings.Repeat("The kettle is on at four.\n\n", 100)),
			}})
			reader.do(t, http.MethodPost, request+"/merge", nil)
			other := space + "/change-requests/" +
				fmt.Sprint(reader.do(t, http.MethodPost, space+"/change-requests", map[string]any{"subject": "Large"})["number"])
			path := space + "/content/pages"
			measureReads(t, n, reader, path, count/4, 0) // warm caches
			quiet := measureReads(t, n, reader, path, count, 0)
			u := startSlowUploads(t, []person{n.newPerson(tokens[0]), n.newPerson(tokens[1])}, other+"/content", form)
			defer u.stop()
			eventually(t, "the uploads that fit in the budget", func() bool { return u.reading.Load() == uploadsAtOnce })
			during := measureReads(t, n, reader, path, count, 0)
			eventually(t, "the uploads that are refused", func() bool { return u.refused.Load() >= uploads-uploadsAtOnce })
			during.memory = max(during.memory, n.memory(t))
			grown, ratio := during.memory-quiet.memory, during.quantile(0.99)/quiet.quantile(0.99)
			t.Logf("%d uploads: %d are read, %d refusals; quiet: %s; during: %s; memory + %.0f MB; p99 x %.1f", uploads,
				u.reading.Load(), u.refused.Load(), quiet, during, grown, ratio)
			budget := uploadBudget
			if !form.declared { // of the uploads that wait, as much is read as is not counted, and the collector lets as much be garbage
				budget += 2 * (uploads - uploadsAtOnce) * uncountedBytes
			}
			if grown > float64(budget>>20) {
				t.Errorf("the memory has grown by %.0f MB, the budget is %d MB", grown, budget>>20)
			}
			if count >= full && ratio > 3 {
				t.Errorf("GETs took %.1f times as long as without uploads", ratio)
			}
			u.stop()
			n.stop(t)
		})
	}
}
