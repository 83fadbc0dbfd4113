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

// recordVariable names the environment variable with the directory for recordings. Without it, they are discarded.
const recordVariable = "WSD_TEST_RECORD"

// recordSecret is the secret of recorded servers; see e2e/stored_test.go.
var recordSecret = []byte(strings.Repeat("secret", 8))

// recording is the data of a build for compatibility tests: its data directory, the same keys, and the responses of
// each reading row. TestDataOfEarlierBuildsIsReadable (e2e) opens the recordings in e2e/testdata/stored.
type recording struct {
	Token        string            `json:"token"`
	ReaderToken  string            `json:"readerToken"`
	Organization string            `json:"organization"`
	Answers      map[string]string `json:"answers"`
}

// TestRecordDataDirectoryCampaign records a data directory with objects of all kinds. Run
// WSD_TEST_RECORD=$PWD/e2e/testdata/stored/DATE make campaign NAME=record before a stored form changes. The sample
// checks that recording works.
//
//wsd:serial
func TestRecordDataDirectoryCampaign(t *testing.T) {
	t.Parallel()
	steps, seed := storetest.LongCampaign(t, "record", 1, 400)
	recordWorld(t, nil, func(w *servertest.World) recording {
		e := newRandomWorldIn(w, seed)
		for range steps {
			e.step()
		}
		servertest.RunJobs(w)
		return record(e)
	})
}

// TestRecordDemoDirectoryCampaign records the demo: WSD_TEST_RECORD=$PWD/e2e/testdata/stored/DATE-demo make campaign
// NAME=record-demo.
//
//wsd:serial
func TestRecordDemoDirectoryCampaign(t *testing.T) {
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

// recordWorld fills a world that stores its data in a directory, and packs the directory, its keys and its responses.
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
	t.Cleanup(func() { // after the store is closed
		out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "tar", "-C", filepath.Join(data, "redis"), "-czf",
			filepath.Join(directory, "data.tar.gz"), "appendonlydir").CombinedOutput()
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
	must(writeCompressed(filepath.Join(directory, "keys.jsonl.gz"), func(z *json.Encoder) error { return eachKey(w, z.Encode) }))
	must(writeCompressed(filepath.Join(directory, "answers.json.gz"), func(z *json.Encoder) error { return z.Encode(recorded) }))
}

// record requests every reading row as the admin and returns the responses by path. It fails the test if a status is 5xx.
func record(e *randomWorld) recording {
	e.T.Helper()
	r := recording{Token: e.Tokens["admin"], ReaderToken: e.Tokens["reader"], Organization: e.Org, Answers: map[string]string{}}
	for _, row := range api.Rows() {
		if row.Writes() {
			continue
		}
		path := e.SamplePath(row, e.sample)
		a := e.Send("admin", http.MethodGet, path, nil)
		if a.Status >= http.StatusInternalServerError {
			e.T.Errorf("GET %s: %d", path, a.Status)
		}
		r.Answers[path] = fmt.Sprint(a.Status, " ", string(a.Body))
	}
	return r
}

// eachKey calls use for every key in the format of DUMP.
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

// writeCompressed writes a compressed JSON file.
func writeCompressed(name string, write func(*json.Encoder) error) error {
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
