package detect

// Input is the input from a terminal after a question, without late answers. It is used by one reader.
type Input struct {
	terminal Terminal
	scanner  scanner
	typed    []byte // input that Read has not returned yet, because p was too short
	isSilent bool   // the beginning of an answer was a key, so later beginnings are treated as keys at once
}

// IsComplete reports whether all answers have arrived, so that the terminal can be read directly.
func (i *Input) IsComplete() bool { return i.scanner.isComplete }

// Read reads from the terminal once. It returns 0 bytes and no error if the input was only a part of an answer.
func (i *Input) Read(p []byte) (int, error) {
	if len(i.typed) == 0 && len(p) > 0 {
		if err := i.receive(len(p)); err != nil && len(i.typed) == 0 {
			return 0, err
		}
	}
	n := copy(p, i.typed)
	i.typed = i.typed[n:]
	return n, nil
}

// receive reads a piece of input. If it ends with the beginning of an answer that may be a key, such as escape, the rest has
// to follow within keyTimeout.
func (i *Input) receive(size int) error {
	piece := make([]byte, size)
	n, err := i.terminal.Read(piece[:max(1, size-len(i.scanner.held))])
	if n > 0 && i.scanner.isAmbiguous() { // typed before Read, or the first bytes of an answer
		if begins, _ := i.scanner.matchWith(piece[0]); !begins {
			i.scanner.held = nil
		}
	}
	i.typed = i.scanner.scan(piece[:n])
	for err == nil && i.scanner.isAmbiguous() {
		if i.isSilent || !i.await() {
			i.typed, i.isSilent = append(i.typed, i.scanner.release()...), true
			break
		}
		n, err = i.terminal.Read(piece[:max(1, size-len(i.typed)-len(i.scanner.held))])
		i.typed = append(i.typed, i.scanner.scan(piece[:n])...)
	}
	return err
}

func (i *Input) await() bool {
	_, ready := i.terminal.Await(keyTimeout)
	return ready
}
