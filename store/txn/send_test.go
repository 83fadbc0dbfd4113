package txn_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// wire forwards connections to a server and notes what writes go through it. One commit in its way is cut off.
type wire struct {
	listener net.Listener
	server   string

	mu       sync.Mutex
	commands []string // "objects" or "commit", in the order in which they came
	cut      string   // "commit": the next one does not arrive; "answer": it does, and its answer does not
}

func newWire(t *testing.T, server string) *wire {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener, server: server}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go w.forward(conn)
		}
	}()
	return w
}

func (w *wire) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	answers := &valve{to: client}
	go func() { _, _ = io.Copy(answers, server); _ = client.Close() }()
	buffer := make([]byte, 1<<20)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		cut := w.note(buffer[:n])
		if cut == "commit" {
			return
		}
		if cut == "answer" {
			answers.close()
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// note looks for what a client sends and returns what is to be cut off.
func (w *wire) note(data []byte) (cut string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, sign := range []struct{ text, name string }{{"}:size\r\n", "objects"}, {"}:op:", "commit"}} {
		if !bytes.Contains(data, []byte(sign.text)) {
			continue
		}
		w.commands = append(w.commands, sign.name)
		if sign.name == "commit" {
			cut, w.cut = w.cut, ""
		}
	}
	return cut
}

// cutNext cuts off the next commit or its answer, and forgets what has come.
func (w *wire) cutNext(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.commands = what, nil
}

func (w *wire) seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.commands)
}

// valve lets bytes through until it is closed; then it breaks the connection.
type valve struct {
	to     net.Conn
	mu     sync.Mutex
	closed bool
}

func (v *valve) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
}

func (v *valve) Write(data []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return 0, io.ErrClosedPipe
	}
	return v.to.Write(data)
}

// TestBrokenCommitIsRedoneWithItsObjects: a commit that breaks off is not sent again alone, and is made once.
func TestBrokenCommitIsRedoneWithItsObjects(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	w := newWire(t, server.Addr)
	s := storetest.Server("wire", "redis://"+w.listener.Addr().String()).Open(t)
	e := storetest.NewEstate(t, s)
	for _, cut := range []string{"commit", "answer"} {
		w.cutNext(cut)
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			head, _, err := tx.Head(e.Org, e.Space)
			if err != nil {
				return err
			}
			tx.Event(map[string]string{"name": cut})
			return storetest.AddPage(tx, s.Content(e.Space), e.Org, head, cut)
		})
		if got, want := fmt.Sprint(w.seen()), "[objects commit objects commit]"; got != want {
			t.Errorf("cut %s: %s, want %s", cut, got, want)
		}
	}
	if n := storetest.StreamLength(t, s, "{"+e.Org+"}:events"); n != 2 {
		t.Errorf("%d events of 2 writes", n)
	}
	if report := storetest.Examine(t, s, fsck.Options{}); len(report.Findings) > 0 {
		t.Errorf("afterwards: %v", report.Findings)
	}
}

// TestPlannedObjectsAreNotKept: what a transaction would have stored that was not made is not in memory.
func TestPlannedObjectsAreNotKept(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		trips := &storetest.Trips{}
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, trips) })
		e := storetest.NewEstate(t, s)
		trips.Count()
		planned := objects.NewBlob([]byte("planned"))
		stale := txn.UpdateOptions{Guards: []txn.Guard{txn.FieldGuard(store.HeadsKey(e.Org), e.Space, "another", true)}}
		err := s.Update(t.Context(), store.Organization(e.Org), stale, func(tx *store.Tx) error {
			tx.Objects(e.Space, planned)
			return nil
		})
		storetest.WantError(t, err, redis.ErrStale)
		trips.Count()
		if _, err := s.Objects(t.Context(), e.Space, []string{planned.Hash, e.Text.Hash}); err != nil {
			t.Fatal(err)
		}
		if n := trips.Count(); n != 1 {
			t.Errorf("%d trips to read what was only planned", n)
		}
		if _, err := s.Objects(t.Context(), e.Space, []string{e.Text.Hash}); err != nil || trips.Count() != 0 {
			t.Errorf("what was stored is not in memory, %v", err)
		}
	})
}
