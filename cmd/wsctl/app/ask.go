package app

import (
	"bufio"
	"context"
)

// Answer reads the line that a person types. It returns the error of ctx when they end the command instead: what they type
// then is not for wsctl.
func (a *App) Answer(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) { return bufio.NewReader(a.In).ReadString('\n') })
}

// Secret is Answer for what the terminal shall not show.
func (a *App) Secret(ctx context.Context) (string, error) { return await(ctx, a.Password) }

// await runs what waits for a person. The reading itself cannot be taken back; it ends with the process.
func await(ctx context.Context, read func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	go func() {
		text, err := read()
		answers <- answer{text, err}
	}()
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
