package tuitest

import (
	"context"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/remote"
)

func (f client) CreateRequest(ctx context.Context, space, subject, key string) (api.ChangeRequest, error) {
	_, err := f.write(ctx, "create-request", key, space+": "+subject)
	r := f.request()
	f.Texts["cr_2"]["p_welcome"] = f.Texts[""]["p_welcome"]
	return r, err
}

func (f client) UpdateRequest(ctx context.Context, _ remote.Target, patch api.ChangeRequestPatch, key string) error {
	subject, _ := patch.Subject.Get()
	status, _ := patch.Status.Get()
	if d, given := patch.Description.Get(); given {
		subject = "description: " + d.Text
	}
	again, err := f.write(ctx, "update-request", key, subject+string(status))
	if d, given := patch.Description.Get(); given && err == nil && !again {
		f.mu.Lock()
		f.Description = d.Text
		f.mu.Unlock()
	}
	return err
}

func (f client) AskForReview(ctx context.Context, _ remote.Target, user, key string) error {
	_, err := f.write(ctx, "ask", key, user)
	return err
}

func (f client) PageText(ctx context.Context, at remote.Target, page string) (text, version string, err error) {
	f.mu.Lock()
	text, version = f.Texts[at.ChangeRequest][page], fmt.Sprintf("v%d", f.version)
	f.mu.Unlock()
	return text, version, f.recordCall(ctx, "page-text")
}

// EvaluatedText replaces the expression {{gust}} by 3 s.
func (f client) EvaluatedText(ctx context.Context, at remote.Target, page string) (string, error) {
	f.mu.Lock()
	text := strings.ReplaceAll(f.Texts[at.ChangeRequest][page], "{{gust}}", "3 s")
	f.mu.Unlock()
	return text, f.recordCall(ctx, "evaluated-text")
}

// Edit rejects outdated versions. If EditConflicts is set, another page is changed first.
func (f client) Edit(ctx context.Context, at remote.Target, changes []api.ContentChange, version, key string) error {
	f.mu.Lock()
	if f.EditConflicts {
		f.EditConflicts = false
		f.version++
	}
	present := fmt.Sprintf("v%d", f.version)
	f.mu.Unlock()
	if version != "" && version != present {
		return api.Errorf(412, api.ReasonUnavailable, "it moved")
	}
	var what strings.Builder
	for _, c := range changes {
		title, _ := c.Title.Get()
		what.WriteString(string(c.Operation) + " " + c.Page + title)
		if into, ok := c.Into.Get(); ok || c.Into.IsNull() {
			what.WriteString(" into /" + into)
		}
		if c.Document != nil {
			fmt.Fprintf(&what, " %q", sentText(c.Document.Markdown))
		}
	}
	if _, err := f.write(ctx, "edit", key, what.String()); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	for _, c := range changes {
		if c.Page != "" && c.Document != nil {
			f.Texts[at.ChangeRequest][c.Page] = sentText(c.Document.Markdown)
		}
	}
	return nil
}

// sentText returns a sent text, or "" if none was sent.
func sentText(markdown api.Optional[string]) string {
	text, _ := markdown.Get()
	return text
}
