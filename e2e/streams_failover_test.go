package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// gate forwards connections on a loopback port to a Redis that can be replaced by another.
type gate struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	open   map[net.Conn]bool
}

// newGate returns a gate that is closed at the end of the test.
func newGate(t *testing.T, target string) *gate {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{listener: listener, target: target, open: map[net.Conn]bool{}}
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go g.forward(from)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close() // the test is over
		g.switchTo("")
	})
	return g
}

// forward copies between a connection and a new one to the target until one of them ends.
func (g *gate) forward(from net.Conn) {
	g.mu.Lock()
	to, err := (&net.Dialer{Timeout: time.Second}).DialContext(context.Background(), "tcp", g.target)
	if err != nil {
		g.mu.Unlock()
		_ = from.Close() // the target is away
		return
	}
	g.open[from], g.open[to] = true, true
	g.mu.Unlock()
	copyAll := func(to, from net.Conn) {
		_, _ = io.Copy(to, from) // ends with one of the connections
		_, _ = to.Close(), from.Close()
	}
	go copyAll(to, from)
	copyAll(from, to)
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, from)
	delete(g.open, to)
}

// switchTo closes the connections and forwards later ones to another address.
func (g *gate) switchTo(target string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.target = target
	for connection := range g.open {
		_ = connection.Close() // closed on both sides
	}
	clear(g.open)
}

// redisPair is a master and a replica behind a gate, each with a clock of its own.
type redisPair struct {
	gate    *gate
	servers [2]*storetest.Redis
	clients [2]*redis.Client
	clocks  [2]string // files with the offsets
	master  int
}

func newRedisPair(t *testing.T) *redisPair {
	t.Helper()
	library, directory := clockLibrary(t), t.TempDir()
	p := &redisPair{}
	for i := range p.servers {
		p.clocks[i] = filepath.Join(directory, "clock"+strconv.Itoa(i))
		setClock(t, p.clocks[i], 0)
		server, err := storetest.StartRedisWith(t.Context(), []string{
			"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + p.clocks[i], "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
		}, filepath.Join(directory, strconv.Itoa(i)), "--appendonly", "yes", "--repl-diskless-sync-delay", "0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Kill)
		p.servers[i], p.clients[i] = server, newRedisClient(t, server.Addr, 0)
	}
	p.gate = newGate(t, p.servers[0].Addr)
	p.follow(t)
	return p
}

// follow makes the other server the replica of the master, and waits until it has all writes.
func (p *redisPair) follow(t *testing.T) {
	t.Helper()
	replica := 1 - p.master
	host, port, _ := net.SplitHostPort(p.servers[p.master].Addr)
	if err := p.servers[replica].Attach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.clients[replica].ReplicaOf(t.Context(), host, port).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the replica", func() bool {
		info := p.clients[replica].InfoMap(t.Context(), "replication").Val()["Replication"]
		master := p.clients[p.master].InfoMap(t.Context(), "replication").Val()["Replication"]
		offset := info["slave_repl_offset"]
		return info["master_link_status"] == "up" && offset != "" && offset == master["master_repl_offset"]
	})
}

// promote makes the replica the master, which is an hour behind from then on.
func (p *redisPair) promote(t *testing.T) {
	t.Helper()
	p.master = 1 - p.master
	setClock(t, p.clocks[p.master], -time.Hour)
	if err := p.clients[p.master].ReplicaOf(t.Context(), "NO", "ONE").Err(); err != nil {
		t.Fatal(err)
	}
	p.gate.switchTo(p.servers[p.master].Addr)
}

// TestStreamsNoticeLossesWithSlowClocksCampaign promotes replicas whose clock is an hour behind, so that their events continue the ids of
// those before one by one. Some lack the latest events, whose ids are then used again. Meanwhile a node is connected, suspended or
// stopped. A receiver gets the events that the log has, or one gap if some were lost.
func TestStreamsNoticeLossesWithSlowClocksCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	rounds, seed := storetest.LongCampaign(t, "stream-losses", 8, 200)
	random, p := rand.New(rand.NewPCG(seed, 0)), newRedisPair(t)
	h := newHost(binary(t, "wsd"), "redis://"+p.gate.listener.Addr().String())
	w := newLossWorld(t, h, p.clients[0])
	other := w.mustServe(t)
	r, gaps, shared := w.follow(t), 0, 0
	for round := range rounds {
		p.follow(t)
		isLossy := round%2 == 1
		if isLossy {
			if err := p.servers[1-p.master].Detach(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		w.add(t, other, 1+random.IntN(3), isLossy)
		if !isLossy {
			p.follow(t)
		}
		w.checkReceived(t, fmt.Sprint("before round ", round), r, gaps)
		before, kept := w.entries(t, w.redis, ""), w.entries(t, p.clients[1-p.master], "")
		if len(kept) < len(before) {
			gaps++
		}
		names := []string{"connected", "suspended", "stopped"}
		name := names[(round/2+random.IntN(2))%len(names)]
		lossScenarios[name](t, w, func() {
			p.promote(t)
			w.redis = p.clients[p.master]
		}, func() { w.add(t, other, 1+random.IntN(4), false) })
		shared += sharedIDs(before, w.entries(t, w.redis, ""))
		w.checkReceived(t, fmt.Sprintf("round %d, %s, %d events of %d lost", round, name, len(before)-len(kept), len(before)), r, gaps)
		if t.Failed() {
			return
		}
	}
	if gaps == 0 || shared == 0 {
		t.Errorf("%d gaps, and %d ids were used again: the test has no subject", gaps, shared)
	}
	t.Logf("%d failovers, %d with losses, of which %d ids were used again", rounds, gaps, shared)
}
