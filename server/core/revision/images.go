package revision

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/objects"
)

// StageImage decodes a base64 image and stages it as a file. It returns the hash of its manifest, or field errors if
// the image is invalid.
func StageImage(content *objects.Content, path string, encoded api.Base64) (manifest string, wrong []api.FieldError) {
	fail := func(format string, args ...any) (string, []api.FieldError) {
		return "", []api.FieldError{{Path: path, Message: fmt.Sprintf(format, args...)}}
	}
	data, err := base64.StdEncoding.DecodeString(string(encoded))
	if err != nil {
		return fail("must be base64: %s", err)
	}
	if len(data) > MaxFileBytes {
		return fail("must have at most %d bytes, not %d", MaxFileBytes, len(data))
	}
	contentType, name := imageType(data)
	if contentType == "" {
		return fail("must be a PNG, JPEG, GIF, WebP or SVG image")
	}
	return NewFile(content, "", name, contentType, data).Manifest, nil
}

// imageType detects the type of an image from its bytes and returns it with a file name. Both are empty for other
// data and for images with a damaged header.
func imageType(data []byte) (contentType, name string) {
	switch sniffed := http.DetectContentType(data); sniffed {
	case "image/png", "image/jpeg", "image/gif":
		if dimensions(data) == nil {
			return "", ""
		}
		return sniffed, "image." + sniffed[len("image/"):]
	case "image/webp":
		return sniffed, "image.webp"
	}
	if isSVG(data) {
		return "image/svg+xml", "image.svg"
	}
	return "", ""
}

// isSVG reports whether data is well-formed XML with the root element svg.
func isSVG(data []byte) bool {
	decoder := xml.NewDecoder(bytes.NewReader(data))
	rooted := false
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return rooted
		}
		if err != nil {
			return false
		}
		if start, ok := token.(xml.StartElement); ok && !rooted {
			if start.Name.Local != "svg" {
				return false
			}
			rooted = true
		}
	}
}
