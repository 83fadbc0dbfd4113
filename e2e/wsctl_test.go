package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// client runs wsctl with a person's token against a server.
type client struct {
	path, url, token, home string
}

// run runs wsctl and returns its output. It fails the test on an error.
func (c client) run(ctx context.Context, t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := c.command(ctx, stdin, args)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c client) command(ctx context.Context, stdin string, args []string) (string, error) {
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Env = append(environment(), "WSCTL_URL="+c.url, "WSCTL_TOKEN="+c.token, "HOME="+c.home, "XDG_CONFIG_HOME="+c.home)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("wsctl %s: %w\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out), nil
}

// runWord runs wsctl and returns its output, which must be a single word.
func (c client) runWord(ctx context.Context, t *testing.T, args ...string) string {
	t.Helper()
	return strings.TrimSpace(c.run(ctx, t, "", args...))
}
