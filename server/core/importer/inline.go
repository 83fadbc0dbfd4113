package importer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"mime"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"docspace.dev/wsd/server/text/content"
)

// inlineImage is an image embedded in a page.
type inlineImage struct {
	key  string
	file *File
}

// inlineImages decodes the images in data: URLs. Images that cannot be decoded are left unchanged.
func inlineImages(main *goquery.Selection, source string, limit int64) []inlineImage {
	var images []inlineImage
	main.Find(`img[src^="data:"]`).Each(func(_ int, img *goquery.Selection) {
		ref := img.AttrOr("src", "")
		media, data, ok := decodeDataURL(ref)
		if !ok || int64(len(data)) > limit {
			return
		}
		key := dataKey(ref)
		name := strings.TrimPrefix(key, "data:")[:12]
		if extensions, err := mime.ExtensionsByType(media); err == nil && len(extensions) > 0 {
			name += extensions[0]
		}
		images = append(images, inlineImage{key: key, file: &File{
			Name: name, ContentType: media, Data: data, Source: source, Path: key, OID: content.BlobID(data),
		}})
	})
	return images
}

// dataKey returns the key of a data: URL, the counterpart of pageKey.
func dataKey(ref string) string {
	sum := sha256.Sum256([]byte(ref))
	return "data:" + hex.EncodeToString(sum[:])
}

// decodeDataURL decodes the data: URL (RFC 2397) of an image.
func decodeDataURL(ref string) (media string, data []byte, ok bool) {
	head, body, found := strings.Cut(strings.TrimPrefix(ref, "data:"), ",")
	head, packed := strings.CutSuffix(head, ";base64")
	media, _, err := mime.ParseMediaType(head)
	if !found || err != nil || !strings.HasPrefix(media, "image/") {
		return "", nil, false
	}
	text, err := url.PathUnescape(body)
	if err != nil {
		return "", nil, false
	}
	if !packed {
		return media, []byte(text), true
	}
	text = strings.Join(strings.Fields(text), "")
	data, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	return media, data, err == nil
}
