package importer

import (
	"net/url"
	"path"
	"strings"
)

// scope is the part of a site that is imported.
type scope struct {
	origin string // scheme://host, the port where it is not the scheme's own
	dir    string // path of the start URL's directory, ends with a slash
}

func newScope(start *url.URL) scope {
	p := start.EscapedPath()
	return scope{origin: origin(start), dir: "/" + strings.TrimPrefix(p[:strings.LastIndex(p, "/")+1], "/")}
}

// String is the URL of the directory.
func (s scope) String() string { return s.origin + s.dir }

// page tells whether a URL is a page to crawl.
func (s scope) page(u *url.URL) bool {
	return s.site(u) && strings.HasPrefix(orRoot(u.EscapedPath()), s.dir)
}

// site tells whether a URL is of the same site, where images and downloads may lie
// outside the start URL's directory.
func (s scope) site(u *url.URL) bool { return origin(u) == s.origin }

func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

// pageKey is the canonical URL of a resource: without fragment and query, and a
// directory's index document is the directory.
func pageKey(u *url.URL) string {
	p := orRoot(u.EscapedPath())
	switch path.Base(p) {
	case "index.html", "index.htm", "index.xhtml":
		p = p[:strings.LastIndex(p, "/")+1]
	}
	return origin(u) + p
}

// fetchURL is what is asked for a resource: its URL without fragment and query.
func fetchURL(u *url.URL) string { return origin(u) + orRoot(u.EscapedPath()) }

func orRoot(p string) string {
	if p == "" {
		return "/"
	}
	return p
}

// kind is what a link probably leads to.
type kind int

const (
	kindPage kind = iota
	kindFile
	kindNever // what only serves to draw or run a page
)

// extensionKinds knows the extensions that are no pages; any other may be one, which
// the answer's Content-Type decides.
var extensionKinds = func() map[string]kind {
	kinds := map[string]kind{}
	for ext := range strings.FieldsSeq(`css js mjs cjs map woff woff2 ttf otf eot wasm webmanifest inv`) {
		kinds["."+ext] = kindNever
	}
	for ext := range strings.FieldsSeq(`png jpg jpeg gif webp svg bmp ico avif tif tiff
		pdf ps epub mobi txt text rst md markdown csv tsv json xml yaml yml toml ini cfg conf log diff patch
		zip gz tgz bz2 xz zst tar 7z rar jar whl deb rpm exe msi dmg iso bin
		doc docx xls xlsx ppt pptx odt ods odp rtf
		mp3 mp4 ogg ogv oga webm wav avi mov flac
		c h cc cpp hpp go py rb rs java kt ts tsx jsx sh bash bat ps1 pl lua sql ipynb proto`) {
		kinds["."+ext] = kindFile
	}
	return kinds
}()

func kindOf(u *url.URL) kind {
	return extensionKinds[strings.ToLower(path.Ext(u.Path))]
}
