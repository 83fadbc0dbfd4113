package app

import (
	"bufio"
	"context"
	"io"
)

// ReadInput reads standard input to its end. A second call returns a usage error, because it would read nothing.
func (a *App) ReadInput() ([]byte, error) {
	if a.isInputRead {
		return nil, Usagef("standard input is read for another argument or flag already: - may stand once")
	}
	a.isInputRead = true
	return io.ReadAll(a.In)
}

// ReadLine reads a line of input. It returns ctx.Err() if the command is interrupted first.
func (a *App) ReadLine(ctx context.Context) (string, error) {
	return await(ctx, func() (string, error) { return bufio.NewReader(a.In).ReadString('\n') })
}

// ReadSecret is like ReadLine but reads without echo.
func (a *App) ReadSecret(ctx context.Context) (string, error) { return await(ctx, a.ReadPassword) }

// await runs read and returns its result, or ctx.Err() if ctx ends first. The read itself cannot be canceled; it ends
// with the process.
func await(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	results := make(chan result, 1)
	go func() {
		text, err := read()
		results <- result{text, err}
	}()
	select {
	case a := <-results:
		return a.text, a.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
