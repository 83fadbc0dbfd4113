package api

// BlockChange is the kind of change of a block of text.
type BlockChange string

// The kinds of change. A moved block is listed at its new position; its runs show whether it was also edited. A block
// split off its neighbour has a part of the neighbour's old text as its old text; a block joined to its neighbour has
// a part of the neighbour's new text as its new text.
const (
	BlockSame    BlockChange = "same"
	BlockAdded   BlockChange = "added"
	BlockRemoved BlockChange = "removed"
	BlockEdited  BlockChange = "edited"
	BlockMoved   BlockChange = "moved"
	BlockSplit   BlockChange = "split"
	BlockJoined  BlockChange = "joined"
)

// Values returns the kinds of change.
func (BlockChange) Values() []BlockChange {
	return []BlockChange{BlockSame, BlockAdded, BlockRemoved, BlockEdited, BlockMoved, BlockSplit, BlockJoined}
}

// TextChange is the kind of change of a run of text.
type TextChange string

// Values of TextChange.
const (
	TextSame    TextChange = "same"
	TextAdded   TextChange = "added"
	TextRemoved TextChange = "removed"
)

// Values returns the kinds of change.
func (TextChange) Values() []TextChange { return []TextChange{TextSame, TextAdded, TextRemoved} }

// TextRun is a run of text with one kind of change. The same and removed runs of a block concatenate to its old text,
// the same and added runs to its new text, byte for byte.
type TextRun struct {
	Change     TextChange `json:"change"`
	Text       string     `json:"text"`
	Formatting bool       `json:"formatting,omitzero" doc:"It changes nothing that readers see: line breaks in a paragraph, the number of a list item, the alignment of a table."`
}

// BlockSpan is the position of a block in a text, in bytes.
type BlockSpan struct {
	Start int `json:"start" doc:"Position of its first byte."`
	End   int `json:"end" doc:"Position after its last byte."`
}

// BlockDiff is the diff of a block. Blocks are in the order of the new text; removed blocks are at their old
// position.
type BlockDiff struct {
	Change     BlockChange `json:"change"`
	ID         string      `json:"id"`
	Kind       string      `json:"kind" doc:"heading, paragraph, item, table, code, ..."`
	Formatting bool        `json:"formatting,omitzero" doc:"Its text differs in formatting only."`
	Before     *BlockSpan  `json:"before,omitzero" doc:"Absent for what was added."`
	After      *BlockSpan  `json:"after,omitzero" doc:"Absent for what was removed."`
	Runs       []TextRun   `json:"runs" doc:"The text in runs that are unchanged, inserted or deleted."`
}

// WordCount is the size of a change in words. Changes of formatting do not count.
type WordCount struct {
	Added   int `json:"added" doc:"Words that came, in added and edited blocks."`
	Removed int `json:"removed" doc:"Words that went."`
}
