package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// mountSmallDisk mounts a tmpfs of size bytes. It skips the test if the user may not mount one.
func mountSmallDisk(t *testing.T, size int64) (directory string) {
	t.Helper()
	directory = t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(directory, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return directory
}

// fillDisk fills the disk of directory so that only the given number of bytes remains available.
func fillDisk(t *testing.T, directory string, left int64) {
	t.Helper()
	var stat syscall.Statfs_t
	if err := syscall.Statfs(directory, &stat); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(filepath.Join(directory, "filler"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err == nil {
		_, err = file.Write(make([]byte, int64(stat.Bavail)*stat.Bsize-left))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// post sends a JSON body with a token and returns the status and the decoded response.
func (s *testServer) post(token, path string, body any) (status int, answer map[string]any) {
	s.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+path, bytes.NewReader(data))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	data, err = io.ReadAll(response.Body)
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &answer)
	}
	if err != nil {
		s.t.Fatalf("%s: %v", data, err)
	}
	return response.StatusCode, answer
}

// TestFullDiskRefusesWrites checks that /readyz and the doctor warn while the disk of wsd's own Redis fills up, that writes are
// then refused while Redis keeps running and reads succeed, and that writes succeed again after space is freed.
func TestFullDiskRefusesWrites(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	const size, reserve = 64 << 20, 256 << 10
	disk := mountSmallDisk(t, size)
	d := newLocalDeployment(t, filepath.Join(disk, "data"))
	got := runWSD(t, d.environ, "init", "--user", "ada@example.com", "--org", "Docs", "-o", "json")
	var first accountResult
	if err := json.Unmarshal([]byte(got.stdout), &first); err != nil {
		t.Fatalf("%d %s%s: %v", got.code, got.stdout, got.stderr, err)
	}
	secret, err := os.ReadFile(filepath.Join(disk, "data", "secret")) // created by init
	if err != nil {
		t.Fatal(err)
	}
	d.environ = append(d.environ, "WSD_SECRET="+string(secret))
	s := startServer(t, d.environ...)
	s.waitForLine("serving at")
	s.wantReady(0, "")
	socket, err := os.ReadFile(filepath.Join(disk, "data", "lock"))
	if err != nil {
		t.Fatal(err)
	}
	client := goredis.NewClient(&goredis.Options{Network: "unix", Addr: string(socket)})
	t.Cleanup(func() { _ = client.Close() })
	pid := func() string {
		info, err := client.InfoMap(t.Context(), "server").Result()
		if err != nil {
			t.Fatal(err)
		}
		return info["Server"]["process_id"]
	}
	before := pid()
	_, space := s.post(first.Token, "/v1/orgs/"+first.Organization+"/spaces", map[string]any{"title": "Docs"})
	path := fmt.Sprint("/v1/spaces/", space["id"], "/change-requests")
	_, request := s.post(first.Token, path, map[string]any{"subject": "More"})
	path += fmt.Sprint("/", request["id"], "/content")
	write := func() (int, map[string]any) {
		text := make([]byte, 100<<10)
		_, _ = rand.Read(text)
		return s.post(first.Token, path, map[string]any{"changes": []any{map[string]any{
			"operation": "insert_page", "document": map[string]any{"markdown": hex.EncodeToString(text)},
		}}})
	}

	fillDisk(t, disk, size/50)
	s.wantReady(1, "disk")
	d.wantDoctor(1, "disk")
	for n := 0; ; n++ {
		status, answer := write()
		if status < http.StatusBadRequest && n < 100 {
			continue
		}
		refusal, _ := answer["error"].(map[string]any)
		if status != http.StatusServiceUnavailable || refusal["reason"] != string(api.ReasonStoreFull) || n < 2 {
			t.Fatalf("write %d on a full disk: %d %v", n, status, answer)
		}
		break
	}
	fillDisk(t, disk, reserve/2)
	s.wantReady(2, "disk")
	d.wantDoctor(2, "disk")
	s.wantStatus("/readyz?for=read", http.StatusOK)
	if after := pid(); after != before {
		t.Errorf("Redis ended: process %s, before %s", after, before)
	}
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	s.wantReady(0, "")
	if status, answer := write(); status >= http.StatusBadRequest {
		t.Errorf("with room again: %d %v", status, answer)
	}
	s.stop()
	if code := <-s.exitCode; code != exitOK {
		t.Errorf("it ends with %d", code)
	}
	fillDisk(t, disk, size/50)
	again := startServer(t, d.environ...)
	again.waitForLine("serving at")
	again.wantReady(1, "disk")
}
