package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

const (
	maxNearQuota  = 20 // organizations near their quota in a diagnosis
	maxRootTokens = 50 // root tokens in a diagnosis, oldest first
	maxEventLogs  = 5  // event logs in a diagnosis, largest first, and named in a check
)

// Diagnosis is the result of `wsd doctor`: the checks of the store, the organizations near their quota, the root tokens and the
// event logs.
type Diagnosis struct {
	Verdict    redis.Verdict `json:"verdict"`
	Code       int           `json:"code"` // exit code
	Store      string        `json:"store,omitzero"`
	Checks     redis.Health  `json:"checks"`
	NearQuota  []string      `json:"nearQuota"` // one line per organization
	RootTokens *RootTokens   `json:"tokensWithoutEnd,omitzero"`

	EventLogs *orgs.EventLogSums `json:"eventLogs,omitzero"` // nil if the data was not read

	Sealed *auth.SecretReport `json:"sealed,omitzero"` // nil if the data was not read

	moreNearQuota bool // NearQuota is truncated
}

// RootTokens describes the tokens that have no expiry and no parent token: they are valid until revoked.
type RootTokens struct {
	Count       int         `json:"count"`
	Admin       int         `json:"admin"`       // with the scope admin
	FromInvites int         `json:"fromInvites"` // of those, from accepted invites
	Oldest      []RootToken `json:"oldest"`
}

// RootToken is a store.RootToken in JSON.
type RootToken struct {
	ID     string   `json:"id"`
	User   string   `json:"user"`
	Name   string   `json:"name"`
	MadeAt api.Time `json:"madeAt"`
}

// Diagnose examines a store and, if it can be read, its data. Sealed values are opened with the secrets of the settings. tokenMaxAge is
// the maximum age of tokens of people, 0 = none.
func Diagnose(ctx context.Context, s *store.Store, secrets auth.SecretSettings, tokenMaxAge time.Duration) (Diagnosis, error) {
	location := s.Describe().String()
	checks := s.Doctor(ctx)
	if !s.CheckNow(ctx).Readable {
		d := newDiagnosis(checks)
		d.Store = location
		return d, nil
	}
	sealed, err := auth.InspectSecrets(ctx, s, secrets)
	if err != nil {
		return newDiagnosis(checks), err
	}
	logs, err := orgs.Accounts{Store: s}.SumEventLogs(ctx, maxEventLogs)
	if err != nil {
		return newDiagnosis(checks), err
	}
	d := newDiagnosis(append(checks, sealedCheck(sealed), nodeSecretsCheck(ctx, s), eventLogsCheck(logs)))
	d.Store, d.Sealed, d.EventLogs = location, &sealed, &logs
	lines, more, err := orgs.Accounts{Store: s}.OrganizationsNearQuota(ctx, maxNearQuota)
	if err != nil {
		return d, err
	}
	d.NearQuota, d.moreNearQuota = append(d.NearQuota, lines...), more
	d.RootTokens, err = listRootTokens(ctx, s, tokenMaxAge)
	return d, err
}

// maxSealedProblems is the number of values in the message of a sealedCheck.
const maxSealedProblems = 5

// sealedCheck returns the check of the values that depend on the secrets of the server.
func sealedCheck(r auth.SecretReport) redis.Check {
	check := redis.Check{
		Name: "sealed", Verdict: redis.VerdictOK,
		Message: fmt.Sprintf("%d sealed values and %d links are opened by the secrets of the data",
			r.Sealed, r.Links),
	}
	switch lines := r.Lines(); {
	case len(r.Findings) > 0:
		check.Verdict = redis.VerdictWarn
		check.Message = strings.Join(r.Problems[:min(len(r.Problems), maxSealedProblems)], "; ")
		if more := len(r.Problems) - maxSealedProblems; more > 0 {
			check.Message += fmt.Sprintf("; and %d more", more)
		}
		check.Hint = "make new ones: wsctl sites regenerate-auth SITE, wsctl integrations publish INTEGRATION --data FILE; " +
			"for links: wsd secret replace"
		if len(r.Wrong) > 0 {
			check.Hint = "set the secrets of the other nodes"
		}
	case r.OldKey+r.OldLinks > 0:
		check.Verdict, check.Message = redis.VerdictInfo, strings.Join(lines, "; ")
		check.Hint = "when nobody needs the old addresses any more: wsd secret replace --finish"
	case len(lines) > 0:
		check.Verdict, check.Message = redis.VerdictInfo, strings.Join(lines, "; ")
	}
	return check
}

// nodeSecretsCheck returns the check that every serving node has the secrets of the data. Builds that do not register what their
// nodes have are left out. The list of nodes cannot be read from a Redis that refuses writes, because expired entries are removed.
func nodeSecretsCheck(ctx context.Context, s *store.Store) redis.Check {
	check := redis.Check{Name: "node-secrets", Verdict: redis.VerdictOK}
	fingerprints, err := s.Fingerprints(ctx)
	var nodes []redis.ServingNode
	if err == nil {
		nodes, err = s.ServingNodes(ctx)
	}
	if err != nil {
		check.Verdict, check.Message = redis.VerdictInfo, fmt.Sprintf("the secrets of the nodes are not checked: %v", err)
		return check
	}
	var lines []string
	registered := 0
	for _, node := range nodes {
		if len(node.Fingerprints) == 0 {
			continue
		}
		registered++
		var lacks []string
		for _, name := range []string{auth.SecretVariable, auth.EncryptionKeyVariable} {
			if of := fingerprints[name]; of != "" && !slices.Contains(node.Fingerprints, of) {
				lacks = append(lacks, name)
			}
		}
		if len(lacks) > 0 {
			lines = append(lines, fmt.Sprintf("node %s has another %s than the data: it stores no secrets and links, and /readyz is 503",
				node.Name(), strings.Join(lacks, " and ")))
		}
	}
	if len(lines) == 0 {
		check.Message = fmt.Sprintf("all %d serving nodes have the secrets of the data", registered)
		return check
	}
	check.Verdict, check.Message = redis.VerdictWarn, strings.Join(lines, "; ")
	check.Hint = "set there what the other nodes have, and restart it; see Replace the secrets in docs/operations.md"
	return check
}

// eventLogsCheck returns the check that no organization keeps fewer events because of its quota.
func eventLogsCheck(logs orgs.EventLogSums) redis.Check {
	check := redis.Check{Name: "event-logs", Verdict: redis.VerdictOK, Message: logs.Size()}
	if len(logs.Limited) == 0 {
		return check
	}
	var lines []string
	for _, l := range logs.Limited[:min(len(logs.Limited), maxEventLogs)] {
		lines = append(lines, fmt.Sprintf("%s has %s, and at most %d are kept, a tenth of its quota", l.Organization, l.Size(), l.MaxBytes))
	}
	check.Verdict, check.Message = redis.VerdictWarn, "the quota makes these keep fewer events, or will soon: "+strings.Join(lines, "; ")
	if more := len(logs.Limited) - len(lines); more > 0 {
		check.Message += fmt.Sprintf("; and of %d more", more)
	}
	check.Hint = "raise the quota (wsd quota set --org ORGANIZATION --bytes SIZE), or keep events for less time (WSD_EVENTS_KEPT, " +
		"or wsd quota set --org ORGANIZATION --event-days DAYS)"
	return check
}

// DiagnoseOpenError returns the diagnosis of a store that could not be opened.
func DiagnoseOpenError(err error) Diagnosis {
	return newDiagnosis(redis.Health{redis.OpenErrorCheck(err)})
}

func newDiagnosis(checks redis.Health) Diagnosis {
	return Diagnosis{Verdict: checks.Verdict(), Code: checks.Code(), Checks: checks, NearQuota: []string{}}
}

// listRootTokens returns the root tokens, or nil if there are none.
func listRootTokens(ctx context.Context, s *store.Store, tokenMaxAge time.Duration) (*RootTokens, error) {
	roots, counts, err := s.RootTokens(ctx, maxRootTokens, tokenMaxAge)
	if err != nil || counts.All == 0 {
		return nil, err
	}
	found := &RootTokens{Count: counts.All, Admin: counts.Admin, FromInvites: counts.FromInvites}
	for _, t := range roots {
		found.Oldest = append(found.Oldest, RootToken(t))
	}
	return found, nil
}

// DiagnosisLine is a line of a diagnosis. A line without verdict and name continues the one before.
type DiagnosisLine struct {
	Verdict       redis.Verdict
	Name, Message string
}

// Lines returns the findings.
func (d Diagnosis) Lines() (lines []DiagnosisLine) {
	add := func(verdict redis.Verdict, name, message string) {
		lines = append(lines, DiagnosisLine{verdict, name, message})
	}
	for _, check := range d.Checks {
		add(check.Verdict, check.Name, check.Message)
		if check.Hint != "" {
			add("", "", check.Hint)
		}
	}
	for _, quota := range d.NearQuota {
		add(redis.VerdictInfo, "quota", quota)
	}
	if d.moreNearQuota {
		add("", "", "and more organizations")
	}
	if d.RootTokens != nil {
		d.RootTokens.addLines(add)
	}
	if d.EventLogs != nil && d.EventLogs.Entries > 0 {
		add(redis.VerdictInfo, "events", d.EventLogs.Size()+"; the largest logs:")
		for _, l := range d.EventLogs.Largest {
			add("", "", l.Organization+" "+l.Size())
		}
	}
	return lines
}

func (t *RootTokens) addLines(add func(verdict redis.Verdict, name, message string)) {
	if t.Admin == 0 {
		add(redis.VerdictInfo, "tokens", fmt.Sprintf("%d of people never end, none with the scope admin", t.Count))
		add("", "", "list them: wsd token list --never-ends")
		return
	}
	message := fmt.Sprintf("%d of people with the scope admin never end", t.Admin)
	if t.FromInvites > 0 {
		message += fmt.Sprintf(", %d of them are of accepted invites", t.FromInvites)
	}
	if others := t.Count - t.Admin; others > 0 {
		message += fmt.Sprintf("; so do %d with other scopes", others)
	}
	add(redis.VerdictInfo, "tokens", message)
	add("", "", "list them: wsd token list --never-ends --scope admin; end those that nobody uses: wsd token revoke TOKEN; end all of "+
		"them by their age: WSD_TOKEN_MAX_AGE")
}
