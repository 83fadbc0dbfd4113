package importer

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/dialects"
)

const (
	// maxRatio is the maximum compression ratio of an entry. Real documents compress about tenfold; higher ratios
	// indicate an archive made to exhaust memory.
	maxRatio = 200
	// ratioFloor is the unpacked size up to which the ratio is not checked.
	ratioFloor = 1 << 20
)

// entry is one file of an archive.
type entry struct {
	name string // path below the archive's root directory
	data []byte
}

// archive holds the unpacked entries of an archive in its order.
type archive struct {
	entries []entry
	tooBig  []string // names of entries above the size limit of a resource
}

// openArchive reads the directory of an archive. size is the declared unpacked size, which unpack does not exceed.
func openArchive(packed []byte, limits Limits) (reader *zip.Reader, size int64, err error) {
	reader, err = zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, 0, errors.New("it is not a zip archive")
	}
	if len(reader.File) > limits.Files {
		return nil, 0, fmt.Errorf("it has %d entries, more than %d", len(reader.File), limits.Files)
	}
	for _, file := range reader.File {
		if file.UncompressedSize64 <= uint64(max(limits.ResourceSize, 0)) {
			size += int64(file.UncompressedSize64) //nolint:gosec // of one resource at most
		}
	}
	return reader, min(size, limits.TotalBytes), nil
}

// unpack reads a whole archive within the limits. It refuses an archive with a path that leaves the archive, or with
// an entry that is much larger than declared.
func unpack(ctx context.Context, reader *zip.Reader, limits Limits) (archive, error) {
	var a archive
	seen := map[string]bool{}
	left := limits.TotalBytes
	for _, file := range reader.File {
		if err := ctx.Err(); err != nil {
			return archive{}, err
		}
		if err := checkEntry(file, seen); err != nil {
			return archive{}, err
		}
		if file.FileInfo().IsDir() || isJunk(file.Name) {
			continue
		}
		if file.UncompressedSize64 > uint64(max(limits.ResourceSize, 0)) {
			a.tooBig = append(a.tooBig, file.Name)
			continue
		}
		data, err := readEntry(file, min(limits.ResourceSize, left))
		if err != nil {
			return archive{}, err
		}
		left -= int64(len(data))
		a.entries = append(a.entries, entry{name: file.Name, data: data})
	}
	a.stripRoot()
	return a, nil
}

// checkEntry rejects paths that leave the archive, and entries that are neither files nor directories.
func checkEntry(file *zip.File, seen map[string]bool) error {
	name := strings.TrimSuffix(file.Name, "/")
	switch {
	case strings.Contains(name, `\`) || strings.ContainsRune(name, 0) || !fs.ValidPath(name):
		return fmt.Errorf("entry %q: its path is not plain and relative", file.Name)
	case seen[name]:
		return fmt.Errorf("entry %q is in it twice", file.Name)
	case !file.Mode().IsRegular() && !file.Mode().IsDir():
		return fmt.Errorf("entry %q is neither a file nor a directory", file.Name)
	}
	seen[name] = true
	return nil
}

// readEntry unpacks an entry of at most limit bytes and checks the ratio. The declared size comes from the archive itself and
// is not trusted: data beyond it is an error, because memory was reserved only for that size.
func readEntry(file *zip.File, limit int64) ([]byte, error) {
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("entry %q cannot be unpacked", file.Name)
	}
	defer r.Close()
	packed := int64(min(file.CompressedSize64, 1<<40))
	allowed := min(limit, max(ratioFloor, packed*maxRatio))
	said := int64(min(file.UncompressedSize64, 1<<40))
	if said > allowed {
		return nil, fmt.Errorf("entry %q unpacks to more than %d bytes", file.Name, allowed)
	}
	data := make([]byte, said)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("entry %q cannot be unpacked", file.Name)
	}
	if n, err := io.CopyN(io.Discard, r, 1); n > 0 || !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("entry %q cannot be unpacked", file.Name) // longer than declared, or corrupt
	}
	return data, nil
}

// isJunk reports whether a file is no content: one that was added by a desktop system, such as __MACOSX, or one of git or wsctl, such
// as the manifest of an export.
func isJunk(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(name, "__MACOSX/") || base == ".DS_Store" || base == "Thumbs.db" ||
		slices.ContainsFunc(strings.Split(name, "/"), dialects.IsReserved)
}

// stripRoot removes a single root directory, which source forges add to their archives.
func (a *archive) stripRoot() {
	names := slices.Clone(a.tooBig)
	for _, e := range a.entries {
		names = append(names, e.name)
	}
	root := commonDirectory(names)
	for n := range a.entries {
		a.entries[n].name = strings.TrimPrefix(a.entries[n].name, root)
	}
	for n := range a.tooBig {
		a.tooBig[n] = strings.TrimPrefix(a.tooBig[n], root)
	}
}
