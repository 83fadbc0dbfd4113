package pack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/dialects"
)

// Folder is a folder whose files have been listed and read once.
type Folder struct {
	name    string // as it was given
	root    string // without symbolic links
	files   []*file
	skipped []string
	size    int64 // of the archive
}

// file is a file of a folder.
type file struct {
	path string // relative to the root, with slashes
	size int64
	sum  uint32 // CRC-32 of what was read
}

// Read lists the files of a folder, reads them, and returns an error if there are none. It returns an *api.Error with a field for each
// file that cannot be read or is too large for an import, and an *fs.PathError if the folder cannot be opened.
func Read(name string) (*Folder, error) {
	root, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the path
	}
	f := &Folder{name: name, root: root}
	if err := f.list(); err != nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return nil, &api.Error{Reason: "client", Message: name + " has no files to import"}
	}
	if err := f.checkLimits(); err != nil {
		return nil, err
	}
	return f, f.measure()
}

// Files returns the number of files.
func (f *Folder) Files() int { return len(f.files) }

// Pages returns the number of Markdown files.
func (f *Folder) Pages() (n int) {
	for _, each := range f.files {
		if ext := strings.ToLower(path.Ext(each.path)); ext == ".md" || ext == ".markdown" {
			n++
		}
	}
	return n
}

// Size returns the size of the archive in bytes.
func (f *Folder) Size() int64 { return f.size }

// Skipped returns a line for each link and special file that is not in the archive.
func (f *Folder) Skipped() []string { return f.skipped }

// list finds the files in the order of their paths.
func (f *Folder) list() error {
	ignored, err := NewIgnored(f.root)
	if err != nil {
		return err
	}
	var unreadable []api.FieldError
	err = filepath.WalkDir(f.root, func(at string, entry fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(f.root, at)
		if relErr != nil {
			return relErr
		}
		name = filepath.ToSlash(name)
		switch {
		case name == "." && err != nil:
			return err
		case err != nil:
			unreadable = append(unreadable, unreadableField(name, err))
			return nil
		case name != "." && (IsHidden(name) || ignored.Has(name, entry.IsDir())):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if err := ignored.Read(name); err != nil {
				unreadable = append(unreadable, unreadableField(path.Join(name, ignoreFile), err))
			}
			return nil
		}
		return f.add(name, entry, ignored)
	})
	if err != nil {
		return err //nolint:wrapcheck // it names the path
	}
	slices.SortFunc(f.files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	return unreadableError(f.name, unreadable)
}

// add adds a file. Links are followed within the folder, to files alone.
func (f *Folder) add(name string, entry fs.DirEntry, ignored *Ignored) error {
	if entry.Type()&fs.ModeSymlink != 0 {
		target, why := f.linkTarget(name)
		switch {
		case why != "":
			f.skipped = append(f.skipped, name+": "+why)
			return nil
		case IsHidden(target) || ignored.Has(target, false):
			return nil
		}
	}
	info, err := os.Stat(filepath.Join(f.root, filepath.FromSlash(name)))
	switch {
	case err != nil && errors.Is(err, fs.ErrNotExist): // removed since it was listed
		return nil
	case err != nil:
		return err //nolint:wrapcheck // it names the path
	case !info.Mode().IsRegular():
		f.skipped = append(f.skipped, name+": is neither a file nor a folder")
		return nil
	}
	f.files = append(f.files, &file{path: name, size: info.Size()})
	return nil
}

// linkTarget returns the path of the target of a symbolic link, relative to the root. why says why the link is not followed.
func (f *Folder) linkTarget(name string) (target, why string) {
	at, err := filepath.EvalSymlinks(filepath.Join(f.root, filepath.FromSlash(name)))
	if err != nil {
		return "", "is a link that leads nowhere"
	}
	target, err = filepath.Rel(f.root, at)
	if err != nil || !filepath.IsLocal(target) {
		return "", "is a link out of the folder"
	}
	if info, err := os.Stat(at); err != nil || info.IsDir() {
		return "", "is a link to a folder"
	}
	return filepath.ToSlash(target), ""
}

// IsHidden reports whether a path has an element that is never sent: a dot file or folder, except .gitbook, node_modules, or a file of
// wsctl itself.
func IsHidden(name string) bool {
	for element := range strings.SplitSeq(name, "/") {
		if element == "node_modules" || strings.HasPrefix(element, ".") && element != ".gitbook" || dialects.IsReserved(element) {
			return true
		}
	}
	return false
}

// checkLimits returns an error that names all files that are too large, or says that there are too many.
func (f *Folder) checkLimits() error {
	var large []api.FieldError
	var total int64
	for _, each := range f.files {
		total += each.size
		if each.size > api.MaxImportDocument {
			large = append(large, api.FieldError{Path: each.path, Message: fmt.Sprintf("has %s", mebibytes(each.size))})
		}
	}
	problem := &api.Error{Reason: "client", Message: "nothing was sent: ", Fields: large}
	switch {
	case len(large) > 0:
		problem.Message += fmt.Sprintf("a file of an import has at most %s", mebibytes(api.MaxImportDocument))
		problem.Hint = "make them smaller, or name them in " + ignoreFile
	case len(f.files) > api.MaxImportFiles:
		problem.Message += fmt.Sprintf("%s has %d files; an import has at most %d", f.name, len(f.files), api.MaxImportFiles)
	case f.Pages() > api.MaxImportPages:
		problem.Message += fmt.Sprintf("%s has %d pages; an import has at most %d", f.name, f.Pages(), api.MaxImportPages)
	case total > api.MaxImportTotal:
		problem.Message += fmt.Sprintf("%s has files of %s; an import has at most %s", f.name, mebibytes(total),
			mebibytes(api.MaxImportTotal))
	default:
		return nil
	}
	return problem
}

// mebibytes returns a size in MiB, rounded up to one digit.
func mebibytes(bytes int64) string {
	const tenth = (1 << 20) / 10
	n := (bytes + tenth - 1) / tenth
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d.%d MiB", n/10, n%10)
}

func unreadableField(name string, err error) api.FieldError {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		err = failed.Err
	}
	return api.FieldError{Path: name, Message: "cannot be read: " + err.Error()}
}

// unreadableError returns the error for files that cannot be read, or nil if there are none.
func unreadableError(name string, files []api.FieldError) error {
	if len(files) == 0 {
		return nil
	}
	return &api.Error{Reason: "client", Message: "nothing was sent: not all of " + name + " can be read", Fields: files}
}
