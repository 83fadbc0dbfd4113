package e2e

import (
	"cmp"
	_ "embed"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gopackages "golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"docspace.dev/wsd/store/storetest"
)

// The lock of the access model is a field of a type of the store, which holds the model of each organization.
const (
	lockPackage = module + "/store/txn"
	lockType    = "sharedModel"
	lockField   = "mu"
)

// allowedLocks maps functions that may take another lock under the model's lock to the reason. Their calls are
// checked as well.
var allowedLocks = map[string]string{
	"(*" + module + "/server/core/access.idList).sorted": "the order of a list is computed by its first reader",
}

// ignoredDynamicCalls maps functions whose calls of function values are ignored to the reason.
var ignoredDynamicCalls = map[string]string{
	"(*" + module + "/server/text/documents.writer).ref": "a description is written without a function that finds references",
}

// storeClients lists the packages whose functions access the store.
var storeClients = []string{"github.com/redis/go-redis/v9"}

// plantedSource is a package that breaks the rule. It exists in this test only.
//
//go:embed testdata/locks/planted.go.txt
var plantedSource []byte

const plantedPackage = module + "/server/planted"

// plantedFunctions lists the functions of plantedSource that the test must find.
var plantedFunctions = []string{"Nested", "Read", "Sorted", "Dynamic"}

// TestModelLockHoldersDoNotBlockCampaign checks that no code takes another lock or reads the store while it holds the lock of
// the access model: a waiting reader would block all requests of the organization, and taking the lock again may deadlock. The
// test follows the calls of the whole server and must find the planted violations.
func TestModelLockHoldersDoNotBlockCampaign(t *testing.T) {
	t.Parallel()
	storetest.LongCampaign(t, "locks", 1, 1)
	program := loadServer(t)
	g := newCallGraph(program)
	roots := g.functionsUnderLock(t)
	if len(roots) < 10 {
		t.Fatalf("%d functions are called under the lock, want more: is %s.%s.%s still the lock?", len(roots), lockPackage,
			lockType, lockField)
	}
	found, used := map[string]bool{}, map[string]bool{}
	for _, v := range g.violations(roots) {
		if v.planted() {
			found[strings.Split(strings.TrimPrefix(v.root(), plantedPackage+"."), "$")[0]] = true
			continue
		}
		if last := v.path[len(v.path)-1].String(); v.takesLock && allowedLocks[last] != "" {
			used[last] = true
			continue
		}
		t.Errorf("under the lock of the access model %s\n%s", v.operation, v)
	}
	for _, name := range plantedFunctions {
		if !found[name] {
			t.Errorf("the planted violation %s is not found", name)
		}
	}
	for name := range allowedLocks {
		if !used[name] {
			t.Errorf("%s may take a lock, and does not", name)
		}
	}
	t.Logf("%d functions are called under the lock, %d run there", len(roots), g.reachedCount)
}

// loadServer builds the SSA form of the server with the planted package. Packages of other modules are loaded as
// declarations only.
func loadServer(t *testing.T) *ssa.Program {
	t.Helper()
	tree, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := gopackages.Load(&gopackages.Config{
		Mode:    gopackages.LoadSyntax,
		Context: t.Context(), Dir: tree,
		Overlay: map[string][]byte{filepath.Join(tree, strings.TrimPrefix(plantedPackage, module+"/"), "planted.go"): plantedSource},
	}, "./cmd/wsd", "./server/...", "./store/...", plantedPackage)
	if err != nil {
		t.Fatal(err)
	}
	if gopackages.PrintErrors(loaded) > 0 {
		t.Fatal("the server does not compile")
	}
	program, _ := ssautil.Packages(loaded, ssa.InstantiateGenerics)
	program.Build()
	return program
}

// violation is a call under the lock that may block.
type violation struct {
	operation string
	takesLock bool            // the call takes a lock
	path      []*ssa.Function // from the function called under the lock to the caller
	position  token.Position
}

// planted reports whether the violation is in the planted package.
func (v violation) planted() bool { return v.root() != "" }

// root returns the first planted function of the path, or "".
func (v violation) root() string {
	i := slices.IndexFunc(v.path, func(f *ssa.Function) bool { return strings.HasPrefix(f.String(), plantedPackage+".") })
	if i < 0 {
		return ""
	}
	return v.path[i].String()
}

func (v violation) String() string {
	var lines strings.Builder
	for _, f := range v.path {
		lines.WriteString("\t" + f.String() + "\n")
	}
	return lines.String() + "\tat " + v.position.String()
}

// violations returns the blocking calls that the roots reach, each with a shortest path.
func (g *callGraph) violations(roots []*ssa.Function) []violation {
	var all []violation
	from := map[*ssa.Function]*ssa.Function{}
	queue := slices.Clone(roots)
	for _, f := range queue {
		from[f] = nil
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		for _, call := range calls(f) {
			if ignoredDynamicCalls[f.String()] != "" && call.Common().StaticCallee() == nil && !call.Common().IsInvoke() {
				continue
			}
			for _, callee := range g.callees(call) {
				if operation, lock := blockingOperation(callee); operation != "" {
					var path []*ssa.Function
					for step := f; step != nil; step = from[step] {
						path = append(path, step)
					}
					slices.Reverse(path)
					all = append(all, violation{operation, lock, path, f.Prog.Fset.Position(call.Pos())})
				} else if _, seen := from[callee]; !seen {
					from[callee] = f
					queue = append(queue, callee)
				}
			}
		}
	}
	g.reachedCount = len(from)
	slices.SortFunc(all, func(a, b violation) int { return cmp.Compare(a.String(), b.String()) })
	return all
}

// blockingOperation returns a description of the operation of f that may block, or "" if f has none, and whether that operation
// takes a lock.
func blockingOperation(f *ssa.Function) (operation string, lock bool) {
	switch name := f.String(); name {
	case "(*sync.Mutex).Lock", "(*sync.RWMutex).Lock", "(*sync.RWMutex).RLock":
		return "a lock is taken", true
	case "(*sync.WaitGroup).Wait", "time.Sleep":
		return name + " waits", false
	}
	if p := packageOf(f); slices.Contains(storeClients, p) {
		return "the store is asked", false
	}
	return "", false
}

// packageOf returns the import path of the package that declares a function or its generic form.
func packageOf(f *ssa.Function) string {
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	switch object := f.Object(); {
	case object != nil && object.Pkg() != nil:
		return object.Pkg().Path()
	case f.Pkg != nil:
		return f.Pkg.Pkg.Path()
	}
	return ""
}
