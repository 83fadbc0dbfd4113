//go:build unix

package detect

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// files is a Terminal that is read and written through different files.
type files struct{ in, out *os.File }

func (f files) Read(p []byte) (int, error)  { return f.in.Read(p) }
func (f files) Write(p []byte) (int, error) { return f.out.Write(p) }

// maxSelected is the lowest descriptor number that select cannot wait for (FD_SETSIZE).
const maxSelected = 1024

func (f files) Await(limit time.Duration) (waited time.Duration, ready bool) {
	began, fd := time.Now(), int(f.in.Fd())
	for left := limit; left > 0 && fd < maxSelected; left = limit - time.Since(began) {
		var set unix.FdSet
		set.Set(fd)
		timeout := unix.NsecToTimeval(int64(left))
		n, err := unix.Select(fd+1, &set, nil, nil, &timeout)
		if !errors.Is(err, unix.EINTR) {
			return time.Since(began), n > 0 && err == nil
		}
	}
	return limit, false
}

// keyboard is a file that is read without late answers.
type keyboard struct {
	*os.File

	input *Input
}

func (k keyboard) Read(p []byte) (int, error) { return k.input.Read(p) }

// AskFiles asks the terminal that in reads and out writes, as Ask does, and returns a reader for its further input. The reader
// has the methods of a file that a program needs to control the terminal.
func AskFiles(in, out *os.File, q Question) (answer Answer, rest io.Reader, typed []byte) {
	if q == (Question{}) {
		return answer, in, nil
	}
	state, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return answer, in, nil
	}
	answer, input, typed := Ask(files{in, out}, q)
	_ = term.Restore(int(in.Fd()), state) // an error is ignored, because the screen sets and restores the mode, too
	if input.IsComplete() {
		return answer, in, typed
	}
	return answer, keyboard{in, input}, typed
}
