package folder

import "bytes"

// hasCRLF reports whether a text has lines and all of them end with CRLF, as after a checkout of git with core.autocrlf.
func hasCRLF(text []byte) bool {
	n := bytes.Count(text, []byte("\n"))
	return n > 0 && bytes.Count(text, []byte("\r\n")) == n && bytes.Count(text, []byte("\r")) == n
}

func toLF(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }

func toCRLF(text []byte) []byte { return bytes.ReplaceAll(toLF(text), []byte("\n"), []byte("\r\n")) }

// isConverted reports whether the lines of a file end with CRLF on this machine only: those of its entry end with LF, or it has no
// entry and git converts texts.
func (f *Folder) isConverted(at string, known Entry, data []byte) bool {
	if !isText(at) || !hasCRLF(data) {
		return false
	}
	if known.SHA256 == "" {
		return f.isAutoCRLF
	}
	if hashOf(data) == known.SHA256 {
		return false
	}
	base, ok := f.base(known)
	return ok && !bytes.Contains(base, []byte("\r"))
}
