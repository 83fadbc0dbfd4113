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

// proxy forwards connections to a server and records the writes. It can cut off one commit.
type proxy struct {
	listener net.Listener
	server   string

	mu       sync.Mutex
	commands []string // "objects" or "commit", in order of arrival
	cut      string   // "commit": drop the next commit; "answer": drop only its reply
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &proxy{listener: listener, server: server}
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

func (w *proxy) forward(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", w.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	answers := &breakableConn{conn: client}
	go func() { _, _ = io.Copy(answers, server); _ = client.Close() }()
	buffer := make([]byte, 1<<20)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		cut := w.record(buffer[:n])
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

// record records the commands in data and returns the part to cut off.
func (w *proxy) record(data []byte) (cut string) {
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

// cutNext makes the proxy drop the next commit (part = commit) or only its reply (part = answer) and clears the recorded
// commands.
func (w *proxy) cutNext(part string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.commands = part, nil
}

func (w *proxy) recordedCommands() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.commands)
}

// breakableConn forwards bytes until it is closed; then it breaks the connection.
type breakableConn struct {
	conn   net.Conn
	mu     sync.Mutex
	closed bool
}

func (v *breakableConn) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
}

func (v *breakableConn) Write(data []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return 0, io.ErrClosedPipe
	}
	return v.conn.Write(data)
}

// TestBrokenCommitIsResentWithObjects checks that an interrupted commit is sent again with its objects and applied once.
func TestBrokenCommitIsResentWithObjects(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	w := newProxy(t, server.Addr)
	s := storetest.Server("wire", "redis://"+w.listener.Addr().String()).Open(t)
	e := storetest.NewFixture(t, s)
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
		if got, want := fmt.Sprint(w.recordedCommands()), "[objects commit objects commit]"; got != want {
			t.Errorf("cut %s: %s, want %s", cut, got, want)
		}
	}
	if n := storetest.StreamLength(t, s, "{"+e.Org+"}:events"); n != 2 {
		t.Errorf("%d events of 2 writes", n)
	}
	if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
		t.Errorf("afterwards: %v", report.Findings)
	}
}

// TestUncommittedObjectsAreNotCached checks that the objects of a transaction that was not committed are not cached.
func TestUncommittedObjectsAreNotCached(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		trips := &storetest.Trips{}
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, trips) })
		e := storetest.NewFixture(t, s)
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
