package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// storedData is data of an earlier build in testdata/stored: a data directory, a dump of the same keys, and the
// responses of that build by path.
type storedData struct {
	directory   string
	Token       string            `json:"token"`
	RuleSpace   string            `json:"ruleSpace"`   // space with a merge rule that is no longer accepted
	RuleRequest string            `json:"ruleRequest"` // change request in RuleSpace
	Answers     map[string]string `json:"answers"`     // status and body by path, without time-dependent values
}

// storedKey is the encryption key of the stored data and storedURL the public URL in its addresses.
const (
	storedKey = "a key of 32 bytes for tests only"
	storedURL = "https://docs.example.com"
)

// volatileText is left out of comparisons: signed addresses expire, tokens are used, and cursors are sealed again.
var volatileText = regexp.MustCompile(`/raw/[^"]*|"next":\{"page":"[^"]*"\}|,?"(lastSeenAt|lastUsedAt|expiresAt|requestId)":"[^"]*"`)

// changedMembers lists members whose values changed on purpose. They are left out of comparisons.
var changedMembers = []struct{ member, reason string }{
	{"ingestConversations", "permissions for what there is not are false"},
	{"viewBilling", "permissions for what there is not are false"},
	{"triggerGitSync", "permissions for what there is not are false"},
}

// changedResponses lists responses whose form changed on purpose, with the reason and the parts that are still
// compared.
var changedResponses = []struct {
	path      *regexp.Regexp
	unchanged *regexp.Regexp
	reason    string
}{{
	regexp.MustCompile(`/conflicts$`),
	regexp.MustCompile(`"(revision|spaceRevision)":"[^"]*"|"kind":"[^"]*","page":"[^"]*"`),
	"conflicts say in words what happened; they are as many as they were, of the same kinds and pages",
}, {
	regexp.MustCompile(`/mergeability$`),
	regexp.MustCompile(`"(mergeable":[a-z]*|revision":"[^"]*"|spaceRevision":"[^"]*")|"rule":"([ac-z][a-z_]*)","state":"[^"]*"`),
	"there is one rule more: blocking; all others are as they were, in plainer words",
}, {
	regexp.MustCompile(`/sso$`),
	regexp.MustCompile(`^200 \{"items":\[`),
	"providers by which no admin has signed in are not listed",
}, {
	regexp.MustCompile(`/saml(?:/|$)`),
	regexp.MustCompile(`"(?:id|label|entityID|ssoURL|certificate|defaultRole)":(?:"[^"]*"|null)`),
	"providers by which no admin has signed in are pending",
}, {
	regexp.MustCompile(`/published$`),
	regexp.MustCompile(`"(?:id|space)":"[^"]*"`),
	"the customization of a site is whole, with its defaults",
}, {
	regexp.MustCompile(`/(?:links|backlinks)$`),
	regexp.MustCompile(`"(?:relation|href)":"[^"]*"`),
	"references carry empty lists, the change request of a revision, and who may read a specification",
}}

// addedMembers lists additions to responses, with the reason. They are left out of comparisons.
var addedMembers = []struct {
	path   *regexp.Regexp
	match  *regexp.Regexp // text to remove, except for its groups
	reason string
}{{
	regexp.MustCompile(`/link-invites(?:/|$)`),
	regexp.MustCompile(`,"redundantReason":"[^"]*"`),
	"a link that admits nobody says why",
}, {
	regexp.MustCompile(`^/v1/user$`),
	regexp.MustCompile(`,"mayCreateOrganizations":(?:true|false)`),
	"the operator determines who may create organizations",
}, {
	regexp.MustCompile(`/publishing/auth$`),
	regexp.MustCompile(`,"hint":"Make a key first: [^"]*"`),
	"hints name commands",
}, {
	regexp.MustCompile(`/diff$`),
	regexp.MustCompile(`(?s)(?:,"changes":\[.*\])?(?:,"more":\d+)?\}\n?$`),
	"a diff says what changed beside the texts, and counts it in more",
}, {
	regexp.MustCompile(`/changes$`),
	regexp.MustCompile(`("type":"page_created","page":\{[^{}]*\}),"attributes":\{.*?\}(\},\{"type"|\}\])`),
	"a new page says with which settings it was made",
}, {
	regexp.MustCompile(`/orgs/[^/]*/change-requests$`),
	regexp.MustCompile(`(?:,"reason":"[a-z-]*")?,"summary":\{(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*\}`),
	"the queue says why a change request concerns the caller, and has its summary",
}, {
	regexp.MustCompile(`/integrations(?:/|$)`),
	regexp.MustCompile(`,"publicEndpoint":"[^"]*"`),
	"an integration says where its code would answer",
}, {
	regexp.MustCompile(`/openapi(?:/|$)`),
	regexp.MustCompile(`,"visibility":"private"`),
	"a specification says who may read it",
}, {
	regexp.MustCompile(`/openapi(?:/|$)`),
	regexp.MustCompile(`,"lastProcess(?:edAt|Error|ErrorCode)":"[^"]*"`),
	"a specification with a URL is fetched again once it is due, here without success",
}, {
	regexp.MustCompile(`.`),
	regexp.MustCompile(`,"mergeRules":\{"type":"inherit"\}`),
	"a space without rules says that it inherits those of the organization",
}, {
	regexp.MustCompile(`.`), // reviews have comments, too
	regexp.MustCompile(`,"repliers":\[\]`),
	"a comment without replies has no repliers; those of older replies are not stored",
}}

// TestDataOfEarlierBuildsIsReadable checks that data of earlier builds can be opened, passes fsck, and gives the same responses
// as in those builds.
func TestDataOfEarlierBuildsIsReadable(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	directories, err := filepath.Glob(filepath.Join("testdata", "stored", "*"))
	if err != nil || len(directories) == 0 {
		t.Fatal("nothing is stored", err)
	}
	for _, directory := range directories {
		data := readStored(t, directory)
		t.Run(filepath.Base(directory)+"/directory", func(t *testing.T) {
			t.Parallel()
			data.check(t, data.newDirectoryHost(t))
		})
		t.Run(filepath.Base(directory)+"/cluster", func(t *testing.T) {
			t.Parallel()
			data.check(t, data.newClusterHost(t))
		})
	}
}

// readGzip returns the content of a compressed file.
func readGzip(t *testing.T, name string) []byte {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readStored(t *testing.T, directory string) storedData {
	t.Helper()
	data := storedData{directory: directory}
	if err := json.Unmarshal(readGzip(t, filepath.Join(directory, "answers.json.gz")), &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// environ returns the environment variables that the data was written with. The clock starts at the end of the day of the data:
// responses depend on the time, for example those of a transfer that can be taken back until then.
func (s storedData) environ() []string {
	return []string{
		"WSD_TEST_START=" + filepath.Base(s.directory)[:len(time.DateOnly)] + "T23:59:00Z",
		"WSD_SECRET=" + strings.Repeat("secret", 8), "WSD_ENCRYPTION_KEY=" + hex.EncodeToString([]byte(storedKey)), "WSD_PUBLIC_URL=" +
			storedURL,
	}
}

// newDirectoryHost returns a host whose data directory is a copy of the stored one.
func (s storedData) newDirectoryHost(t *testing.T) host {
	t.Helper()
	data := t.TempDir()
	if err := os.MkdirAll(filepath.Join(data, "redis"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "tar", "-C", filepath.Join(data, "redis"), "-xzf", filepath.Join(s.directory, "data.tar.gz"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h := host{wsdWithClock(t), append(environment(), "WSD_DATA="+data, "WSD_ADDR=127.0.0.1:0", "WSD_LOG_LEVEL=error")}
	return h.withEnvironment(s.environ()...)
}

// newClusterHost starts a Redis Cluster, restores the stored keys to it, and returns a host that uses it.
func (s storedData) newClusterHost(t *testing.T) host {
	t.Helper()
	cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	addresses := make([]string, len(cluster.Nodes))
	for i, node := range cluster.Nodes {
		addresses[i] = node.Addr
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: addresses})
	defer func() { _ = client.Close() }()
	decoder := json.NewDecoder(bytes.NewReader(readGzip(t, filepath.Join(s.directory, "keys.jsonl.gz"))))
	for decoder.More() {
		if err := restoreNext(t.Context(), client, decoder); err != nil {
			t.Fatal(err)
		}
	}
	return newHost(wsdWithClock(t), cluster.URL()).withEnvironment(s.environ()...)
}

// restoreNext restores the next key of a dump to a Cluster.
func restoreNext(ctx context.Context, client *redis.ClusterClient, keys *json.Decoder) error {
	var entry struct {
		Key  string `json:"key"`
		TTL  int64  `json:"ttl"` // in milliseconds; 0 means none
		Dump string `json:"dump"`
	}
	if err := keys.Decode(&entry); err != nil {
		return err
	}
	payload, err := base64.StdEncoding.DecodeString(entry.Dump)
	if err != nil {
		return err
	}
	return client.Restore(ctx, entry.Key, time.Duration(entry.TTL)*time.Millisecond, string(payload)).Err()
}

// check serves the data, compares the responses with the stored ones, and runs fsck.
func (s storedData) check(t *testing.T, h host) {
	t.Helper()
	n := h.mustServe(t)
	p := n.newPerson(s.Token)
	s.trustDomains(t, h, p)
	for path, want := range s.Answers {
		if got, want := comparableText(path, getText(t, p, path)), comparableText(path, want); got != want {
			got, want = trimCommonPrefix(got, want)
			t.Errorf("GET %s\nnow  %.600s\nthen %.600s", path, got, want)
		}
	}
	s.checkMergeRule(t, p)
	s.checkData(t, h)
	n.stop(t)
}

// checkData runs fsck. The oldest data has three links that were made with another server secret than the one it is read with, so
// that they open nothing.
func (s storedData) checkData(t *testing.T, h host) {
	t.Helper()
	if filepath.Base(s.directory) != "2026-11-22" {
		h.fsck(t)
		return
	}
	_, err := h.run(t, "fsck")
	report := fmt.Sprint(err)
	if strings.Count(report, "is shown with a secret that does not open it") != 3 || !strings.Contains(report, "; 3 findings") {
		t.Errorf("fsck: %s", report)
	}
}

// trimCommonPrefix returns the two texts from shortly before their first difference.
func trimCommonPrefix(a, b string) (string, string) {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	start := max(0, i-200)
	return a[start:], b[start:]
}

// trustDomains trusts the e-mail domains, as docs/upgrades.md requires. Before that, they admit nobody.
func (s storedData) trustDomains(t *testing.T, h host, p person) {
	t.Helper()
	for path := range s.Answers {
		if !strings.HasPrefix(path, "/v1/email-domains/") {
			continue
		}
		if got := getText(t, p, path); got != `200 {"organizations":[]}` {
			t.Errorf("GET %s before its domain is trusted: %s", path, got)
		}
	}
	if _, err := h.run(t, "domain", "trust", "--all"); err != nil {
		t.Error(err)
	}
}

// checkMergeRule checks that a merge rule that is no longer accepted blocks its merge with a reason.
func (s storedData) checkMergeRule(t *testing.T, p person) {
	t.Helper()
	if s.RuleSpace == "" {
		return // the data is of a later build, which accepts no such rule
	}
	got := getText(t, p, fmt.Sprintf("/v1/spaces/%s/change-requests/%s/mergeability", s.RuleSpace, s.RuleRequest))
	if !strings.Contains(got, `"mergeable":false`) || !strings.Contains(got, "cannot be used") {
		t.Errorf("an expression that is not taken any more: %s", got)
	}
}

// descriptionPrefix starts the document form of a description, which was added to the text form.
const descriptionPrefix = `,"description":{"object":"document"`

// withoutDescriptions removes the document form of the descriptions of change requests.
func withoutDescriptions(answer string) string {
	for {
		before, after, found := strings.Cut(answer, descriptionPrefix)
		if !found {
			return answer
		}
		rest := json.NewDecoder(strings.NewReader(`{"object":"document"` + after))
		var document json.RawMessage
		if rest.Decode(&document) != nil {
			return answer
		}
		answer = before + after[len(document)-len(`{"object":"document"`):]
	}
}

// plainHTML replaces the escapes of <, > and &, which earlier builds sent.
var plainHTML = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// withoutExtraCommas removes the commas that are left where a member was recorded without its value.
var withoutExtraCommas = strings.NewReplacer(",,", ",", ",}", "}")

// comparableText returns the parts of a response that do not differ between builds.
func comparableText(path, answer string) string {
	answer = plainHTML.Replace(answer)
	answer = withoutDescriptions(volatileText.ReplaceAllString(answer, ""))
	answer = withoutExtraCommas.Replace(answer)
	for _, c := range changedMembers {
		answer = regexp.MustCompile(`"`+c.member+`":(true|false)`).ReplaceAllString(answer, "")
	}
	for _, m := range addedMembers {
		if m.path.MatchString(path) {
			answer = m.match.ReplaceAllString(answer, "$1$2")
		}
	}
	for _, d := range changedResponses {
		if d.path.MatchString(path) {
			answer = answer[:strings.Index(answer, " ")] + strings.Join(d.unchanged.FindAllString(answer, -1), " ")
		}
	}
	return answer
}

// getText returns the status and the body of a GET request.
func getText(t *testing.T, p person, path string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	response, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, " ", string(body))
}
