package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// sample is a running server with a sample organization.
type sample struct {
	URL          string `json:"url"`
	Token        string `json:"token"`
	Organization string `json:"organization"`

	bin, counters string
	server        *exec.Cmd
}

// serveSample starts wsd with the sample organization. It writes its coverage counters when it stops.
func serveSample(t *testing.T, bin string) *sample {
	t.Helper()
	s := &sample{bin: bin, counters: t.TempDir()}
	for _, command := range []string{"wsd", "wsctl"} {
		if err := os.Mkdir(filepath.Join(s.counters, command), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.server = exec.CommandContext(t.Context(), filepath.Join(bin, "wsd"), "demo", "-o", "json", "--addr", "127.0.0.1:0",
		"--rate-limit", "0")
	s.server.Env = append(os.Environ(), "GOCOVERDIR="+filepath.Join(s.counters, "wsd"))
	out, err := s.server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, s)
	}
	if err != nil {
		t.Fatalf("start wsd: %v", errors.Join(err, s.stop()))
	}
	return s
}

func (s *sample) stop() error {
	if err := s.server.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.server.Wait()
}

// call makes a request and decodes the response.
func (s *sample) call(ctx context.Context, method, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, s.URL+"/v1"+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	if body == nil {
		request.Body = http.NoBody
	}
	request.Header.Set("Authorization", "Bearer "+s.Token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %s %s", method, path, response.Status, text)
	}
	return json.Unmarshal(text, answer)
}
