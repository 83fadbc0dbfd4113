package folder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// gitState is the state of the git repository that a folder is in.
type gitState struct {
	dir    string
	Branch string // "" if none is checked out
	Commit string // "" without a repository or a commit
	Dirty  bool   // there are changes below the folder that the commit does not have

	AutoCRLF bool // texts are checked out with lines that end with CRLF
}

// readGit returns the state of the repository of dir. It is empty without git, and outside of repositories.
func readGit(ctx context.Context, dir string) gitState {
	g := gitState{dir: dir}
	if _, err := g.run(ctx, "rev-parse", "--is-inside-work-tree"); err != nil {
		return g
	}
	converts, _ := g.run(ctx, "config", "--get", "core.autocrlf") // not set is an error
	g.AutoCRLF = converts == "true"
	commit, err := g.run(ctx, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return g
	}
	g.Commit = commit
	if branch, err := g.run(ctx, "symbolic-ref", "--short", "-q", "HEAD"); err == nil {
		g.Branch = branch
	}
	changes, err := g.run(ctx, "status", "--porcelain", "--untracked-files=all", "--", ".")
	for line := range strings.Lines(changes) {
		if !strings.HasSuffix(strings.TrimSpace(line), configName) {
			g.Dirty = true
		}
	}
	g.Dirty = g.Dirty || err != nil
	return g
}

func (g gitState) run(ctx context.Context, args ...string) (string, error) {
	return g.runWith(ctx, nil, args...)
}

// runWith runs git with data as standard input.
func (g gitState) runWith(ctx context.Context, data []byte, args ...string) (string, error) {
	out, err := g.output(ctx, data, args...)
	return strings.TrimSpace(string(out)), err
}

// output runs git with data as standard input and returns what it writes, unchanged.
func (g gitState) output(ctx context.Context, data []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...) //nolint:gosec // fixed arguments and commits
	cmd.Dir = g.dir
	cmd.Stdin = bytes.NewReader(data)
	return cmd.Output()
}

// object returns the content with an id.
func (g gitState) object(ctx context.Context, id string) ([]byte, error) {
	data, err := g.output(ctx, nil, "cat-file", "blob", id)
	if err != nil {
		return nil, fmt.Errorf("git cat-file %s: %w", id, err)
	}
	return data, nil
}

// source returns the source of a revision that is pushed. isPart tells that the revision lacks changes of the commit.
func (g gitState) source(name string, isPart bool) *api.RevisionSource {
	s := &api.RevisionSource{Name: name, Branch: api.Shorten(g.Branch, 250), Commit: g.Commit}
	s.Dirty = g.Commit != "" && (g.Dirty || isPart)
	return s
}

// isAncestor reports whether a commit is HEAD or an ancestor of HEAD. It returns an error that names the command that helps if the
// clone is too shallow to tell.
func (g gitState) isAncestor(ctx context.Context, commit string) (bool, error) {
	return g.contains(ctx, commit, "HEAD")
}

// contains reports whether a commit is descendant or an ancestor of it.
func (g gitState) contains(ctx context.Context, commit, descendant string) (bool, error) {
	_, err := g.run(ctx, "merge-base", "--is-ancestor", commit, descendant)
	if err == nil {
		return true, nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 && !g.isShallow(ctx) {
		return false, nil
	}
	if g.isShallow(ctx) {
		return false, &app.ConflictError{
			Message: fmt.Sprintf("this clone is too shallow to tell whether it has the commit %.12s, which was pushed before", commit),
			Hint:    "git fetch --unshallow",
		}
	}
	return false, nil // the repository does not have it
}

// contents returns the ids of the contents that each file below root had in the commits after since, up to HEAD, in their order, by path
// relative to root. With "" for since, those of all commits.
func (g gitState) contents(ctx context.Context, since, root string) (map[string][]string, error) {
	commits := "HEAD"
	if since != "" {
		commits = since + "..HEAD"
	}
	list, err := g.run(ctx, "log", "--reverse", "--topo-order", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "-z",
		"--relative", commits)
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	contents := map[string][]string{}
	fields := strings.Split(list, "\x00")
	for i := 0; i+1 < len(fields); i += 2 { // as in ":100644 100644 OLD NEW M" and the path
		change := strings.Fields(fields[i])
		at, isBelow := strings.CutPrefix(fields[i+1], root+"/")
		if root == "." {
			at, isBelow = fields[i+1], true
		}
		if isBelow && len(change) == 5 {
			contents[at] = append(contents[at], change[3])
		}
	}
	return contents, nil
}

// contentAt returns the content that a file of the folder had in a commit, by path relative to the directory of the state. exists is
// false if it had none.
func (g gitState) contentAt(ctx context.Context, commit, path string) (data []byte, exists bool, err error) {
	data, err = g.output(ctx, nil, "cat-file", "blob", commit+":./"+path)
	if _, isMissing := errors.AsType[*exec.ExitError](err); isMissing {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("git cat-file: %w", err)
	}
	return data, true, nil
}

// changedSince returns the paths of the files below root that are not as in a commit, relative to root.
func (g gitState) changedSince(ctx context.Context, commit, root string) (map[string]bool, error) {
	list, err := g.run(ctx, "diff", "--name-only", "--no-renames", "-z", "--relative", commit, "--", root)
	if err != nil {
		return nil, fmt.Errorf("git diff: %w", err)
	}
	return relativePaths(list, root), nil
}

// paths returns the paths of the files below root in a commit, relative to root.
func (g gitState) paths(ctx context.Context, commit, root string) (map[string]bool, error) {
	list, err := g.run(ctx, "ls-tree", "-r", "--name-only", "-z", commit, "--", root)
	if err != nil {
		return nil, fmt.Errorf("git ls-tree: %w", err)
	}
	return relativePaths(list, root), nil
}

// relativePaths returns the paths below root of a list with zero bytes between them, relative to root.
func relativePaths(list, root string) map[string]bool {
	paths := map[string]bool{}
	for name := range strings.SplitSeq(list, "\x00") {
		if at, isBelow := strings.CutPrefix(name, root+"/"); isBelow {
			paths[at] = true
		} else if root == "." && name != "" {
			paths[name] = true
		}
	}
	return paths
}

// objectOf returns the id of the object with the content data.
func (g gitState) objectOf(ctx context.Context, data []byte) (string, error) {
	id, err := g.runWith(ctx, data, "hash-object", "--stdin")
	if err != nil {
		return "", fmt.Errorf("git hash-object: %w", err)
	}
	return id, nil
}

func (g gitState) isShallow(ctx context.Context) bool {
	shallow, err := g.run(ctx, "rev-parse", "--is-shallow-repository")
	return err == nil && shallow == "true"
}
