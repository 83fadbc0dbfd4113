package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Raw writes only the text of a page or the bytes of a file. It downloads a file with c and refuses to write it to a
// terminal.
func (w *Writer) Raw(ctx context.Context, c *client.Client, body []byte) error {
	var thing struct {
		Markdown    *string `json:"markdown"`
		DownloadURL string  `json:"downloadURL"`
	}
	if err := json.Unmarshal(body, &thing); err != nil {
		return err
	}
	switch {
	case thing.Markdown != nil:
		return w.printer.Text(*thing.Markdown)
	case thing.DownloadURL == "":
		return app.Usagef("the page has no text: it is a group or a link")
	case w.app.OutTerminal:
		return app.Usagef("a file does not belong on a terminal; send it somewhere with >")
	}
	_, err := c.Download(ctx, thing.DownloadURL, w.app.Out)
	return err
}

// archive writes the bytes of an archive. It refuses to write them to a terminal.
func (w *Writer) archive(body []byte) error {
	if w.app.OutTerminal {
		return app.Usagef("an archive does not belong on a terminal; send it somewhere with >, or: wsctl export SPACE DIR")
	}
	if _, err := w.app.Out.Write(body); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return nil
}

// Open opens the web page of a resource in a browser, or names its address if there is no display.
func (w *Writer) Open(body []byte) error {
	var thing struct {
		URLs struct {
			App string `json:"app"`
		} `json:"urls"`
	}
	if err := json.Unmarshal(body, &thing); err != nil {
		return err
	}
	u, err := url.Parse(thing.URLs.App)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("the server answers no address that a browser opens: %q", thing.URLs.App)
	}
	if w.app.OpenURL == nil {
		w.app.Infof("there is no browser here; open %s", app.SanitizeLine(u.String()))
		return nil
	}
	w.app.Infof("opening %s", u)
	return w.app.OpenURL(u.String())
}
