package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/exit"
	"docspace.dev/wsd/cmd/wsctl/output"
)

// run performs the row.
func (r *rowCommand) run(cmd *cobra.Command, args []string) error {
	printer, err := r.printer()
	if err != nil {
		return err
	}
	req, err := r.request(cmd, args)
	if err != nil {
		return err
	}
	if err := r.confirm(args); err != nil {
		return err
	}
	c, err := r.app.Client(cmd)
	if err != nil {
		return err
	}
	if r.isList {
		return r.list(cmd, c, req, printer)
	}
	stop := progress(r.app, r.row)
	response, err := c.Do(cmd.Context(), req, r.callOptions()...)
	stop()
	if err != nil {
		return located(err, req)
	}
	if r.raw {
		return showRaw(cmd.Context(), r.app, c, response.Body, printer)
	}
	return r.show(response, printer, args)
}

// located says what was not found: half of the path may come from the environment or a profile.
func located(err error, req client.Request) error {
	if refused, ok := api.AsError(err); ok && refused.Code == http.StatusNotFound && refused.Hint == "" {
		refused.Hint = "there is no " + strings.TrimPrefix(req.Path, "/v1") + ", or you may not see it"
	}
	return err
}

// confirm asks before something is deleted, or refuses where nobody can be asked.
func (r *rowCommand) confirm(args []string) error {
	if r.row.Method != http.MethodDelete || r.yes || r.dryRun {
		return nil
	}
	if !r.app.CanAsk() {
		return exit.Usagef("deleting needs --yes where nobody can be asked")
	}
	question := fmt.Sprintf("%s\n%s %s? [y/N] ", r.row.Summary, upperFirst(verbWord(r.row)), r.subject(args))
	_, _ = fmt.Fprint(r.app.Err, output.Sanitize(question))
	answer, err := bufio.NewReader(r.app.In).ReadString('\n')
	if err != nil && answer == "" {
		return exit.Usagef("no answer; nothing was deleted")
	}
	if word := strings.ToLower(strings.TrimSpace(answer)); word != "y" && word != "yes" {
		return exit.Usagef("nothing was deleted")
	}
	return nil
}

func verbWord(row api.Row) string {
	word, _, _ := strings.Cut(row.Verb(), "-")
	return word
}

func upperFirst(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// show writes the answer of an operation that is not a list.
func (r *rowCommand) show(response client.Response, printer *output.Printer, args []string) error {
	if len(response.Body) == 0 {
		r.app.Say("%s", r.done(args))
		return nil
	}
	if r.web {
		return openPage(r.app, response.Body)
	}
	if r.dryRun {
		r.app.Say("dry run: nothing was changed; this is what would be")
	}
	switch r.row.View() {
	case api.ViewChanges, api.ViewDiff:
		return r.showChanges(response, printer)
	case api.ViewMerge:
		return r.showMerge(response.Body, printer, args)
	case api.ViewGates:
		return r.showMergeability(response.Body, printer)
	case api.ViewConflicts:
		return r.showConflicts(response.Body, printer, args)
	default:
		return r.showRecord(response.Body, printer)
	}
}

// showRecord writes an answer whose members or rows say all but one sentence.
func (r *rowCommand) showRecord(body []byte, printer *output.Printer) error {
	if err := r.write(body, printer); err != nil {
		return err
	}
	r.summarize(body)
	return nil
}

// done says that something was deleted.
func (r *rowCommand) done(args []string) string {
	if r.dryRun {
		return fmt.Sprintf("dry run: would %s %s", verbWord(r.row), r.subject(args))
	}
	return fmt.Sprintf("%sd %s", strings.TrimSuffix(upperFirst(verbWord(r.row)), "d"), r.subject(args))
}

// write prints an answer; a table is printed as a list where the output has rows.
func (r *rowCommand) write(body []byte, printer *output.Printer) error {
	if !r.isTable() || !printer.Rows() {
		return printer.Value(body)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return err
	}
	var items []json.RawMessage
	if err := json.Unmarshal(orNull(whole[r.row.Items()]), &items); err != nil {
		return err
	}
	list := printer.List()
	if err := addTree(list, items, "", printer.Aligned()); err != nil {
		return err
	}
	return list.Close()
}

// branches are the members that hold what is below an item: of a page, a section group, a section.
var branches = []string{"pages", "sections", "siteSpaces"}

// addTree adds items and, below each, those in its branches; for people their titles are indented.
func addTree(list output.List, items []json.RawMessage, indent string, people bool) error {
	for _, item := range items {
		members := map[string]json.RawMessage{}
		if err := json.Unmarshal(item, &members); err != nil {
			return err
		}
		var title string
		if json.Unmarshal(members["title"], &title) == nil && people {
			members["title"] = mustJSON(indent + title)
		}
		if err := list.Add(mustJSON(members)); err != nil {
			return err
		}
		for _, branch := range branches {
			var below []json.RawMessage
			if err := json.Unmarshal(orNull(members[branch]), &below); err != nil {
				return err
			}
			if err := addTree(list, below, indent+"  ", people); err != nil {
				return err
			}
		}
	}
	return nil
}

func orNull(data json.RawMessage) json.RawMessage {
	if data == nil {
		return json.RawMessage("null")
	}
	return data
}

// showRaw writes the text of a page or the bytes of a file, and nothing else.
func showRaw(ctx context.Context, a *app.App, c *client.Client, body []byte, printer *output.Printer) error {
	var thing struct {
		Markdown    *string `json:"markdown"`
		DownloadURL string  `json:"downloadURL"`
	}
	if err := json.Unmarshal(body, &thing); err != nil {
		return err
	}
	switch {
	case thing.Markdown != nil:
		return printer.Text(*thing.Markdown)
	case thing.DownloadURL == "":
		return exit.Usagef("the page has no text: it is a group or a link")
	case a.OutTerminal:
		return exit.Usagef("a file does not belong on a terminal; send it somewhere with >")
	}
	_, err := c.Download(ctx, thing.DownloadURL, a.Out)
	return err
}

// summarize says in a sentence how an import or an edit went.
func (r *rowCommand) summarize(body []byte) {
	switch r.row.View() {
	case api.ViewImport:
		var result api.ImportResult
		if json.Unmarshal(body, &result) == nil {
			r.app.Say("imported %d of %d resources", result.ImportedResources, result.TotalResources)
		}
	case api.ViewEdit:
		var result api.ContentResult
		if json.Unmarshal(body, &result) == nil && !r.dryRun {
			r.app.Say("change request %d is at revision %s", result.ChangeRequest.Number, result.ChangeRequest.Revision)
		}
	default: // says it itself
	}
}

// showMerge writes the answer of a merge. Conflicts are rows where the output has rows, and they are an error:
// the merge was understood and nothing was applied.
func (r *rowCommand) showMerge(body []byte, printer *output.Printer, args []string) error {
	var result struct {
		Result    api.MergeOutcome  `json:"result"`
		Conflicts []json.RawMessage `json:"conflicts"`
	}
	if err := json.Unmarshal(body, &result); err != nil {
		return err
	}
	if result.Result != api.OutcomeConflicts {
		return printer.Value(body)
	}
	if err := writeConflicts(body, result.Conflicts, printer); err != nil {
		return err
	}
	return &exit.ConflictError{
		Message: output.Count(len(result.Conflicts), "conflict") + "; nothing was applied",
		Hint: fmt.Sprintf("-o json shows all of both sides; decide with: wsctl change-requests pull %s --resolve %s=theirs", args[0],
			firstID(result.Conflicts)),
	}
}

func firstID(conflicts []json.RawMessage) string {
	var conflict api.Conflict
	if len(conflicts) == 0 || json.Unmarshal(conflicts[0], &conflict) != nil {
		return "ID"
	}
	return conflict.ID
}

func writeConflicts(body []byte, conflicts []json.RawMessage, printer *output.Printer) error {
	if !printer.Rows() {
		return printer.Value(body)
	}
	if len(printer.Columns) == 0 {
		printer.Columns = output.ParseColumns(api.ColumnsOf[api.Conflict]())
	}
	list := printer.List()
	for _, conflict := range conflicts {
		if err := list.Add(conflict); err != nil {
			return err
		}
	}
	return list.Close()
}

// openPage opens the page for people of what was answered, and prints its address where there is no display.
func openPage(a *app.App, body []byte) error {
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
	if a.Open == nil {
		_, err := fmt.Fprintln(a.Out, output.Line(u.String()))
		return err
	}
	a.Say("opening %s", u)
	return a.Open(u.String())
}

// progress shows on a terminal that a slow operation goes on, and returns what ends the line.
func progress(a *app.App, row api.Row) (stop func()) {
	if !row.Slow || !a.Progress() {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	start := a.Now()
	go func() {
		defer close(ended)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				_, _ = fmt.Fprintf(a.Err, "\r%s… %s", upperFirst(verbWord(row)), a.Now().Sub(start).Round(time.Second))
			case <-done:
				_, _ = fmt.Fprint(a.Err, "\r\x1b[K")
				return
			}
		}
	}()
	return func() { close(done); <-ended }
}
