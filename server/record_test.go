package server_test

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/demo"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// recordVariable names the directory that a recording is put into; without it, it is thrown away.
const recordVariable = "WSD_TEST_RECORD"

// recordSecret is the secret of the server that a recording is served by; see e2e/stored_test.go.
var recordSecret = []byte(strings.Repeat("secret", 8))

// recording is what a build leaves for later ones: its data directory, the same keys, and what each row that reads
// answers. TestStoredByEarlierBuilds (e2e) opens what lies below e2e/testdata/stored.
type recording struct {
	Token        string            `json:"token"`
	ReaderToken  string            `json:"readerToken"`
	Organization string            `json:"organization"`
	Answers      map[string]string `json:"answers"`
}

// A data directory with everything in it is recorded: WSD_TEST_RECORD=$PWD/e2e/testdata/stored/DATE make campaign
// NAME=record, before the stored forms change. The sample sees that this can be done.
//
//wsd:serial
func TestRecordCampaign(t *testing.T) {
	t.Parallel()
	steps, seed := storetest.LongCampaign(t, "record", 1, 400)
	recordWorld(t, nil, func(w *servertest.World) recording {
		e := everydayIn(w, seed)
		for range steps {
			e.step()
		}
		servertest.RunJobs(w)
		return record(e)
	})
}

// The demo is recorded likewise: WSD_TEST_RECORD=$PWD/e2e/testdata/stored/DATE-demo make campaign NAME=record-demo.
//
//wsd:serial
func TestRecordDemoCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "record-demo", 1, 1)
	clock := &demo.Clock{}
	recordWorld(t, clock.Now, func(w *servertest.World) recording {
		loaded, err := demo.Load(t.Context(), w.Store, w.Handler, clock)
		w.Must(err)
		servertest.RunJobs(w)
		w.Tokens["demo"] = loaded.Token
		return recordDemo(w, loaded)
	})
}

// recordWorld fills a world that keeps its data in a directory, and packs the directory, its keys and its answers.
func recordWorld(t *testing.T, clock func() time.Time, fill func(*servertest.World) recording) {
	t.Helper()
	storetest.NeedServer(t)
	directory, data := os.Getenv(recordVariable), t.TempDir()
	if directory == "" {
		directory = t.TempDir()
	}
	must := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	must(os.MkdirAll(directory, 0o750))
	t.Cleanup(func() { // when the store is closed
		out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "tar", "-C", filepath.Join(data, "redis"), "-czf", filepath.Join(directory, "data.tar.gz"), "appendonlydir").CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) {
		c.Memory, c.DataDir, c.Prefix, c.Appendfsync = false, data, "", "no"
		if clock != nil {
			c.Clock = clock
		}
	})
	w.Serve(func(o *server.Options) {
		o.Secret = recordSecret
		if clock != nil {
			o.Clock = clock
		}
	})
	recorded := fill(w)
	must(compressed(filepath.Join(directory, "keys.jsonl.gz"), func(z *json.Encoder) error { return eachKey(w, z.Encode) }))
	must(compressed(filepath.Join(directory, "answers.json.gz"), func(z *json.Encoder) error { return z.Encode(recorded) }))
}

// record asks every row that reads.
func record(e *everyday) recording {
	e.T.Helper()
	r := recording{Token: e.Tokens["admin"], ReaderToken: e.Tokens["reader"], Organization: e.Org, Answers: map[string]string{}}
	for _, row := range api.Rows() {
		if row.Writes() {
			continue
		}
		path := e.PathOf(row, e.base)
		a := e.Raw("admin", http.MethodGet, path, nil)
		if a.Status >= http.StatusInternalServerError {
			e.T.Errorf("GET %s: %d", path, a.Status)
		}
		r.Answers[path] = fmt.Sprint(a.Status, " ", string(a.Body))
	}
	return r
}

// eachKey gives every key as DUMP has it.
func eachKey(w *servertest.World, use func(any) error) error {
	ctx := w.T.Context()
	options, err := goredis.ParseURL(w.Store.Describe().URL)
	if err != nil {
		return err
	}
	client := goredis.NewClient(options)
	defer func() { _ = client.Close() }()
	keys := client.Scan(ctx, 0, "*", 1000).Iterator()
	for keys.Next(ctx) {
		name := keys.Val()
		ttl, err := client.PTTL(ctx, name).Result()
		if err != nil {
			return err
		}
		dump, err := client.Dump(ctx, name).Result()
		if err != nil {
			return err
		}
		entry := map[string]any{"key": name, "ttl": max(0, ttl.Milliseconds()), "dump": base64.StdEncoding.EncodeToString([]byte(dump))}
		if err := use(entry); err != nil {
			return err
		}
	}
	return keys.Err()
}

// compressed writes a compressed file of JSON.
func compressed(name string, write func(*json.Encoder) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	z := gzip.NewWriter(file)
	if err := write(json.NewEncoder(z)); err != nil {
		return err
	}
	return z.Close()
}
