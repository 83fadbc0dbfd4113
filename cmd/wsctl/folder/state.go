package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
)

// Paths in a folder, relative to the directory of wsctl.yaml.
const (
	configName  = "wsctl.yaml"
	dataName    = ".wsctl"
	stateName   = dataName + "/state.json"
	journalName = dataName + "/journal.json"
	lockName    = dataName + "/lock"
	baseName    = dataName + "/base"
)

// stateVersion is the version of the form of state.json.
const stateVersion = 1

// State describes the content that a folder was last pulled from or pushed to.
type State struct {
	Version  int                `json:"version"`
	Space    string             `json:"space"`
	Title    string             `json:"title"`
	Revision string             `json:"revision"` // of the space, on which the folder is based
	Number   int                `json:"number"`   // of Revision
	Request  *Request           `json:"request,omitzero"`
	Creation *Creation          `json:"creation,omitzero"` // of the request that an unfinished push makes or has made, nil for none
	Commit   string             `json:"commit,omitzero"`   // from which the folder was pushed last
	Entries  []Entry            `json:"entries"`           // sorted by path
	Pages    []api.ExportedPage `json:"pages"`

	// Moved are the paths of files whose moves were pushed, by their paths before. Links may still lead there.
	Moved map[string]string `json:"moved,omitempty"`
	// Missing are the keys of entries that the folder did not have when its state was restored: nothing tells that they were deleted.
	Missing []string `json:"missing,omitempty"`
}

// Request is the change request that a folder is pushed to.
type Request struct {
	Number     int    `json:"number"`
	Revision   string `json:"revision"`            // of the request, whose content the entries of the state are
	Unfinished bool   `json:"unfinished,omitzero"` // a push to it was interrupted
	Pulled     bool   `json:"pulled,omitzero"`     // the folder was pulled from it
	// IsMerged is set if the entries of the state are those of the space, and the files have the changes of the request, because
	// the space and the request are in conflict. The next push takes the content of the space into the request.
	IsMerged bool `json:"merged,omitzero"`
}

// Creation is the creation of a change request. It is saved before the request is made, so that a push that is interrupted makes
// one only.
type Creation struct {
	Key     string `json:"key"` // Idempotency-Key
	Subject string `json:"subject"`
}

// Entry is a file of the folder as it is in the space.
type Entry struct {
	api.ExportEntry

	// Size and time of the file in the folder when its bytes last were those of the entry. A file with the same is not read.
	FileSize int64     `json:"fileSize,omitzero"`
	FileTime time.Time `json:"fileTime,omitzero"`
	// LocalPath is where the folder has the file, if it was moved here and not pushed since.
	LocalPath string `json:"localPath,omitzero"`
	// IsStale is set if the file was left alone by a pull, so that the next one merges it again.
	IsStale bool `json:"stale,omitzero"`
	// IsUndecided is set if the file was changed here and changed or deleted in the space, and marks in it cannot show both.
	IsUndecided bool `json:"undecided,omitzero"`
	// IsUnknown is set if the text of the file is based on no known text of the space.
	IsUnknown bool `json:"unknown,omitzero"`
	// Rebased is the hash of the text that a push sends in the place of the file, "" for the file: a base text has it.
	Rebased string `json:"rebased,omitzero"`
}

// Key identifies an entry whatever its path: its first id, or its kind for SUMMARY.md.
func (e Entry) Key() string {
	if len(e.IDs) > 0 {
		return e.IDs[0]
	}
	return string(e.Kind)
}

// Entry returns the entry at a path.
func (s *State) Entry(at string) (Entry, bool) {
	i := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.Path == at })
	if i < 0 {
		return Entry{}, false
	}
	return s.Entries[i], true
}

// hashOf returns the SHA-256 of data in hexadecimal.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Folder is an open folder. One process at a time has it open.
type Folder struct {
	Config Config
	State  *State // nil for a folder that was never pulled or pushed

	dir  string   // directory of wsctl.yaml
	top  *os.Root // of dir
	root *os.Root // of the content
	lock *os.File

	isAutoCRLF bool            // git converts the lines of texts to end with CRLF here
	converted  map[string]bool // paths of the texts whose lines end with CRLF here only, of the last scan

	beforeChange func() // called before each change of a file or directory, for tests; nil for none
}

// Open opens the folder at dir, whose configuration may be missing, and completes a pull that was interrupted. It returns an
// error if another process has it open.
func Open(dir string, config Config) (*Folder, error) {
	f, err := openRoots(dir, config)
	if err != nil {
		return nil, err
	}
	if err := f.load(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openToRead is like Open but writes nothing: it takes no lock, and does not complete a pull that was interrupted.
func openToRead(dir string, config Config) (*Folder, error) {
	f, err := openRoots(dir, config)
	if err != nil {
		return nil, err
	}
	if err := f.loadState(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func openRoots(dir string, config Config) (*Folder, error) {
	top, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	f := &Folder{Config: config, dir: dir, top: top, converted: map[string]bool{}}
	if f.root, err = top.OpenRoot(config.root()); err != nil {
		_ = top.Close() // the error is reported
		return nil, fmt.Errorf("open %s of %s: %w", config.root(), dir, err)
	}
	return f, nil
}

func (f *Folder) load() error {
	if err := f.takeLock(); err != nil {
		return err
	}
	if err := f.loadState(); err != nil { // none if the first pull was interrupted
		return err
	}
	return f.finishJournal()
}

// loadState reads the state, if there is one.
func (f *Folder) loadState() error {
	data, err := f.top.ReadFile(stateName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", stateName, err)
	}
	var s State
	if err := json.Unmarshal(data, &s); err != nil || s.Version != stateVersion {
		return fmt.Errorf("%s cannot be read; remove %s, and pull again", stateName, dataName)
	}
	f.State = &s
	return nil
}

// Close closes the folder.
func (f *Folder) Close() {
	if f.lock != nil {
		f.releaseLock()
	}
	if f.root != nil {
		_ = f.root.Close() // only read from
	}
	_ = f.top.Close() // only read from
}

// makeData creates the directory of the data of wsctl, which git ignores, and takes the lock of a folder that had none.
func (f *Folder) makeData() error {
	f.callBeforeChange()
	if err := f.top.MkdirAll(baseName, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", baseName, err)
	}
	if f.lock == nil {
		if err := f.takeLock(); err != nil {
			return err
		}
	}
	ignore := dataName + "/.gitignore"
	if _, err := f.top.Lstat(ignore); err == nil {
		return nil
	}
	return f.write(f.top, ignore, []byte("*\n"))
}

// saveState writes the state and removes the base texts that it does not name.
func (f *Folder) saveState() error {
	if err := f.writeState(); err != nil {
		return err
	}
	return f.dropUnusedTexts()
}

func (f *Folder) writeState() error {
	if err := f.makeData(); err != nil {
		return err
	}
	f.State.Version = stateVersion
	slices.SortFunc(f.State.Entries, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	data, err := json.MarshalIndent(f.State, "", " ")
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return f.write(f.top, stateName, append(data, '\n'))
}

// base returns the text that an entry is based on, or false if it is not kept.
func (f *Folder) base(e Entry) ([]byte, bool) {
	data, err := f.top.ReadFile(path.Join(baseName, e.SHA256))
	return data, err == nil && hashOf(data) == e.SHA256
}

// forgetTexts marks the entries at the given paths, so that a merge with their texts has no base.
func (f *Folder) forgetTexts(paths []string) {
	for i, e := range f.State.Entries {
		if slices.Contains(paths, e.Path) {
			f.State.Entries[i].IsUnknown = true
		}
	}
}

// keepBase keeps the bytes of an entry for later merges. Files that are no texts are not merged and not kept.
func (f *Folder) keepBase(e Entry, data []byte) error {
	if e.Kind == api.ExportFile {
		return nil
	}
	if f.hasBase(e) {
		return nil
	}
	return f.writeFile(f.top, path.Join(baseName, e.SHA256), data, false)
}

// hasBase reports whether the text that an entry is based on is kept, without reading it.
func (f *Folder) hasBase(e Entry) bool {
	info, err := f.top.Lstat(path.Join(baseName, e.SHA256))
	return err == nil && info.Size() == int64(e.Size)
}

// dropUnusedTexts removes the base texts that no entry names and that are not needed to undo the last pull.
func (f *Folder) dropUnusedTexts() error {
	undo, err := f.readUndo()
	if err != nil && !errors.Is(err, errNoPull) {
		return err
	}
	used := map[string]bool{}
	for _, state := range []*State{f.State, undo.State} {
		if state == nil {
			continue
		}
		for _, e := range state.Entries {
			used[e.SHA256], used[e.Rebased] = true, true
		}
	}
	for _, s := range undo.Steps {
		used[s.New] = true
	}
	texts, err := fs.ReadDir(f.top.FS(), baseName)
	if err != nil {
		return fmt.Errorf("read %s: %w", baseName, err)
	}
	for _, t := range texts {
		if !used[t.Name()] {
			f.callBeforeChange()
			if err := f.top.Remove(path.Join(baseName, t.Name())); err != nil {
				return fmt.Errorf("remove an unused text: %w", err)
			}
		}
	}
	return nil
}

// write writes a file through a temporary one beside it, so that it has the old bytes or the new ones. It creates the
// directories above it and follows no symbolic link.
func (f *Folder) write(in *os.Root, at string, data []byte) error {
	return f.writeFile(in, at, data, true)
}

// writeFile is write. A file that is not synced may be cut off after a loss of power: one whose bytes the space has, too, and whose hash
// is compared when it is read.
func (f *Folder) writeFile(in *os.Root, at string, data []byte, isSynced bool) error {
	if err := checkParents(in, at); err != nil {
		return err
	}
	if dir := path.Dir(at); dir != "." {
		f.callBeforeChange()
		if err := in.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("write %s: %w", at, err)
		}
	}
	temporary := path.Join(path.Dir(at), temporaryStart+hashOf([]byte(at))[:16]+temporaryEnd)
	f.callBeforeChange()
	_ = in.Remove(temporary) // of an interrupted run
	f.callBeforeChange()
	file, err := in.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write %s: %w", at, err)
	}
	f.callBeforeChange()
	_, err = file.Write(data)
	if err == nil && isSynced {
		err = file.Sync()
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		f.callBeforeChange()
		err = in.Rename(temporary, at)
	}
	if err != nil {
		_ = in.Remove(temporary) // the error is reported
		return fmt.Errorf("write %s: %w", at, err)
	}
	return nil
}

// callBeforeChange calls beforeChange.
func (f *Folder) callBeforeChange() {
	if f.beforeChange != nil {
		f.beforeChange()
	}
}

// Beginning and end of the names of temporary files.
const (
	temporaryStart = ".wsctl-"
	temporaryEnd   = ".tmp"
)

// isTemporary reports whether a name is that of a temporary file of write.
func isTemporary(name string) bool {
	return strings.HasPrefix(name, temporaryStart) && strings.HasSuffix(name, temporaryEnd)
}

// checkParents returns an error if a directory above a path, or the path itself, is a symbolic link.
func checkParents(in *os.Root, at string) error {
	parts := strings.Split(at, "/")
	for i := range parts {
		name := path.Join(parts[:i+1]...)
		info, err := in.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a symbolic link; nothing is written through it", name)
		}
	}
	return nil
}
