package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// errDeclined is the error if the answer to a question is not yes.
var errDeclined = errors.New("nothing was changed")

// confirm asks a question at the terminal. It returns noTerminal if there is none, errDeclined unless the answer is y or yes, and
// also if the context ends before there is an answer, as an interrupt does.
func confirm(ctx context.Context, cmd *cobra.Command, question string, noTerminal error) error {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return noTerminal
	}
	fmt.Fprint(cmd.ErrOrStderr(), question+" [y/N] ")
	answers := make(chan string, 1)
	go func() {
		answer, _ := bufio.NewReader(in).ReadString('\n') // without an answer it is no
		answers <- answer
	}()
	select {
	case answer := <-answers:
		if word := strings.ToLower(strings.TrimSpace(answer)); word == "y" || word == "yes" {
			return nil
		}
	case <-ctx.Done():
		fmt.Fprintln(cmd.ErrOrStderr())
	}
	return errDeclined
}
