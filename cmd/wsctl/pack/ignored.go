package pack

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// ignoreFile is the name of the files that say what git ignores.
const ignoreFile = ".gitignore"

// Ignored is the set of the patterns of the .gitignore files that apply to a folder: those in it, and those above it up to the root
// of its git repository.
type Ignored struct {
	root     string
	domain   []string // elements of the path of the folder in its repository
	patterns []gitignore.Pattern
}

// NewIgnored reads the .gitignore files above a folder. If they name the folder itself, they do not apply, because it was named.
func NewIgnored(root string) (*Ignored, error) {
	whole, err := filepath.Abs(root)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the path
	}
	above := &Ignored{root: whole}
	top := repositoryOf(whole)
	if top == "" {
		return above, nil
	}
	relative, err := filepath.Rel(top, whole)
	if err != nil || relative == "." {
		return above, nil //nolint:nilerr // they are on different drives
	}
	above.domain = strings.Split(filepath.ToSlash(relative), "/")
	for n := range above.domain {
		at := above.domain[:n]
		if err := above.readFile(filepath.Join(top, filepath.Join(at...)), at); err != nil {
			return nil, err
		}
	}
	if above.Has(".", true) {
		return &Ignored{root: whole}, nil
	}
	return above, nil
}

// repositoryOf returns the root of the git repository that a folder is in, or "".
func repositoryOf(folder string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return ""
		}
	}
}

// Read reads the .gitignore of a folder below the root, if it has one.
func (i *Ignored) Read(name string) error {
	return i.readFile(filepath.Join(i.root, filepath.FromSlash(name)), i.elements(name))
}

// readFile adds the patterns in the .gitignore of a folder, which apply below the given path in the repository.
func (i *Ignored) readFile(folder string, domain []string) error {
	data, err := os.ReadFile(filepath.Join(folder, ignoreFile)) //nolint:gosec // in the folder that the caller names
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err //nolint:wrapcheck // it names the path
	}
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		text := strings.TrimRight(string(line), "\r\n")
		if strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "#") {
			i.patterns = append(i.patterns, gitignore.ParsePattern(text, domain))
		}
	}
	return nil
}

// Add adds patterns, in the form of .gitignore, that apply to the whole folder.
func (i *Ignored) Add(patterns ...string) {
	for _, text := range patterns {
		i.patterns = append(i.patterns, gitignore.ParsePattern(text, i.domain))
	}
}

// Matches reports whether a path relative to the root of a folder, or a directory above it, matches a pattern in the form of
// .gitignore.
func Matches(pattern, name string) bool {
	return gitignore.ParsePattern(pattern, nil).Match(strings.Split(name, "/"), false) == gitignore.Exclude
}

// Has reports whether git ignores a path below the root.
func (i *Ignored) Has(name string, isDir bool) bool {
	return gitignore.NewMatcher(i.patterns).Match(i.elements(name), isDir)
}

// elements returns the elements of a path below the root, from the root of the repository.
func (i *Ignored) elements(name string) []string {
	elements := append([]string{}, i.domain...)
	if name != "." {
		elements = append(elements, strings.Split(name, "/")...)
	}
	return elements
}
