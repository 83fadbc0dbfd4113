package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// TestBuildBeforeReadsDataCampaign checks the way back from an upgrade that is not finished: this build writes every row on data
// that the build before has made, whose form it keeps; then the build before returns the same data and its fsck finds nothing.
// The second run also writes every field.
//
//wsd:serial
func TestBuildBeforeReadsDataCampaign(t *testing.T) {
	t.Parallel()
	runs, _ := storetest.LongCampaign(t, "forms", 1, 2)
	w := newRestartWorld(t)
	before, ok := buildBefore(t)
	if !ok {
		return
	}
	w.runProgram(before, "init", "--user", "first@example.com", "--org", "First")
	w.open()
	form := w.Store.Client.Get(t.Context(), w.Store.Name(redis.SchemaKey())).Val()
	f := &fieldWorld{World: w.World, sample: w.Populate()}
	f.pairs = readPairs(t, f.addObjects())
	w.start()
	made := map[string]string{}
	for _, row := range orderedRows() {
		if row.Writes() && !removes(row) {
			w.write(row, f.sample, made)
		}
	}
	servertest.UpdateOrganization(w.World, api.OrganizationPatch{TokenMaxAgeDays: api.Some(365)})
	if runs > 1 {
		w.writeAllFields(f, made)
	}
	w.readMade(made)
	w.waitUntilIdle()
	now := w.readAll(f.sample)
	w.stop()
	if got := w.Store.Client.Get(t.Context(), w.Store.Name(redis.SchemaKey())).Val(); form == "" || got != form {
		t.Errorf("the data has form %q, it had %q", got, form)
	}

	w.program = before
	w.start()
	w.Schema = servertest.EmittedDocument(t, w.Handler)
	declareNewer(map[string]any(w.Schema))
	interfaceBefore := w.readInterface()
	w.waitUntilIdle()
	was, compared := w.readAll(f.sample), 0
	for _, row := range api.Rows() {
		if row.Name == api.GetServer.Name {
			continue // the version of the build
		}
		if _, read := now[row.Name]; read && interfaceBefore.paths[maskParams(row.Path)] {
			interfaceBefore.compare(t, row.Name, was[row.Name], now[row.Name])
			compared++
		}
	}
	for path, answer := range made {
		if !interfaceBefore.hasPath(path) {
			continue
		}
		interfaceBefore.compare(t, path, "200 "+withoutChangingValues(w.Call("admin", http.MethodGet, path, nil, http.StatusOK).Body),
			"200 "+answer)
	}
	w.stop()
	w.checkFsckBefore(before)
	t.Logf("the build before returns %d rows, and %d things that were made, as this one", compared, len(made))
}

// newerMembers are stored members that the build before does not know. It returns them undeclared.
var newerMembers = []string{"tokenMaxAgeDays"}

// declareNewer adds newerMembers to all types of a document.
func declareNewer(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			declareNewer(member)
		}
		if properties, ok := v["properties"].(map[string]any); ok && v["type"] == "object" {
			for _, name := range newerMembers {
				properties[name] = map[string]any{}
			}
		}
	case []any:
		for _, element := range v {
			declareNewer(element)
		}
	}
}

// providerEntry matches the finding of the build before for the access entry of an identity provider.
var providerEntry = regexp.MustCompile(`\}:shapes (?:idp|oidc)_[0-9a-z]+: no record implies it$`)

// identifiedMember matches the finding of the build before for the access entry of a member who signs in by a provider.
var identifiedMember = regexp.MustCompile(`\}:shapes u_[0-9a-z]+: differs from `)

// countsMore matches the finding of the build before for the usage of an organization, whose records it does not know all.
var countsMore = regexp.MustCompile(`\}:use (?:bytes|records): says \d+, there are \d+$`)

// buildBefore builds wsd from the commit in .ci/build-before. It returns false if the repository does not have the commit, which
// .ci/run reports.
func buildBefore(t *testing.T) (program string, ok bool) {
	t.Helper()
	named, err := os.ReadFile("../.ci/build-before")
	if err != nil {
		t.Fatal(err)
	}
	commit := regexp.MustCompile(`(?m)^[0-9a-f]{40}$`).FindString(string(named))
	if commit == "" {
		t.Fatalf(".ci/build-before names no commit:\n%s", named)
	}
	if err := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
		t.Logf("the way back is not checked: the commit %s is not in this repository: %v", commit, err)
		return "", false
	}
	source := t.TempDir()
	program = filepath.Join(source, "wsd")
	build := exec.CommandContext(t.Context(), "sh", "-euc", `
cd .. && git -c safe.directory='*' archive "$1" go.mod go.sum client cmd/wsd server store | tar -x -C "$2"
cd "$2" && go build -buildvcs=false -trimpath -o "$3" ./cmd/wsd`, "sh", commit, source, program)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program, true
}

// titledEntry matches the finding of the build before for the access entry of a space or collection that contains a title.
var titledEntry = regexp.MustCompile(`\{o_[0-9a-z]+\}:shapes [sl]_[0-9a-z]+: differs from `)

// checkFsckBefore runs fsck of the build before. It may report no more than the keys that docs/upgrades.md names.
func (w *restartWorld) checkFsckBefore(program string) {
	w.T.Helper()
	cmd := exec.CommandContext(w.T.Context(), program, "fsck", "-o", "json")
	cmd.Env = w.environ()
	out, _ := cmd.Output() // it fails if there are findings
	var report struct {
		Records  int      `json:"records"`
		Findings []string `json:"findings"`
		Damages  []any    `json:"damages"`
		Notes    []string `json:"notes"`
	}
	if err := json.Unmarshal(out, &report); err != nil || report.Records == 0 {
		w.T.Fatalf("wsd fsck: %v\n%s", err, out)
	}
	page, err := os.ReadFile("../docs/upgrades.md")
	w.Must(err)
	for _, finding := range report.Findings {
		if strings.Contains(finding, " "+store.ServiceAccountPrefix) && strings.Contains(string(page), "`"+store.ServiceAccountPrefix+"...`") {
			continue // it takes them for members
		}
		if strings.Contains(finding, "}:shapes "+store.SettingsEntry+": ") && strings.Contains(string(page), "`"+store.SettingsEntry+"`") {
			continue
		}
		if identifiedMember.MatchString(finding) && strings.Contains(string(page), "members who sign in by a provider (`u_...`)") {
			continue
		}
		if countsMore.MatchString(finding) && strings.Contains(string(page), "`{o}:use`") ||
			providerEntry.MatchString(finding) && strings.Contains(string(page), "`idp_...`, `oidc_...`") {
			continue
		}
		key, isUnknown := strings.CutSuffix(finding, ": not in the catalogue")
		key = regexp.MustCompile(`[a-z]+_[0-9a-z]{10,}$`).ReplaceAllString(regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(key, "{o}"), "...")
		hasTitle := titledEntry.MatchString(finding)
		if hasTitle {
			key = "{o}:shapes"
		}
		if !isUnknown && !hasTitle || !strings.Contains(string(page), "`"+key+"`") {
			w.T.Errorf("fsck of the build before: %s", finding)
		}
	}
	if len(report.Damages) > 0 || len(report.Notes) > 0 {
		w.T.Errorf("fsck of the build before: %v, %v", report.Damages, report.Notes)
	}
}

// runProgram runs a command of a wsd, which must succeed.
func (w *restartWorld) runProgram(program string, args ...string) {
	w.T.Helper()
	cmd := exec.CommandContext(w.T.Context(), program, args...)
	cmd.Env = w.environ()
	if out, err := cmd.CombinedOutput(); err != nil {
		w.T.Errorf("wsd %s: %v\n%s", args, err, out)
	}
}

// servedInterface is the interface of a build, from its OpenAPI document.
type servedInterface struct {
	paths   map[string]bool // with masked parameters
	members map[string]bool // names of all members of its types
}

var pathParam = regexp.MustCompile(`\{[^}]*\}`)

// maskParams removes the names of the parameters of a path.
func maskParams(path string) string { return pathParam.ReplaceAllString(path, "{}") }

// hasPath reports whether the interface has the path of a request.
func (in servedInterface) hasPath(target string) bool {
	target, _, _ = strings.Cut(target, "?")
	for masked := range in.paths {
		if ok, err := path.Match(strings.ReplaceAll(masked, "{}", "*"), target); ok && err == nil {
			return true
		}
	}
	return false
}

// isServiceAccount reports whether a value is that of a service account, which the build before lists as a member.
func isServiceAccount(value any) bool {
	object, _ := value.(map[string]any)
	id, _ := object["id"].(string)
	return store.IsServiceAccount(id)
}

// inheritsRules reports whether a member is the merge rules of a space that has those of the organization. The build before does not
// answer them.
func inheritsRules(name string, value any) bool {
	rules, _ := value.(map[string]any)
	return name == "mergeRules" && rules["type"] == string(api.MergeRulesInherit)
}

// withoutServiceAccounts returns the list of members of the build before without service accounts.
func withoutServiceAccounts(list any) any {
	object, _ := list.(map[string]any)
	items, _ := object["items"].([]any)
	count, _ := object["count"].(float64)
	people := slices.DeleteFunc(slices.Clone(items), isServiceAccount)
	object["items"], object["count"] = people, count-float64(len(items)-len(people))
	return object
}

// readInterface reads the interface of the running wsd.
func (w *restartWorld) readInterface() servedInterface {
	w.T.Helper()
	var document map[string]any
	w.Must(json.Unmarshal(w.Call("admin", http.MethodGet, "/v1/openapi.json", nil, http.StatusOK).Body, &document))
	in := servedInterface{map[string]bool{}, map[string]bool{}}
	paths, _ := document["paths"].(map[string]any)
	for path := range paths {
		in.paths[maskParams(path)] = true
	}
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			properties, _ := v["properties"].(map[string]any)
			for name := range properties {
				in.members[name] = true
			}
			for _, member := range v {
				collect(member)
			}
		case []any:
			for _, item := range v {
				collect(item)
			}
		}
	}
	collect(document)
	if len(in.paths) == 0 || len(in.members) == 0 {
		w.T.Fatalf("the document has %d paths and %d members", len(in.paths), len(in.members))
	}
	return in
}

// compare compares a response, its status and its body, with that of a newer build. Members that the interface does not have may
// be missing; of a refusal only the reason is compared.
func (in servedInterface) compare(t *testing.T, name, was, now string) {
	t.Helper()
	statusWas, bodyWas, _ := strings.Cut(was, " ")
	statusNow, bodyNow, _ := strings.Cut(now, " ")
	var before, after any
	switch errBefore, errAfter := json.Unmarshal([]byte(bodyWas), &before), json.Unmarshal([]byte(bodyNow), &after); {
	case statusWas != statusNow, (errBefore == nil) != (errAfter == nil):
		t.Errorf("%s: the build before answers %.200s, this one %.200s", name, was, now)
	case errBefore != nil && bodyWas != bodyNow:
		t.Errorf("%s: the build before answers %.200s, this one %.200s", name, bodyWas, bodyNow)
	case errBefore == nil && statusWas >= "400":
		before, after = reason(before), reason(after)
		fallthrough
	default:
		if name == api.ListMembers.Name {
			before = withoutServiceAccounts(before)
		}
		if place := in.difference("", before, after); place != "" {
			t.Errorf("%s: the build before answers another %s: %.600s, this one %.600s", name, place, bodyWas, bodyNow)
		}
	}
}

// reason returns the reason in the body of a refusal.
func reason(body any) any {
	object, _ := body.(map[string]any)
	refusal, _ := object["error"].(map[string]any)
	return refusal["reason"]
}

// difference returns the path of the first difference between two JSON values, or "".
func (in servedInterface) difference(path string, was, now any) string {
	switch was := was.(type) {
	case map[string]any:
		now, ok := now.(map[string]any)
		if !ok {
			return path
		}
		for name, value := range now {
			_, have := was[name]
			isNewer := isServiceAccount(was) || inheritsRules(name, value) // it does not know the type, or the value
			if !have && in.members[name] && !isNewer {
				return path + "." + name
			} else if have {
				if place := in.difference(path+"."+name, was[name], value); place != "" {
					return place
				}
			}
		}
		for name := range was {
			if _, have := now[name]; !have {
				return path + "." + name
			}
		}
	case []any:
		now, ok := now.([]any)
		if !ok || len(was) != len(now) {
			return path
		}
		for i := range was {
			if place := in.difference(fmt.Sprintf("%s[%d]", path, i), was[i], now[i]); place != "" {
				return place
			}
		}
	default:
		if !reflect.DeepEqual(was, now) {
			return path
		}
	}
	return ""
}
