package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"docspace.dev/wsd/cmd/wsctl/pack"
	"docspace.dev/wsd/server/text/dialects"
)

// File is a file of a folder.
type File struct {
	Path   string
	Size   int64
	Time   time.Time
	SHA256 string
}

// Scan is the content of a folder: the files that belong to the space.
type Scan struct {
	Files   map[string]File // by path
	Skipped []Skipped       // in the order of the directories
}

// Skipped is a file that is not sent.
type Skipped struct {
	Path, Reason string
	IsIrregular  bool // a symbolic link or no regular file, rather than an invalid path
}

// String returns the path and the reason.
func (s Skipped) String() string { return s.Path + " " + s.Reason }

// recentFile is the age below which the size and the time of a file do not prove that its bytes are those that were read: clocks of
// file systems are coarse.
const recentFile = 2 * time.Second

// Scan reads the files below the root, other than those that are ignored. Files with the size and time of their entry of the state
// are not read. It follows no symbolic links.
func (f *Folder) Scan(now time.Time) (Scan, error) {
	known := map[string]Entry{}
	if f.State != nil {
		for _, e := range f.State.Entries {
			known[cmp.Or(e.LocalPath, e.Path)] = e
		}
	}
	s := Scan{Files: map[string]File{}}
	ignored, err := pack.NewIgnored(filepath.Join(f.dir, filepath.FromSlash(f.Config.root())))
	if err != nil {
		return s, fmt.Errorf("read %s: %w", f.dir, err)
	}
	ignored.Add(f.Config.Ignore...)
	err = fs.WalkDir(f.root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if at != "." && (isOwn(at) || known[at].SHA256 == "" && ignored.Has(at, d.IsDir())) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return ignored.Read(at)
		}
		reason, irregular := dialects.InvalidPathReason(at), !d.Type().IsRegular()
		if reason == "" && irregular {
			reason = "is a symbolic link or no regular file"
		}
		if reason != "" {
			s.Skipped = append(s.Skipped, Skipped{at, reason, irregular})
			return nil
		}
		file, err := f.scanFile(at, known[at], now)
		s.Files[at] = file
		return err
	})
	if err != nil {
		return s, fmt.Errorf("read %s: %w", f.dir, err)
	}
	return s, nil
}

func (f *Folder) scanFile(at string, known Entry, now time.Time) (File, error) {
	info, err := f.root.Lstat(at)
	if err != nil {
		return File{}, err
	}
	file := File{Path: at, Size: info.Size(), Time: info.ModTime()}
	if known.SHA256 != "" && known.FileSize == file.Size && known.FileTime.Equal(file.Time) && now.Sub(file.Time) > recentFile {
		file.SHA256 = known.SHA256
		return file, nil
	}
	data, err := f.readRaw(at)
	if f.converted[at] = f.isConverted(at, known, data); f.converted[at] {
		data = toLF(data)
		file.Size = int64(len(data))
	}
	file.SHA256 = hashOf(data)
	return file, err
}

// Read returns the bytes of a file below the root, those of a text whose lines end with CRLF here only with LF. A symbolic link is an
// error.
func (f *Folder) Read(at string) ([]byte, error) {
	data, err := f.readRaw(at)
	if f.converted[at] && hasCRLF(data) {
		data = toLF(data)
	}
	return data, err
}

func (f *Folder) readRaw(at string) ([]byte, error) { return readIn(f.root, at) }

// readIn returns the bytes of a file. A symbolic link is an error.
func readIn(in *os.Root, at string) ([]byte, error) {
	if err := checkParents(in, at); err != nil {
		return nil, err
	}
	data, err := in.ReadFile(at)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", at, err)
	}
	return data, nil
}

// exists reports whether there is something at a path below the root.
func (f *Folder) exists(at string) bool {
	_, err := f.root.Lstat(at)
	return !errors.Is(err, fs.ErrNotExist)
}

// isOwn reports whether a path is not part of the content, whatever is ignored: hidden files, and those of wsctl.
func isOwn(at string) bool { return pack.IsHidden(at) }

// isText reports whether a file is a text that is merged: a page, SUMMARY.md or a reusable content.
func isText(at string) bool { return dialects.IsMarkdown(at) }

// note gives an entry the size and the time of its file, if the bytes of the file are those of the entry.
func (f *Folder) noteTimes(entries []Entry) {
	for i, e := range entries {
		info, err := f.root.Lstat(e.Path)
		if err != nil || !info.Mode().IsRegular() || info.Size() != int64(e.Size) {
			continue
		}
		if e.FileSize == info.Size() && e.FileTime.Equal(info.ModTime()) {
			continue
		}
		if data, err := f.root.ReadFile(e.Path); err == nil && hashOf(data) == e.SHA256 {
			entries[i].FileSize, entries[i].FileTime = info.Size(), info.ModTime()
		}
	}
}
