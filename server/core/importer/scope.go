package importer

import (
	"net/url"
	"path"
	"strings"
)

// scope is the imported part of a site.
type scope struct {
	origin string // scheme://host, with the port unless it is the scheme's default
	dir    string // path of the start URL's directory, ends with a slash
}

func newScope(start *url.URL) scope {
	p := start.EscapedPath()
	return scope{origin: origin(start), dir: "/" + strings.TrimPrefix(p[:strings.LastIndex(p, "/")+1], "/")}
}

// String returns the URL of the directory.
func (s scope) String() string { return s.origin + s.dir }

// isPage reports whether a URL is a page within the scope.
func (s scope) isPage(u *url.URL) bool {
	return s.sameSite(u) && strings.HasPrefix(pathOrRoot(u.EscapedPath()), s.dir)
}

// sameSite reports whether a URL is on the same site, where images and downloads may be outside the scope's directory.
func (s scope) sameSite(u *url.URL) bool { return origin(u) == s.origin }

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

// pageKey returns the canonical URL of a resource: without fragment and query, with a directory in place of its index
// document.
func pageKey(u *url.URL) string {
	p := pathOrRoot(u.EscapedPath())
	switch path.Base(p) {
	case "index.html", "index.htm", "index.xhtml":
		p = p[:strings.LastIndex(p, "/")+1]
	}
	return origin(u) + p
}

// requestURL returns the URL requested for a resource, without fragment and query.
func requestURL(u *url.URL) string { return origin(u) + pathOrRoot(u.EscapedPath()) }

func pathOrRoot(p string) string {
	if p == "" {
		return "/"
	}
	return p
}

// kind is the probable kind of a link's target.
type kind int

const (
	kindPage kind = iota
	kindFile
	kindAsset // resources only used to display or run a page
)

// extensionKinds maps the extensions of resources other than pages. Any other extension may be that of a page; the
// Content-Type of the response decides.
var extensionKinds = func() map[string]kind {
	kinds := map[string]kind{}
	for ext := range strings.FieldsSeq(`css js mjs cjs map woff woff2 ttf otf eot wasm webmanifest inv`) {
		kinds["."+ext] = kindAsset
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
