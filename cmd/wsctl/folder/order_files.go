package folder

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// An orderFile is a file of another tool that gives pages an order or titles, which is not read.
type orderFile struct {
	path string // relative to the root of the content
	line int    // at which the order begins, 0 for the whole file
}

// message says what is not read.
func (o orderFile) message() string {
	return "its order and its titles are not read; a SUMMARY.md beside the pages gives both"
}

// fromRoot returns the path of the directory of wsctl.yaml, relative to the root of the content.
func (f *Folder) fromRoot() string {
	root := path.Clean(f.Config.root())
	if root == "." {
		return "."
	}
	return path.Join("..", strings.Repeat("../", strings.Count(root, "/")))
}

// unreadOrder returns the files of MkDocs and Docusaurus that give the pages below the root an order or titles. It is empty if a
// SUMMARY.md does.
func (f *Folder) unreadOrder(scan Scan, summary string) (files []orderFile) {
	if summary != "" {
		return nil
	}
	up := f.fromRoot()
	for _, name := range []string{"mkdocs.yml", "mkdocs.yaml"} {
		text, err := f.top.ReadFile(name)
		if err != nil {
			continue
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if bytes.HasPrefix(line, []byte("nav:")) {
				files = append(files, orderFile{path.Join(up, name), i + 1})
			}
		}
	}
	for _, name := range []string{"sidebars.js", "sidebars.ts", "sidebars.json"} {
		if info, err := f.top.Lstat(name); err == nil && info.Mode().IsRegular() {
			files = append(files, orderFile{path.Join(up, name), 0})
		}
	}
	for at := range scan.Files {
		if slices.Contains([]string{"_category_.json", "_category_.yml", "_category_.yaml"}, path.Base(at)) {
			files = append(files, orderFile{at, 0})
		}
	}
	slices.SortFunc(files, func(a, b orderFile) int { return strings.Compare(a.path, b.path) })
	return files
}
