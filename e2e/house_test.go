package e2e

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "docspace.dev/wsd"

// layers says which packages of the module each package may reach, directly or through others. A package that is
// missing here, or that reaches more, does not belong to the house yet: decide where it stands and write it down. The
// picture in docs/architecture.md has a line for each of them.
var layers = map[string][]string{
	"cmd/wsd":                        {"client/api/markdown", "server", "server/*", "store", "store/*", "client/api"},
	"cmd/wsctl":                      {"client/api/markdown", "cmd/wsctl/*", "client", "tui", "tui/*", "client/api"},
	"cmd/wsctl/operations":           {"cmd/wsctl/answers", "cmd/wsctl/completion", "cmd/wsctl/flags", "cmd/wsctl/app", "cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "tui/changes", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client", "client/api/markdown", "client/api"},
	"cmd/wsctl/answers":              {"cmd/wsctl/flags", "cmd/wsctl/app", "cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "tui/changes", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client", "client/api/markdown", "client/api"},
	"cmd/wsctl/completion":           {"cmd/wsctl/flags", "cmd/wsctl/app", "cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "tui/safe", "client", "client/api"},
	"cmd/wsctl/setup":                {"cmd/wsctl/app", "cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "tui/safe", "client", "client/api"},
	"cmd/wsctl/flags":                {"cmd/wsctl/exit", "cmd/wsctl/output", "tui/safe", "client", "client/api"},
	"cmd/wsctl/screen":               {"client/api/markdown", "cmd/wsctl/app", "cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "client", "tui", "tui/*", "client/api"},
	"cmd/wsctl/app":                  {"cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "tui/safe", "client", "client/api"},
	"cmd/wsctl/apptest":              {"cmd/wsctl/app", "cmd/wsctl/config", "cmd/wsctl/exit", "cmd/wsctl/output", "tui/safe", "client", "client/api"},
	"cmd/wsctl/exit":                 {"cmd/wsctl/output", "tui/safe", "client", "client/api"},
	"cmd/wsctl/config":               {"client/api"},
	"cmd/wsctl/output":               {"tui/safe", "client/api"},
	"client":                         {"client/api"},
	"client/api":                     {},
	"client/generate":                {"client/api"},
	"tui":                            {"client/api/markdown", "tui/*", "client/api"},
	"tui/inbox":                      {"tui/authoring", "client/api/markdown", "tui/screens", "tui/merging", "tui/conflicts", "tui/overview", "tui/submit", "tui/reading", "tui/threads", "tui/changes", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/spaces":                     {"tui/authoring", "client/api/markdown", "tui/screens", "tui/merging", "tui/conflicts", "tui/overview", "tui/submit", "tui/reading", "tui/threads", "tui/changes", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/live":                       {"tui/remote", "client/api"},
	"tui/overview":                   {"client/api/markdown", "tui/changes", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/conflicts":                  {"tui/threads", "tui/changes", "tui/reading", "client/api/markdown", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/authoring":                  {"tui/changes", "tui/reading", "client/api/markdown", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/merging":                    {"tui/conflicts", "tui/overview", "tui/submit", "tui/reading", "client/api/markdown", "tui/threads", "tui/changes", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/screens":                    {"tui/authoring", "tui/merging", "tui/conflicts", "tui/submit", "tui/reading", "client/api/markdown", "tui/threads", "tui/changes", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api", "tui/overview"},
	"tui/writing":                    {"tui/changes", "client/api/markdown", "tui/markdown", "tui/reading", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/threads":                    {"tui/changes", "tui/reading", "client/api/markdown", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/submit":                     {"client/api/markdown", "tui/reading", "tui/changes", "tui/page", "tui/components", "tui/drafts", "tui/remote", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/reading":                    {"tui/drafts", "tui/remote", "client/api"},
	"tui/page":                       {"tui/reading", "tui/components", "tui/drafts", "tui/remote", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/components":                 {"tui/text", "tui/safe", "tui/term"},
	"tui/drafts":                     {"tui/remote", "client/api"},
	"tui/remote":                     {"client/api"},
	"tui/changes":                    {"client/api/markdown", "tui/markdown", "tui/text", "tui/safe", "tui/term", "client/api"},
	"tui/markdown":                   {"client/api/markdown", "tui/safe", "tui/term", "tui/text"},
	"tui/safe":                       {},
	"tui/term":                       {},
	"tui/text":                       {"tui/safe", "tui/term"},
	"server":                         {"server/*", "client/api/markdown", "store", "store/*", "client/api"},
	"server/spaces":                  {"server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/cache", "server/rest", "server/content", "server/align", "client/api/markdown", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/reading":                 {"server/spec", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/rest", "server/auth", "server/listen", "server/budgets", "server/cache", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/links":                   {"server/reading", "server/spec", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/rest", "server/auth", "server/listen", "server/budgets", "server/cache", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/indexing":                {"server/reading", "server/spec", "server/view", "server/search", "server/revision", "server/merge", "server/rest", "server/content", "server/align", "client/api/markdown", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/comments":                {"server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/rest", "server/content", "server/align", "client/api/markdown", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/reviews":                 {"server/conflicts", "server/reading", "server/spec", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/rest", "server/content", "client/api/markdown", "server/cache", "server/auth", "server/listen", "server/budgets", "server/align", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/progress":                {"server/view", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/rest", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/conflicts":               {"server/diff", "server/view", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/rest", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/inbox":                   {"server/conflicts", "server/documents", "server/writeback", "server/reviews", "server/reading", "server/spec", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/rest", "server/content", "client/api/markdown", "server/cache", "server/auth", "server/listen", "server/budgets", "server/align", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/timeline":                {"server/view", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/rest", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/references":              {"server/conflicts", "server/reading", "server/spec", "server/spaces", "server/reviews", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/links", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/rest", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/imports":                 {"server/conflicts", "server/reading", "server/spec", "server/reviews", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/cache", "server/rest", "server/split", "server/importer", "server/fetch", "server/content", "server/align", "client/api/markdown", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/pages":                   {"server/conflicts", "server/reading", "server/spec", "server/reviews", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/cache", "server/rest", "server/fetch", "server/content", "server/align", "client/api/markdown", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/sites":                   {"server/spaces", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/cache", "server/rest", "server/content", "server/align", "client/api/markdown", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/specs":                   {"server/conflicts", "server/reading", "server/spec", "server/pages", "server/reviews", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/rest", "server/fetch", "server/content", "server/align", "client/api/markdown", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/integrations":            {"server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/cache", "server/rest", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/addresses":               {"server/conflicts", "server/writeback", "server/spaces", "server/pages", "server/reading", "server/spec", "server/reviews", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/cache", "server/rest", "server/fetch", "server/content", "server/align", "client/api/markdown", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*", "server/documents"},
	"server/downloads":               {"server/reading", "server/spec", "server/view", "server/revision", "server/merge", "server/rest", "server/export", "server/content", "server/align", "client/api/markdown", "server/cache", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/lifecycle":               {"server/sites", "server/spaces", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/content", "server/align", "client/api/markdown", "server/cache", "server/rest", "server/auth", "server/listen", "server/budgets", "server/access", "server/adaptive", "client/api", "store", "store/*"},
	"server/secrets":                 {"server/auth", "server/access", "server/adaptive", "server/budgets", "server/listen", "store", "store/*", "client/api"},
	"server/repair":                  {"server/conflicts", "server/reading", "server/spec", "server/reviews", "server/links", "server/diff", "server/comments", "server/orgs", "server/view", "server/rules", "server/revision", "server/merge", "server/cache", "server/rest", "server/auth", "server/listen", "server/access", "server/adaptive", "server/content", "server/align", "client/api/markdown", "server/budgets", "client/api", "store", "store/*", "server/documents", "server/writeback"},
	"server/servertest":              {"server", "server/*", "client/api/markdown", "store", "store/*", "client/api", "server/documents/documentstest"},
	"server/view":                    {"server/rest", "server/revision", "server/auth", "server/access", "server/cache", "server/adaptive", "server/align", "server/budgets", "server/content", "server/listen", "server/merge", "client/api/markdown", "store", "store/*", "client/api"},
	"server/orgs":                    {"server/view", "server/rest", "server/revision", "server/auth", "server/access", "server/cache", "server/adaptive", "server/align", "server/budgets", "server/content", "server/listen", "server/merge", "server/rules", "client/api/markdown", "store", "store/*", "client/api"},
	"server/invites":                 {"server/orgs", "server/view", "server/rest", "server/revision", "server/auth", "server/access", "server/cache", "server/adaptive", "server/align", "server/budgets", "server/content", "server/listen", "server/merge", "server/rules", "client/api/markdown", "store", "store/*", "client/api"},
	"server/domains":                 {"server/rest", "server/auth", "server/access", "server/adaptive", "server/budgets", "server/listen", "store", "store/*", "client/api"},
	"server/cache":                   {"store", "store/*", "client/api"},
	"server/cache/cachetest":         {},
	"server/export/exporttest":       {},
	"server/access":                  {"server/adaptive", "store", "store/*", "client/api"},
	"server/auth":                    {"server/access", "server/adaptive", "server/budgets", "server/listen", "store", "store/*", "client/api"},
	"server/revision":                {"server/rest", "server/auth", "server/access", "server/cache", "server/adaptive", "server/align", "server/budgets", "server/content", "server/listen", "server/merge", "client/api/markdown", "store", "store/*", "client/api"},
	"server/rest":                    {"server/auth", "server/access", "server/adaptive", "server/budgets", "server/listen", "store", "store/*", "client/api"},
	"server/budgets":                 {},
	"client/api/markdown":            {},
	"client/api/markdown/hostile":    {},
	"server/listen":                  {"server/budgets", "client/api"},
	"server/rules":                   {},
	"server/align":                   {},
	"server/documents/documentstest": {},
	"server/writeback":               {"server/documents", "server/align", "server/content", "client/api", "client/api/markdown"},
	"server/documents":               {"server/align", "server/content", "client/api", "client/api/markdown"},
	"server/content":                 {"server/align", "client/api", "client/api/markdown"},
	"server/search":                  {},
	"server/adaptive":                {},
	"server/diff":                    {"client/api/markdown", "server/align", "server/content", "client/api"},
	"server/merge":                   {"client/api/markdown", "server/align", "server/content", "client/api"},
	"server/fetch":                   {"client/api"},
	"server/spec":                    {"client/api/markdown", "server/align", "server/content", "client/api"},
	"server/split":                   {"server/importer", "client/api/markdown", "server/align", "server/content", "server/fetch", "client/api"},
	"server/importer":                {"client/api/markdown", "server/align", "server/content", "server/fetch", "client/api"},
	"server/export":                  {"client/api/markdown", "server/align", "server/content", "client/api"},
	"server/demo":                    {"client/api/markdown", "server", "server/*", "store", "store/*", "client/api"},
	"store/redis":                    {},
	"store/objects":                  {"store/redis"},
	"store/sortkey":                  {"store/redis"},
	"store/cursors":                  {},
	"store/feed":                     {"store/redis"},
	"store/txn":                      {"store/redis", "store/objects", "store/feed", "store/sortkey"},
	"store/jobs":                     {"store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn"},
	"store/postings":                 {"store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn"},
	"store":                          {"store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn", "store/jobs", "store/postings", "client/api"},
	"store/owned":                    {"store", "store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn", "store/jobs", "store/postings", "client/api"},
	"store/usage":                    {"store", "store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn", "store/jobs", "store/postings", "store/owned", "client/api"},
	"store/transfers":                {"store", "store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn", "store/jobs", "store/postings", "store/owned", "client/api"},
	"store/fsck":                     {"store", "store/redis", "store/objects", "store/feed", "store/sortkey", "store/txn", "store/jobs", "store/postings", "store/owned", "store/usage", "client/api"},
	"store/storetest":                {"store", "store/*", "client/api"},
	"e2e":                            {},
	"e2e/terminal":                   {},
}

// foreign lists imports that a package must not write down itself.
var foreign = map[string][]string{
	"server/align":     {"net", "net/http", "os"},
	"server/content":   {"net", "net/http", "os"},
	"server/documents": {"net", "net/http", "os"},
	"server/writeback": {"net", "net/http", "os"},
	"tui":              {"net/http"},
	"tui/remote":       {"net/http"},
	"tui/screens":      {"net/http", "os"},
	"tui/authoring":    {"net/http", "os"},
	"tui/merging":      {"net/http", "os"},
	"tui/threads":      {"net/http", "os"},
	"tui/page":         {"net/http", "os"},
	"tui/components":   {"net/http", "os", "docspace.dev/wsd/client/api"},
	"tui/changes":      {"net/http", "os", "github.com/charmbracelet/bubbletea"},
}

// The hard limits. The soft ones, 400 lines a file, 40 a function and 4,000 a room, are for review.
const (
	maxRoomLines     = 4500
	maxFileLines     = 500
	maxFunctionLines = 80
	maxGinFiles      = 1
)

const gin = "github.com/gin-gonic/gin"

// topLevel is everything that may stand in the root directory, beside what .gitignore names and hidden directories.
var topLevel = []string{
	".ci", ".dockerignore", ".gitattributes", ".gitignore", ".golangci.yml", "CHANGELOG.md", "CONTRIBUTING.md", "Dockerfile", "LICENSE",
	"Makefile", "README.md", "SECURITY.md", "client", "cmd", "compose.yaml", "docs", "e2e", "go.mod", "go.sum", "server", "store", "tui",
}

type goPackage struct {
	ImportPath string   `json:"ImportPath"`
	Imports    []string `json:"Imports"`
	Deps       []string `json:"Deps"`
}

func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, module+"/") }

func TestImportArrows(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		allowed, known := layers[p.name()]
		if !known {
			t.Errorf("%s has no place in the table of layers", p.ImportPath)
			continue
		}
		for _, dep := range p.Deps {
			inner, ours := strings.CutPrefix(dep, module+"/")
			if ours && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, inner) }) {
				t.Errorf("%s must not import %s, directly or through others", p.name(), inner)
			}
		}
		for _, imported := range p.Imports {
			if slices.Contains(foreign[p.name()], imported) {
				t.Errorf("%s must not import %s", p.name(), imported)
			}
		}
	}
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

func TestContractImportsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	for _, p := range packages(t) {
		if p.name() != "client/api" {
			continue
		}
		for _, dep := range p.Deps {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") && dep != p.ImportPath {
				t.Errorf("client/api imports %s", dep)
			}
		}
	}
}

func TestGinStaysInOneFile(t *testing.T) {
	t.Parallel()
	var users []string
	for _, f := range sourceFiles(t) {
		if f.imports(gin) {
			users = append(users, f.path)
			if path.Dir(f.path) != "server" {
				t.Errorf("%s imports gin; only files of package server may", f.path)
			}
		}
	}
	if len(users) > maxGinFiles {
		t.Errorf("gin is imported by %d files, %d may: %s", len(users), maxGinFiles, strings.Join(users, ", "))
	}
}

// ofAnySize are the rooms that may be large: plain types, of which all of the interface is.
var ofAnySize = []string{"client/api"}

func TestSizes(t *testing.T) {
	t.Parallel()
	rooms := map[string]int{}
	for _, f := range sourceFiles(t) {
		n := f.set.File(f.syntax.FileStart).LineCount()
		if n > maxFileLines {
			t.Errorf("%s has %d lines, at most %d", f.path, n, maxFileLines)
		}
		rooms[path.Dir(f.path)] += n
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d", f.path, fn.Name.Name, n, maxFunctionLines)
			}
		}
	}
	for room, n := range rooms {
		if n > maxRoomLines && !slices.Contains(ofAnySize, room) {
			t.Errorf("the room %s has %d lines, at most %d: split it along what it does", room, n, maxRoomLines)
		}
	}
}

// What a batch decodes may be corrupt, and its error is the only one to say so: nobody drops it.
func TestErrorsOfFuturesAreKept(t *testing.T) {
	t.Parallel()
	for _, f := range sourceFiles(t) {
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			assigned, ok := n.(*ast.AssignStmt)
			if !ok || len(assigned.Lhs) != 3 || len(assigned.Rhs) != 1 || !isCallOf(assigned.Rhs[0], "Get") {
				return true
			}
			if name, ok := assigned.Lhs[2].(*ast.Ident); ok && name.Name == "_" {
				t.Errorf("%s:%d drops the error of what was read", f.path, f.line(assigned.Pos()))
			}
			return true
		})
	}
}

// isCallOf reports whether an expression calls a method of the name, without arguments.
func isCallOf(expression ast.Expr, method string) bool {
	call, ok := expression.(*ast.CallExpr)
	if !ok || len(call.Args) != 0 {
		return false
	}
	selector, ok := call.Fun.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == method
}

func TestOnePackageCommentPerPackage(t *testing.T) {
	t.Parallel()
	commented := map[string][]string{}
	for _, f := range sourceFiles(t) {
		dir := path.Dir(f.path)
		if f.syntax.Doc != nil {
			commented[dir] = append(commented[dir], f.path)
		} else if _, seen := commented[dir]; !seen {
			commented[dir] = nil
		}
	}
	for dir, files := range commented {
		if len(files) != 1 {
			t.Errorf("package %s has its comment in %d files %v, want one", dir, len(files), files)
		}
	}
}

func TestLayoutOfTheRoot(t *testing.T) {
	t.Parallel()
	entries, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := filepath.Base(entry)
		if !slices.Contains(topLevel, name) && !ignored(name) {
			t.Errorf("%s does not belong into the root directory", name)
		}
	}
}

// ignored reports what .gitignore keeps out of the repository.
func ignored(name string) bool {
	for _, pattern := range []string{"bin", "dist", "*.test", "*.out", "coverage.*"} {
		if matches(pattern, name) {
			return true
		}
	}
	return strings.HasPrefix(name, ".")
}

// packages lists the packages of the module with their non-test imports.
func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var list []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
}

// sourceFile is a parsed Go file that is not a test.
type sourceFile struct {
	path   string // from the root, with slashes
	set    *token.FileSet
	syntax *ast.File
}

func (f sourceFile) line(p token.Pos) int { return f.set.Position(p).Line }

func (f sourceFile) imports(name string) bool {
	return slices.ContainsFunc(f.syntax.Imports, func(s *ast.ImportSpec) bool {
		imported := strings.Trim(s.Path.Value, `"`)
		return imported == name || strings.HasPrefix(imported, name+"/")
	})
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := entry.Name(); base == "testdata" || name != root && strings.HasPrefix(base, ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		syntax, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, name)
		files = append(files, sourceFile{filepath.ToSlash(relative), set, syntax})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no source files found")
	}
	return files
}
