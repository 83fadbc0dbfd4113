package api

// JSONDocument is a text as a tree of blocks, inlines and leaves. It is derived from Markdown, the stored format.
type JSONDocument struct {
	Object string         `json:"object" enum:"document"`
	Data   DocumentData   `json:"data"`
	Nodes  []DocumentNode `json:"nodes"`
}

// DocumentData holds the properties of a document as a whole.
type DocumentData struct {
	SchemaVersion int    `json:"schemaVersion" doc:"Version of the schema of documents."`
	Page          string `json:"page,omitzero" doc:"The page whose text it was made from."`
	Text          string `json:"text,omitzero" doc:"Names the text that it was made from. Written back with it, what did not change keeps its bytes, and what others changed meanwhile stays."`
	Title         string `json:"title,omitzero" doc:"The heading that opens that text, which is the title of the page and no part of the document."`
	Evaluated     bool   `json:"evaluated,omitzero" doc:"Variables and includes were replaced: it cannot be written back."`
	Dereferenced  bool   `json:"dereferenced,omitzero" doc:"Includes were replaced: it cannot be written back."`
}

// DocumentNode is a block or inline with child nodes, a fragment of a block, or a text with leaves.
type DocumentNode struct {
	Object    string         `json:"object" enum:"block,inline,fragment,text"`
	Type      string         `json:"type,omitzero" doc:"Of a block: paragraph, heading-1, list-ordered, hint and so on; of an inline: link, inline-image or expression."`
	Key       string         `json:"key,omitzero" doc:"Names the node in its document. That of a block of the text is the block's id: comments name it as node."`
	IsVoid    *bool          `json:"isVoid,omitzero" doc:"Whether the node has no content of its own."`
	Data      map[string]any `json:"data,omitzero" doc:"Attributes of the node, by its type."`
	Meta      *DocumentMeta  `json:"meta,omitzero"`
	Fragment  string         `json:"fragment,omitzero" doc:"Of a fragment: its name in the block."`
	Nodes     []DocumentNode `json:"nodes,omitzero"`
	Fragments []DocumentNode `json:"fragments,omitzero" doc:"What stands in cells of a table, under an image, or in what can be expanded."`
	Leaves    []DocumentLeaf `json:"leaves,omitzero" doc:"Runs of text of a text node."`
}

// DocumentMeta holds values derived from a node.
type DocumentMeta struct {
	ID    string `json:"id,omitzero" doc:"The fragment that leads to it."`
	Token string `json:"token,omitzero" doc:"Hash of the node, which changes with its content."`
}

// DocumentLeaf is a run of text with the same marks.
type DocumentLeaf struct {
	Object string         `json:"object" enum:"leaf"`
	Text   string         `json:"text"`
	Marks  []DocumentMark `json:"marks" doc:"Formats of the text."`
}

// DocumentMark is a style of a leaf: bold, italic, code, strikethrough, keyboard, superscript, subscript, color.
type DocumentMark struct {
	Object string        `json:"object" enum:"mark"`
	Type   string        `json:"type"`
	Data   DocumentColor `json:"data,omitzero"`
}

// DocumentColor is the value of a color mark.
type DocumentColor struct {
	Text       string `json:"text" doc:"Colour of the text, by name."`
	Background string `json:"background" doc:"Colour of the background, by name."`
}
