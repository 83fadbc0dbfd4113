package e2e

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// redisTimeReaders lists the functions outside of store/redis that read the time of Redis, with what they use it for.
// Removal because of age is not among the purposes: it asks RemovalDelay of store.Tx.
var redisTimeReaders = map[string]string{
	"server/app/lifecycle.countFinalTransfers": "refuses until a transfer cannot be taken back",
	"server/app/lifecycle.openTransfer":        "refuses after the deadline",
	"server.removableEvents":                   "removes because of age",
	"server.scheduleEventRemovals":             "schedules a job that asks",
	"server/app/lifecycle.recordDeparture":     "sets a deadline",
	"server/app/orgs.restore":                  "refuses after the deadline",
	"server/app/orgs.putNewSecret":             "sets a deadline",
	"server/app/orgs.removeUserEvents":         "removes because of age",
	"server/app/spaces.checkRestorable":        "refuses after the deadline",
	"server/app/spaces.trashEntry":             "sets a deadline",
	"store.DeleteOrganization":                 "sets a deadline",
	"store.CountDue":                           "looks for due jobs",
	"store.DueOrganizations":                   "looks for due jobs",
	"store.RemovalDelay":                       "removes because of age",
	"store.Time":                               "is the reader",
	"store.advancePage":                        "looks for due jobs",
	"store.missingRegistrations":               "looks for due jobs",
	"store/fsck.checkJobRegistry":              "looks for due jobs",
	"store/txn.Time":                           "is the reader",
	"store/txn.ClaimExpired":                   "looks for claims of commits that did not happen",
	"store/txn.checkRepeatable":                "refuses after the answer was forgotten",
}

// removingName matches the names of functions that remove data for good.
var removingName = regexp.MustCompile(`^(delete|drop|discard|remove|revoke|unlink|purge|clear|beginRemoval|hDel|del|zRem)`)

// timeComparisons are the methods of time.Time that compare.
var timeComparisons = []string{"Before", "After", "Compare", "Sub", "Since", "Until"}

// removalFunction describes what the body of a function of the server or the store does.
type removalFunction struct {
	name                           string // directory, dot, name
	readsRedisTime, compares, asks bool
	removes                        string // a function that removes, "" = none
}

// TestRemovalByAgeAsksRemovalDelay checks the source: only listed functions read the time of Redis, and no function that
// compares times removes something, unless it asks RemovalDelay.
func TestRemovalByAgeAsksRemovalDelay(t *testing.T) {
	t.Parallel()
	var readers, asking []string
	for _, f := range removalFunctions(t) {
		if f.readsRedisTime {
			readers = append(readers, f.name)
		}
		if f.asks {
			asking = append(asking, f.name)
		}
		if f.compares && f.removes != "" && !f.asks && !slices.Contains(comparingRemovers, f.name) {
			t.Errorf("%s compares times and calls %s: ask RemovalDelay, or say in comparingRemovers why it is not removal by age",
				f.name, f.removes)
		}
	}
	for _, name := range readers {
		if redisTimeReaders[name] == "" {
			t.Errorf("%s reads the time of Redis: ask RemovalDelay if it removes because of age, otherwise add it to redisTimeReaders",
				name)
		}
	}
	for name := range redisTimeReaders {
		if !slices.Contains(readers, name) {
			t.Errorf("%s is listed and does not read the time of Redis", name)
		}
	}
	want := []string{
		"server.removableEvents", "server/app/lifecycle.mayPurge", "server/app/orgs.removableTokens", "server/app/orgs.removeExpired",
		"server/app/orgs.removeUserEvents",
	}
	if !slices.Equal(asking, want) {
		t.Errorf("RemovalDelay is asked by %q, want %q", asking, want)
	}
}

// comparingRemovers lists functions that compare times and remove, but not because of age.
var comparingRemovers = []string{
	"server/web/auth.Take",         // a map in memory
	"store/redis.RemovalHolds",     // a slice in memory
	"store/redis.replicasOf",       // a map in memory
	"server/app/repair.repairText", // a member of a map in memory

	"server/app/orgs.announceBreakGlass",     // entries of a list that name tokens
	"server/app/signin/oidc.readKeys",        // a map in memory
	"server/app/signin/saml.signatureReason", // a slice in memory
}

// removalFunctions returns the functions of the server and the store.
func removalFunctions(t *testing.T) (found []removalFunction) {
	t.Helper()
	for _, root := range []string{"server", "store"} {
		err := filepath.WalkDir(filepath.Join("..", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			directory := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
			if strings.HasSuffix(directory, "test") || strings.HasPrefix(directory, "server/text") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declaration := range file.Decls {
				if f, ok := declaration.(*ast.FuncDecl); ok && f.Body != nil {
					found = append(found, inspectRemoval(directory, f))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.SortFunc(found, func(a, b removalFunction) int { return strings.Compare(a.name, b.name) })
	return found
}

// inspectRemoval returns what a function does.
func inspectRemoval(directory string, f *ast.FuncDecl) removalFunction {
	is := removalFunction{name: directory + "." + f.Name.Name}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, receiver := "", ""
		switch callee := call.Fun.(type) {
		case *ast.SelectorExpr:
			name = callee.Sel.Name
			if x, ok := callee.X.(*ast.Ident); ok {
				receiver = x.Name
			}
		case *ast.Ident:
			name = callee.Name
		}
		switch {
		case name == "RemovalDelay":
			is.asks = true
		case directory != "store/redis" && (name == "KeyTime" || name == "Time" && (receiver == "tx" || len(call.Args) == 2)):
			is.readsRedisTime = true
		case slices.Contains(timeComparisons, name) && len(call.Args) == 1 && receiver != "strings":
			is.compares = true
		case removingName.MatchString(strings.ToLower(name[:min(1, len(name))]) + name[min(1, len(name)):]):
			is.removes = name
		}
		return true
	})
	return is
}
