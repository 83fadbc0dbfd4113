package api

// BlockChange says what became of a block of a text.
type BlockChange string

// The fates of a block. One that moved stands where it is now; its runs say whether it was edited, too. One that was
// split off its neighbour has a part of that as its text before; one that was joined to it has a part of it as its
// text after.
const (
	BlockSame    BlockChange = "same"
	BlockAdded   BlockChange = "added"
	BlockRemoved BlockChange = "removed"
	BlockEdited  BlockChange = "edited"
	BlockMoved   BlockChange = "moved"
	BlockSplit   BlockChange = "split"
	BlockJoined  BlockChange = "joined"
)

// Values returns the fates.
func (BlockChange) Values() []BlockChange {
	return []BlockChange{BlockSame, BlockAdded, BlockRemoved, BlockEdited, BlockMoved, BlockSplit, BlockJoined}
}

// TextChange says what became of a stretch of a text.
type TextChange string

// The fates of a stretch.
const (
	TextSame    TextChange = "same"
	TextAdded   TextChange = "added"
	TextRemoved TextChange = "removed"
)

// Values returns the fates.
func (TextChange) Values() []TextChange { return []TextChange{TextSame, TextAdded, TextRemoved} }

// TextRun is a stretch of a block with one fate. Those that are the same or removed are the text before, those that
// are the same or added the text after, byte for byte.
type TextRun struct {
	Change     TextChange `json:"change"`
	Text       string     `json:"text"`
	Formatting bool       `json:"formatting,omitzero" doc:"It changes nothing that readers see: line breaks in a paragraph, the number of a list item, the alignment of a table."`
}

// BlockSpan is where a block stands in a text, in bytes.
type BlockSpan struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// BlockDiff is what became of a block. Blocks stand in the order of the text after; what was removed stands where it
// was.
type BlockDiff struct {
	Change     BlockChange `json:"change"`
	ID         string      `json:"id"`
	Kind       string      `json:"kind" doc:"heading, paragraph, item, table, code, ..."`
	Formatting bool        `json:"formatting,omitzero" doc:"Its text differs in formatting only."`
	Before     *BlockSpan  `json:"before,omitzero" doc:"Absent for what was added."`
	After      *BlockSpan  `json:"after,omitzero" doc:"Absent for what was removed."`
	Runs       []TextRun   `json:"runs"`
}

// WordCount is the size of a change; what is formatting only does not count.
type WordCount struct {
	Added   int `json:"added" doc:"Words that came, in added and edited blocks."`
	Removed int `json:"removed" doc:"Words that went."`
}
