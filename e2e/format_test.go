package e2e

import (
	"fmt"
	"strings"
	"testing"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestNewerFormatIsRefused checks that a wsd that reads a record in a newer format responds with 503 and keeps the record, and
// that one that starts on data in a newer format prints one line and exits.
func TestNewerFormatIsRefused(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir(), "--appendonly", "yes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	client := server.Client()
	t.Cleanup(func() { _ = client.Close() })
	h := newHost(binary(t, "wsd"), server.URL())
	token, org := h.createOrganization(t)
	n := h.mustServe(t)
	key, planted := "wsd:{"+org+"}:org", fmt.Sprintf("99 %d {}\n{}", redis.SupportedFormat+1)
	if err := client.SetXX(t.Context(), key, planted, 0).Err(); err != nil {
		t.Fatal(err)
	}
	if got := getText(t, n.newPerson(token), "/v1/orgs/"+org); !strings.HasPrefix(got, "503 ") || !strings.Contains(got, `"newer_form"`) {
		t.Errorf("a record of a newer format: %s", got)
	}
	if got := client.Get(t.Context(), key).Val(); got != planted {
		t.Errorf("it is %q now", got)
	}
	n.stop(t)

	if err := client.Set(t.Context(), "wsd:schema", redis.SupportedFormat+1, 0).Err(); err != nil {
		t.Fatal(err)
	}
	out, err := h.run(t, "serve")
	if err == nil || out != "" ||
		strings.Count(err.Error(), fmt.Sprintf("the data has form %d, this program knows %d; use a newer wsd", redis.SupportedFormat+1,
			redis.SupportedFormat)) != 1 {
		t.Errorf("data of a newer format: %q %v", out, err)
	}
}
