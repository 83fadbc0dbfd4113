package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// commandRun is a run of a command that changes data.
type commandRun struct {
	args     string // with ORG and USER for the ids of what init makes; "" for a command that is not run
	inUser   bool   // it leaves an event of the user
	inOrg    bool   // it leaves an event of the organization
	prepares func(tx *store.Tx, org, user string) error
}

// commandRuns are the commands that change data, in the order in which they are run. Each has an event of its own for what it changes.
var commandRuns = []commandRun{
	{args: "init --user ada@example.com --org Docs", inUser: true, inOrg: true},
	{args: "token create --user ada@example.com --org Docs", inUser: true, inOrg: true},
	{args: "token create --user bo@example.com --org Docs", inOrg: true},
	{args: "token revoke --user USER", inUser: true, inOrg: true},
	{args: "quota set --org Docs --records 5000", inOrg: true},
	{args: "quota set --user USER --tokens 50", inUser: true},
	{args: "domain trust --org Docs example.com", inOrg: true, prepares: addDomain},
	{args: "domain distrust --org Docs example.com", inOrg: true},
	{args: "fsck --repair --yes", inOrg: true, prepares: removeAdminFromIndex},
	{args: "user disable USER", inUser: true, inOrg: true},
	{args: "user enable USER", inUser: true, inOrg: true},
	{args: "org create Second --admin USER"},
	{args: "trash restore ORG", inOrg: true, prepares: trashOrganization},
	{args: "trash resume"},
	{args: "upgrade --finish"},
	{args: "user end USER --yes --hand-over bo@example.com", inUser: true, inOrg: true},
}

// unrunCommands change data, and are run by tests of their own: they leave events as the others do.
var unrunCommands = []string{"wsd secret replace"}

func addDomain(tx *store.Tx, org, _ string) error {
	o, err := tx.Organization(org)
	if err != nil {
		return err
	}
	o.Fields.EmailDomains = []string{"example.com"}
	_, err = tx.PutOrganization(o)
	return err
}

func removeAdminFromIndex(tx *store.Tx, org, user string) error {
	tx.Remove(store.AdminsKey(org), user)
	return nil
}

func trashOrganization(tx *store.Tx, org, user string) error {
	o, err := tx.Organization(org)
	if err != nil {
		return err
	}
	_, err = tx.DeleteOrganization(o, user)
	return err
}

// readingCommands change nothing, or no organization and no user.
var readingCommands = []string{
	"wsd budgets", "wsd completion", "wsd demo", "wsd doctor", "wsd domain list", "wsd help", "wsd org list", "wsd org show",
	"wsd quota show", "wsd read-specification", "wsd ready", "wsd serve", "wsd token list", "wsd trash list", "wsd user list",
	"wsd user show", "wsd version",
}

// TestEveryCommandIsKnownToWriteOrNot checks that each command is known to change data or not.
func TestEveryCommandIsKnownToWriteOrNot(t *testing.T) {
	t.Parallel()
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, child := range cmd.Commands() {
			walk(child)
		}
		name := cmd.CommandPath()
		isRun := func(r commandRun) bool { return strings.HasPrefix("wsd "+r.args+" ", name+" ") }
		if cmd.HasSubCommands() || slices.Contains(slices.Concat(readingCommands, unrunCommands), name) ||
			slices.ContainsFunc(commandRuns, isRun) {
			return
		}
		t.Errorf("%s is neither in commandRuns nor in readingCommands or unrunCommands", name)
	}
	walk(newRootCmd(t.Context(), &config{}))
}

// TestEveryCommandLeavesAnEvent checks that each command that changes an organization or a user leaves an event there that names it and
// the operator, and one log line.
func TestEveryCommandLeavesAnEvent(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	d := newRemoteDeployment(t)
	d.environ = append(d.environ, "WSD_SECRET="+strings.Repeat("s", 40))
	var made accountResult
	for _, r := range commandRuns {
		if r.prepares != nil {
			d.prepare(made, r)
		}
		args := strings.NewReplacer("ORG", made.Organization, "USER", made.User).Replace(r.args)
		fields := strings.Fields(args)
		if fields[0] == "init" {
			fields = append(fields, "-o", "json")
		}
		name := commandName(args)
		before := d.countCommands(name, made)
		got := runWSD(t, d.environ, fields...)
		if got.code != exitOK {
			t.Fatalf("wsd %s: %d\n%s%s", args, got.code, got.stdout, got.stderr)
		}
		if fields[0] == "init" {
			if err := json.Unmarshal([]byte(got.stdout), &made); err != nil {
				t.Fatal(err)
			}
		}
		after := d.countCommands(name, made)
		if (after[0] > before[0]) != r.inOrg || (after[1] > before[1]) != r.inUser {
			t.Errorf("%s: %v events of the organization and the user, then %v", args, before, after)
		}
		if lines := strings.Count(got.stderr, `"msg":"command"`); (r.inOrg || r.inUser) && lines != 1 {
			t.Errorf("%s: %d log lines\n%s", name, lines, got.stderr)
		}
	}
}

// commandName returns the path of the command with the given arguments, as in "wsd quota set".
func commandName(args string) string {
	words := strings.Fields(args)
	if words[0] == "init" || words[0] == "fsck" || words[0] == "upgrade" {
		return "wsd " + words[0]
	}
	return "wsd " + words[0] + " " + words[1]
}

// prepare changes the organization of the deployment before a command is run.
func (d *deployment) prepare(made accountResult, r commandRun) {
	d.t.Helper()
	s, err := store.Open(d.t.Context(), store.Config{URL: d.redis.URL(), AllowLoss: true})
	if err != nil {
		d.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	storetest.Update(d.t, s, made.Organization, func(tx *store.Tx) error { return r.prepares(tx, made.Organization, made.User) })
}

// countCommands returns the numbers of events of a command that the organization and the user have. It fails the test if one of them has
// no operator.
func (d *deployment) countCommands(name string, made accountResult) (counts [2]int) {
	d.t.Helper()
	for i, shard := range []string{"{" + made.Organization + "}", "{u:" + made.User + "}"} {
		events, err := d.client.XRange(d.t.Context(), "wsd:"+shard+":events", "-", "+").Result()
		if err != nil {
			d.t.Fatal(err)
		}
		for _, e := range events {
			if e.Values["command"] != name {
				continue
			}
			counts[i]++
			if operator, _ := e.Values["operator"].(string); !strings.Contains(operator, "@") {
				d.t.Errorf("the operator of %s is %q", name, operator)
			}
		}
	}
	return counts
}
