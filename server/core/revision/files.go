package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"  // registers the format
	_ "image/jpeg" // registers the format
	_ "image/png"  // registers the format
	"mime"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// Limits of files, in bytes.
const (
	MaxFileBytes   = 10 << 20
	FileChunkBytes = 512 << 10
)

// File is the record of a file in a revision. Its bytes are stored in the chunks of its manifest.
type File struct {
	ID          string          `json:"-"`
	Name        string          `json:"name"`
	ContentType string          `json:"contentType"`
	Size        int64           `json:"size"`
	Dimensions  *api.Dimensions `json:"dimensions,omitzero"`
	Manifest    string          `json:"manifest"`        // hash of the manifest object
	Origin      *Origin         `json:"origin,omitzero"` // nil if the file was not imported
}

// Manifest contains the data needed to serve a file from its download address.
type Manifest struct {
	Name        string   `json:"name"`
	ContentType string   `json:"contentType"`
	Chunks      []string `json:"chunks"`
}

// NewFile stages the chunks and the manifest of a file and returns its record.
func NewFile(content *objects.Content, id, name, contentType string, data []byte) File {
	var chunks []string
	for chunk := range slices.Chunk(data, FileChunkBytes) {
		chunks = append(chunks, content.Stage(objects.NewBlob(chunk)))
	}
	name, contentType = path.Base(name), mediaType(contentType, name)
	payload, _ := json.Marshal(Manifest{Name: name, ContentType: contentType, Chunks: chunks})
	return File{
		ID: id, Name: name, ContentType: contentType, Size: int64(len(data)), Dimensions: dimensions(data),
		Manifest: content.Stage(objects.NewNode(chunks, payload)),
	}
}

// mediaType normalizes a declared media type, or guesses it from the name if it is invalid.
func mediaType(declared, name string) string {
	if media, parameters, err := mime.ParseMediaType(declared); err == nil && strings.Contains(media, "/") {
		return mime.FormatMediaType(media, parameters)
	}
	if guessed := mime.TypeByExtension(path.Ext(name)); guessed != "" {
		return guessed
	}
	return "application/octet-stream"
}

// dimensions returns the size of a raster image from its header, or nil if data is not an image.
func dimensions(data []byte) *api.Dimensions {
	config, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return &api.Dimensions{Width: config.Width, Height: config.Height}
}

func (f File) entry() (objects.Entry, error) {
	value, err := json.Marshal(f)
	if err != nil {
		return objects.Entry{}, fmt.Errorf("file %s: %w", f.ID, err)
	}
	return objects.Entry{Value: value, Refs: []string{f.Manifest}}, nil
}

// DecodeFile decodes an entry of the map of files.
func DecodeFile(id string, e objects.Entry) (File, error) {
	var f File
	if err := json.Unmarshal(e.Value, &f); err != nil {
		return f, fmt.Errorf("%w: file %s: %w", redis.ErrCorrupt, id, err)
	}
	f.ID = id
	return f, nil
}

// Files returns the files of a revision, sorted by id.
func (rs *Revisions) Files(ctx context.Context, content *objects.Content, root string) ([]File, error) {
	entries, err := content.All(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("files of %s: %w", content.Space(), err)
	}
	files := make([]File, 0, len(entries))
	for id, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := DecodeFile(id, e)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.ID, b.ID) })
	return files, nil
}
