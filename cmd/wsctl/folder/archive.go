package folder

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/dialects"
)

// Export is an exported folder of a server.
type Export struct {
	api.ExportManifest

	files map[string]*zip.File
}

// errInvalidExport is the error of an archive that is no export of wsd.
var errInvalidExport = errors.New("the server answers no export of a space")

// ReadExport opens an exported folder. Entries whose path leads out of the folder, or has a name that no file may have, are an
// error: nothing of such an archive is written.
func ReadExport(a api.Archive) (*Export, error) {
	data := a.Data()
	reader, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalidExport, err)
	}
	x := &Export{files: map[string]*zip.File{}}
	for _, file := range reader.File {
		x.files[file.Name] = file
	}
	manifest, ok := x.files[api.ManifestName]
	if !ok {
		return nil, fmt.Errorf("%w: it has no manifest", errInvalidExport)
	}
	text, err := readFile(manifest, 1<<30)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &x.ExportManifest); err != nil || x.Version != 1 {
		return nil, fmt.Errorf("%w: its manifest cannot be read", errInvalidExport)
	}
	taken := map[string]bool{}
	for _, e := range x.Entries {
		if reason := dialects.InvalidPathReason(e.Path); reason != "" {
			return nil, fmt.Errorf("%w: the path %q %s", errInvalidExport, e.Path, reason)
		}
		key := dialects.FoldPath(e.Path)
		if taken[key] {
			return nil, fmt.Errorf("%w: two files are at %q", errInvalidExport, e.Path)
		}
		taken[key] = true
	}
	return x, nil
}

func readFile(file *zip.File, limit int64) ([]byte, error) {
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errInvalidExport, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errInvalidExport, file.Name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: %s is larger than its manifest says", errInvalidExport, file.Name)
	}
	return data, nil
}

// Data returns the bytes of an entry. They have the hash of the manifest.
func (x *Export) Data(e api.ExportEntry) ([]byte, error) {
	file, ok := x.files[e.Path]
	if !ok {
		return nil, fmt.Errorf("%w: %s is missing", errInvalidExport, e.Path)
	}
	data, err := readFile(file, int64(e.Size))
	if err == nil && hashOf(data) != e.SHA256 {
		err = fmt.Errorf("%w: %s has other bytes than its manifest says", errInvalidExport, e.Path)
	}
	return data, err
}

// keepSummary gives an export of a change request whose push was interrupted the SUMMARY.md of a state, or none, in the place of one
// that lists what was pushed so far.
func (x *Export) keepSummary(state *State) {
	x.Entries = slices.DeleteFunc(x.Entries, func(e api.ExportEntry) bool { return e.Kind == api.ExportSummary })
	for _, e := range state.Entries {
		if isSummary(e) {
			x.Entries = append(x.Entries, e.ExportEntry)
		}
	}
}

// entries returns the entries of the state of a folder with this content. Lost content has none.
func (x *Export) entries() []Entry {
	entries := make([]Entry, 0, len(x.Entries))
	for _, e := range x.Entries {
		if e.SHA256 != "" {
			entries = append(entries, Entry{ExportEntry: e})
		}
	}
	return entries
}
