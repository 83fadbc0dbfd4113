package operations

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/pack"
)

// upload is a folder or file on this machine that an import sends.
type upload struct {
	path     string // as it was given
	source   api.ImportSource
	filename string // of a document; "" for an archive
	content  client.Content
}

// address matches what is an address and no path.
var address = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// isPath reports whether the argument of an import is a path on this machine.
func isPath(text string) bool { return text != "" && !address.MatchString(text) }

// sourcesByExtension are the sources of files by the extension of their name, in lower case.
var sourcesByExtension = map[string]api.ImportSource{
	".md": api.ImportMarkdown, ".markdown": api.ImportMarkdown, ".html": api.ImportHTML, ".htm": api.ImportHTML, ".zip": api.ImportZip,
}

var mediaBySource = map[api.ImportSource]string{
	api.ImportZip: api.MediaZip, api.ImportMarkdown: api.MediaMarkdown, api.ImportHTML: api.MediaHTML,
}

// openUpload returns the content at a path. source is that of --source, or "" to find it by the path. A path that cannot be sent is a
// usage error, but content that is too large, and files of a folder that cannot be read, are not.
func openUpload(a *app.App, path string, source api.ImportSource) (*upload, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, app.Usagef("there is no file or folder %s", path).WithHint("an address begins with https:// or http://")
	case err != nil:
		return nil, app.Usagef("%v", err)
	case source == api.ImportWebsite:
		return nil, app.Usagef("--source website is for an address; %s is on this machine", path)
	case info.IsDir():
		return openFolder(a, path, source)
	case !info.Mode().IsRegular():
		return nil, app.Usagef("%s is neither a file nor a folder", path)
	}
	u := &upload{path: path, source: cmp.Or(source, sourcesByExtension[strings.ToLower(filepath.Ext(path))])}
	limit := int64(api.MaxImportDocument)
	switch u.source {
	case "":
		return nil, app.Usagef("%s is neither .md, .html nor .zip", path).WithHint("say what it is with --source markdown, html or zip")
	case api.ImportZip:
		limit = api.MaxImportArchive
	case api.ImportMarkdown, api.ImportHTML, api.ImportWebsite:
		u.filename = filepath.Base(path)
	}
	if info.Size() > limit {
		return nil, &api.Error{Reason: "client", Message: fmt.Sprintf("nothing was sent: %s has %d bytes; at most %d are imported", path,
			info.Size(), limit)}
	}
	file, err := os.Open(path) //nolint:gosec // the caller names the file
	if err != nil {
		return nil, app.Usagef("%v", err)
	}
	u.content = client.NewContent(mediaBySource[u.source], file) // the end of the process closes it
	return u, nil
}

// openFolder returns the content of a folder.
func openFolder(a *app.App, path string, source api.ImportSource) (*upload, error) {
	if source != "" && source != api.ImportZip {
		return nil, app.Usagef("--source %s is for a file; %s is a folder", source, path)
	}
	f, err := pack.Read(path)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, app.Usagef("%v", failed)
	}
	if err != nil {
		return nil, err
	}
	for _, link := range f.Skipped() {
		a.Infof("note: %s; it is left out", link)
	}
	return &upload{
		path: path, source: api.ImportZip, content: client.Content{MediaType: api.MediaZip, Size: f.Size(), Open: f.Open},
	}, nil
}

// setUpload opens what the argument of an import names, if that is a path on this machine.
func (r *rowCommand) setUpload(args []string) (err error) {
	if r.rowOptions.bodyArgument != "url" || len(args) == 0 || !isPath(args[len(args)-1]) {
		return nil
	}
	var source api.ImportSource
	for _, b := range r.body {
		if b.name == "source" && b.value.IsSet() {
			source = api.ImportSource(b.value.String())
		}
	}
	r.upload, err = openUpload(r.app, args[len(args)-1], source)
	return err
}

// request returns the request for the content in the place of that for an address.
func (u *upload) request(req client.Request) (client.Request, error) {
	var body api.Import
	decoder := json.NewDecoder(bytes.NewReader(req.Body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&body); err != nil {
		return req, app.Usagef("--data: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if body.URL != "" {
		return req, app.Usagef("%s is on this machine, and --data has the url %s: give one of them", u.path, body.URL)
	}
	req.Body, req.Query, req.Content = nil, queryOf(body.Upload(u.filename)), &u.content
	return req, nil
}

// queryOf returns the parameters of an upload as a query.
func queryOf(parameters api.ImportUpload) url.Values {
	query := url.Values{}
	for name, text := range map[string]string{
		"name": parameters.Name, "filename": parameters.Filename, "revision": parameters.Revision,
	} {
		if text != "" {
			query.Set(name, text)
		}
	}
	for name, given := range map[string]bool{"delete": parameters.Delete, "force": parameters.Force, "adopt": parameters.Adopt} {
		if given {
			query.Set(name, "true")
		}
	}
	if len(parameters.Resolutions) > 0 {
		query["resolutions"] = parameters.Resolutions
	}
	return query
}

// do sends a request, with the content of the command if it has one.
func (r *rowCommand) do(ctx context.Context, c *client.Client, req client.Request, options ...client.CallOption) (client.Response, error) {
	if r.upload == nil {
		return c.Do(ctx, req, options...) //nolint:wrapcheck // described as it is
	}
	req, err := r.upload.request(req)
	if err != nil {
		return client.Response{}, err
	}
	return c.Do(ctx, req, options...) //nolint:wrapcheck // described as it is
}
