package app

import (
	"errors"
	"os"
)

// KeepAnswer keeps an answer with a secret that is shown once and could not be printed, and returns words that say where: it
// is written to standard error if that is a terminal, and otherwise to a new file that only the user can read.
func (a *App) KeepAnswer(answer []byte) string {
	if a.ErrTerminal {
		shown, err := indentJSON(answer, "")
		if err == nil {
			_, err = a.Err.Write(append([]byte(Sanitize(string(shown))), '\n'))
		}
		if err == nil {
			return "its secret is above"
		}
	}
	path, err := writeSecret(ConfigDir(a.Getenv), answer)
	if err != nil {
		return "its secret is lost: " + err.Error()
	}
	return "its secret is in " + path
}

// writeSecret writes data to a new file in dir with mode 0600, and returns its path.
func writeSecret(dir string, data []byte) (path string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(dir, "secret-*.json") // its mode is 0600
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
