package revision

import (
	"context"
	"fmt"

	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/store/objects"
)

// FolderContent is a revision as a folder: the layout, what it was made of, and the SUMMARY.md. Texts and the bytes of files are
// not read.
type FolderContent struct {
	Tree      *Tree
	Folder    Folder
	Files     []File
	Reusables map[string]*Page
	Summary   dialects.Summary
}

// FolderContent reads a revision as a folder. A SUMMARY.md that is lost is written again.
func (rs *Revisions) FolderContent(ctx context.Context, c *objects.Content, r Revision) (f FolderContent, err error) {
	if f.Tree, err = rs.Tree(ctx, c, r.Pages); err != nil {
		return f, err
	}
	if f.Files, err = rs.Files(ctx, c, r.Files); err != nil {
		return f, err
	}
	if f.Reusables, err = ReadReusables(ctx, c, r.Reusables); err != nil {
		return f, err
	}
	sources, err := ReadSources(ctx, c, r.Sources)
	if err != nil {
		return f, err
	}
	f.Folder = NewFolder(f.Tree, f.Files, f.Reusables)
	var old dialects.Summary
	if kept := sources.Summary(); kept != nil && dialects.InvalidPathReason(kept.Path) == "" {
		text, err := c.Object(ctx, kept.Text)
		if err != nil && !objects.IsLost(err) {
			return f, fmt.Errorf("%s of %s: %w", dialects.SummaryName, c.Space(), err)
		}
		if err == nil {
			old = dialects.Summary{Path: kept.Path, Text: text}
		}
	}
	f.Summary = dialects.Summarize(f.Folder.Pages, old)
	return f, nil
}
