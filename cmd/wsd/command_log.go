package main

import (
	"io"
	"log/slog"
	"os"
	"os/user"

	"golang.org/x/term"

	"docspace.dev/wsd/store/txn"
)

// logCommand logs a command of the operator if it has changed anything. Nothing is logged at a terminal, where the operator sees what
// the command prints.
func logCommand(w io.Writer, log *slog.Logger, c *txn.Command, err error) {
	changed := c.Changed()
	if file, ok := w.(*os.File); len(changed) == 0 || ok && term.IsTerminal(int(file.Fd())) {
		return
	}
	outcome := "done"
	if err != nil {
		outcome = "failed"
	}
	log.Info("command", "command", c.Name, "operator", c.Operator, "outcome", outcome, "changed", changed)
}

// operatorName returns the user of the operating system and the host, as in root@docs-1.
func operatorName() string {
	name := "unknown"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return name + "@" + host
}
