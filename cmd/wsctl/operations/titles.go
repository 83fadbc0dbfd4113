package operations

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
)

// titleMember is the member of bodies with the title of what is created.
const titleMember = "title"

// addTitlesFlag adds --titles to commands that create something with a title. Commands whose answer has a secret that is shown
// once have none, because the answers after a failure would be lost.
func (r *rowCommand) addTitlesFlag() {
	if r.row.Verb() != "create" || r.row.Secret || r.titleFlag() == nil {
		return
	}
	f := r.cmd.Flags()
	f.StringVar(&r.titles, "titles", "", "create one for each line of this `file`, its title, or - for standard input")
	for _, other := range []string{titleMember, "idempotency-key", "web"} {
		if f.Lookup(other) != nil {
			r.cmd.MarkFlagsMutuallyExclusive("titles", other)
		}
	}
}

// titleFlag returns the flag for the title of the body, or nil.
func (r *rowCommand) titleFlag() *bodyField {
	for _, b := range r.body {
		if b.name == titleMember && b.parent == "" {
			return b
		}
	}
	return nil
}

// readTitles returns the lines of --titles without surrounding white space. Empty lines are skipped.
func (r *rowCommand) readTitles() (titles []string, err error) {
	text, err := readText(r.app, r.titles)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if line == "" {
			continue
		}
		if err := r.titleFlag().value.Set(line); err != nil {
			return nil, app.Usagef("%s:%d: a title %v", sourceName(r.titles), n+1, err)
		}
		titles = append(titles, line)
	}
	if len(titles) == 0 {
		return nil, app.Usagef("%s has no titles", sourceName(r.titles))
	}
	return titles, nil
}

// createAll creates one resource for each line of --titles and writes them as a list. Names in other flags are found once. It
// stops at the first failure with an *app.PartialError that names the title.
func (r *rowCommand) createAll(cmd *cobra.Command, args []string, writer *Writer) error {
	titles, err := r.readTitles()
	if err != nil {
		return err
	}
	req, err := r.request(cmd, args)
	if err != nil {
		return err
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(req.Body, &body); err != nil {
		return fmt.Errorf("the body of --titles: %w", err)
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	list, isWritten := writer.printer.NewList(), writer.announceDryRun()
	for n, title := range titles {
		if body[titleMember], err = json.Marshal(title); err != nil {
			return err
		}
		if req.Body, err = json.Marshal(body); err != nil {
			return err
		}
		response, err := c.Do(cmd.Context(), req, r.callOptions()...)
		if err != nil {
			return &app.PartialError{Done: n, Cause: fmt.Errorf("%q: %w", title, r.locateFields(err))}
		}
		if r.dryRun {
			response.Body = api.WithoutProvisional(r.row, req.Path+string(req.Body), response.Body)
		}
		if !isWritten {
			continue
		}
		if err := list.Add(response.Body); err != nil {
			return r.unprinted(response, title, err)
		}
	}
	if !r.dryRun {
		r.app.ForgetCompletions()
	}
	return list.Close()
}
