// Package openapi reads OpenAPI documents of versions 2.0, 3.0 and 3.1, in JSON or YAML, and generates Markdown pages
// from them. It performs no network access: referenced documents are read by a Reader.
package openapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/yaml"
)

// Limits of one document including all documents it refers to.
const (
	MaxFiles  = 100
	MaxBytes  = 20 << 20
	MaxBundle = 2 * MaxBytes // bytes of the bundle, in which some targets are repeated for each reference
)

// Reader reads a document that another one refers to.
type Reader func(ctx context.Context, address string) ([]byte, error)

// Document is a parsed OpenAPI document.
type Document struct {
	Version string // as declared, such as 3.1.0; 2.0 is reported even though the bundle is converted to 3.0
	Title   string
	Bundle  []byte // JSON without external references
	Files   []File // original documents: the given one first, then those it refers to
}

// File is one original document.
type File struct {
	Path    string // relative to the directory of the first document if it is below that, else the address
	Address string // "" for a text without an address
	Data    []byte
}

// ParseError is the error of an invalid OpenAPI document.
type ParseError struct{ Message string }

// Error implements error.
func (e *ParseError) Error() string { return e.Message }

func invalidf(format string, args ...any) error {
	return &ParseError{Message: strings.ToValidUTF8(fmt.Sprintf(format, args...), "�")}
}

// Read parses a document. address is its origin; if it is "", only absolute references can be resolved. Errors of the
// document are of type *ParseError; all other errors are those of read.
func Read(ctx context.Context, address string, data []byte, read Reader) (document Document, err error) {
	defer func() {
		if recover() != nil { // the library may panic on untrusted documents
			document, err = Document{}, invalidf("the document cannot be read: does one of its references lead in a circle?")
		}
	}()
	base, err := url.Parse(address)
	if err != nil {
		return Document{}, invalidf("%q is no address", address)
	}
	r := &documentReader{ctx: ctx, base: base, read: read, size: len(data), documents: map[string][]byte{base.String(): data}}
	head, plain, err := inspect(data)
	if err != nil {
		return Document{}, err
	}
	if err := r.references.add(plain); err != nil {
		return Document{}, err
	}
	r.files = []File{{Path: entryName(base, data), Address: address, Data: data}}
	bundled, err := r.bundle(head, plain)
	if err != nil {
		return Document{}, err
	}
	return Document{Version: head.version(), Title: head.Info.Title, Bundle: bundled, Files: r.files}, nil
}

// header holds the members that identify the version of a document, and its title.
type header struct {
	Swagger string `json:"swagger"`
	OpenAPI string `json:"openapi"`
	Info    struct {
		Title string `json:"title"`
	} `json:"info"`
}

func (h header) version() string {
	if h.Swagger != "" {
		return h.Swagger
	}
	return h.OpenAPI
}

// inspect determines the version of a document and converts YAML to JSON. It returns an error if the document is neither JSON
// nor YAML, its version is not supported, or it has no title.
func inspect(data []byte) (head header, plain []byte, err error) {
	plain = data
	if !json.Valid(data) {
		if plain, err = yaml.YAMLToJSON(data); err != nil {
			return head, nil, invalidf("neither JSON nor YAML: %s", err)
		}
	}
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(json.Unmarshal(plain, &head), &wrong) {
		return head, nil, invalidf("not an OpenAPI document: %s must not be of the type %s", cmp.Or(wrong.Field, "it"), wrong.Value)
	}
	switch v := head.version(); {
	case v == "":
		return head, nil, invalidf("not an OpenAPI document: it has neither openapi nor swagger at the top")
	case v != "2.0" && !strings.HasPrefix(v, "3.0.") && !strings.HasPrefix(v, "3.1."):
		return head, nil, invalidf("version %s is not known: 2.0, 3.0 and 3.1 are", v)
	case head.Info.Title == "":
		return head, nil, invalidf("info.title is missing")
	}
	return head, plain, nil
}

// documentReader is the state of reading one document.
type documentReader struct {
	ctx       context.Context
	base      *url.URL
	read      Reader
	files     []File
	documents map[string][]byte // documents by address
	size      int
	err       error // errors of read

	references referenceCounter
	refusal    error // of a document with too many references
}

// bundle returns the document with all referenced documents included.
func (r *documentReader) bundle(head header, plain []byte) ([]byte, error) {
	loader := openapi3.NewLoader()
	loader.Context = r.ctx
	loader.IsExternalRefsAllowed = true
	loader.ReadFromURIFunc = func(_ *openapi3.Loader, location *url.URL) ([]byte, error) { return r.open(location) }
	document, err := r.load(loader, head, plain)
	switch {
	case r.err != nil:
		return nil, r.err
	case r.refusal != nil:
		return nil, r.refusal
	case err != nil:
		return nil, invalidf("%s", err)
	}
	document.InternalizeRefs(r.ctx, newNames(document).resolveName)
	bundled, err := json.Marshal(document)
	if err != nil {
		return nil, invalidf("it cannot be written out: %s", err)
	}
	if len(bundled) > MaxBundle {
		return nil, invalidf("with the targets of its references it has %d bytes, more than %d", len(bundled), MaxBundle)
	}
	return bundled, nil
}

func (r *documentReader) load(loader *openapi3.Loader, head header, plain []byte) (*openapi3.T, error) {
	if head.Swagger == "" {
		return loader.LoadFromDataWithPath(plain, r.base)
	}
	var old openapi2.T
	if err := json.Unmarshal(plain, &old); err != nil {
		return nil, err
	}
	return openapi2conv.ToV3WithLoader(&old, loader, r.base)
}

// open returns a referenced document, which it reads once. It returns an error if the reference is not absolute or a limit is
// exceeded.
func (r *documentReader) open(location *url.URL) ([]byte, error) {
	if data, ok := r.documents[location.String()]; ok {
		return data, nil
	}
	if location.Scheme == "" || location.Host == "" {
		return nil, fmt.Errorf("%q leads nowhere: the document has no address of its own", location)
	}
	if len(r.files) == MaxFiles {
		return nil, fmt.Errorf("it refers to more than %d documents", MaxFiles-1)
	}
	data, err := r.read(r.ctx, location.String())
	if err != nil {
		r.err = errors.Join(r.err, err)
		return nil, err
	}
	if r.size += len(data); r.size > MaxBytes {
		return nil, fmt.Errorf("with what it refers to it has more than %d bytes", MaxBytes)
	}
	if err := r.references.add(data); err != nil {
		r.refusal = err
		return nil, err
	}
	r.documents[location.String()] = data
	r.files = append(r.files, File{Path: r.relativePath(location), Address: location.String(), Data: data})
	return data, nil
}

// relativePath returns the path of a document relative to the directory of the first one, or its address if it is not below
// that directory.
func (r *documentReader) relativePath(location *url.URL) string {
	directory := path.Dir(r.base.Path)
	rest, below := strings.CutPrefix(location.Path, strings.TrimSuffix(directory, "/")+"/")
	if below && location.Host == r.base.Host && location.Scheme == r.base.Scheme && location.RawQuery == "" {
		return rest
	}
	return location.String()
}

// entryName returns the file name of the first document: that of its address, else openapi.json or openapi.yaml.
func entryName(base *url.URL, data []byte) string {
	if name := path.Base(base.Path); base.Path != "" && path.Ext(name) != "" {
		return name
	}
	if json.Valid(data) {
		return "openapi.json"
	}
	return "openapi.yaml"
}
