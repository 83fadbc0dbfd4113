package app_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"docspace.dev/wsd/cmd/wsctl/app"
)

// TestPromptsCanBeInterrupted checks that Ctrl-C at a prompt ends the command at once and is not reported as a usage error.
func TestPromptsCanBeInterrupted(t *testing.T) {
	t.Parallel()
	silent, _ := io.Pipe()
	a := app.New(app.Environment{In: silent, Err: &bytes.Buffer{}, ReadPassword: func() (string, error) {
		data, err := io.ReadAll(silent)
		return string(data), err
	}})
	for name, ask := range map[string]func(context.Context) (string, error){"a question": a.ReadLine, "a secret": a.ReadSecret} {
		ctx, interrupt := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := ask(ctx)
			ended <- err
		}()
		interrupt()
		err := <-ended
		if problem := app.DescribeError(err); app.ExitCode(err) != app.ExitInterrupted || problem.Message != "interrupted" {
			t.Errorf("%s: %v, %q", name, err, problem.Message)
		}
	}
	typed := app.New(app.Environment{In: strings.NewReader("y\nmore")})
	if answer, err := typed.ReadLine(t.Context()); answer != "y\n" || err != nil {
		t.Errorf("an answer: %q %v", answer, err)
	}
}
