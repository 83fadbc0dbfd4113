package operations

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// Raw writes the text of a page or the bytes of a file, and nothing else. A file is fetched by c; it does not go to a
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

// Open opens the page for people of what was answered, and prints its address where there is no display.
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
	if w.app.Open == nil {
		_, err := fmt.Fprintln(w.app.Out, app.Line(u.String()))
		return err
	}
	w.app.Say("opening %s", u)
	return w.app.Open(u.String())
}
