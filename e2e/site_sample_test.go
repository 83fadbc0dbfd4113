package e2e

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// minSample is the minimum number of pages of a sample.
const minSample = 50

// sample returns the site reduced to a percentage of its pages, their ancestors, and all other files. References to
// omitted pages are removed.
func (s site) sample(t *testing.T, percent int, seed uint64) site {
	t.Helper()
	if percent >= 100 {
		return s
	}
	var pages, others []string
	err := fs.WalkDir(os.DirFS(s.dir), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case path.Ext(file) == ".html" || path.Ext(file) == ".htm":
			pages = append(pages, file)
		default:
			others = append(others, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < minSample {
		return s
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(pages))))
	random.Shuffle(len(pages), func(i, j int) { pages[i], pages[j] = pages[j], pages[i] })
	chosen := map[string]bool{}
	for _, page := range append([]string{s.start, s.contents}, pages[:max(minSample, len(pages)*percent/100)]...) {
		for file := page; file != "" && !chosen[file]; {
			chosen[file] = true
			above, _ := s.read(t, file)
			file = above.parent
		}
	}
	part := s
	part.dir, part.minPages = t.TempDir(), len(chosen)/4 // some pages are only reachable through others
	for _, file := range others {
		createBelow(t, part.dir, file, func(to string) error { return os.Symlink(filepath.Join(s.dir, filepath.FromSlash(file)), to) })
	}
	for file := range chosen {
		data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		createBelow(t, part.dir, file, func(to string) error { return os.WriteFile(to, withoutReferences(file, data, chosen), 0o600) })
	}
	t.Logf("%d of %d pages", len(chosen), len(pages))
	return part
}

// createBelow creates the directory of a file below dir and calls make with the path of the file.
func createBelow(t *testing.T, dir, file string, make func(to string) error) {
	t.Helper()
	to := filepath.Join(dir, filepath.FromSlash(file))
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), make(to)); err != nil {
		t.Fatal(err)
	}
}

var reference = regexp.MustCompile(`href=["'][^"'#]*\.html`)

// withoutReferences returns a page without references to omitted pages.
func withoutReferences(file string, data []byte, chosen map[string]bool) []byte {
	return reference.ReplaceAllFunc(data, func(found []byte) []byte {
		target := string(found[len(`href="`):])
		if strings.Contains(target, "://") || chosen[path.Join(path.Dir(file), target)] {
			return found
		}
		return []byte("data-" + string(found))
	})
}
