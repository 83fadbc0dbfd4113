package app_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// Who is asked and ends the command instead, by Ctrl-C, ends it at once: nothing waits for the answer, and it is no
// mistake in how the command was used.
func TestPromptsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	silent, _ := io.Pipe()
	a := app.New(app.World{In: silent, Err: &bytes.Buffer{}, Password: func() (string, error) {
		data, err := io.ReadAll(silent)
		return string(data), err
	}})
	for name, ask := range map[string]func(context.Context) (string, error){"a question": a.Answer, "a secret": a.Secret} {
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := ask(ctx)
			ended <- err
		}()
		interrupt()
		err := <-ended
		if said := app.Describe(err); app.Code(err) != app.Interrupted || said.Message != "interrupted" {
			t.Errorf("%s: %v, %q", name, err, said.Message)
		}
	}
	typed := app.New(app.World{In: strings.NewReader("y\nmore")})
	if answer, err := typed.Answer(t.Context()); answer != "y\n" || err != nil {
		t.Errorf("an answer: %q %v", answer, err)
	}
}
