package api

// JSONDocument is a text as a tree of blocks, inlines and leaves. It is made of the
// Markdown, which is what is stored.
type JSONDocument struct {
	Object string         `json:"object" enum:"document"`
	Data   DocumentData   `json:"data"`
	Nodes  []DocumentNode `json:"nodes"`
}

// DocumentData is what is said of a document as a whole.
type DocumentData struct {
	SchemaVersion int    `json:"schemaVersion"`
	FrontMatter   string `json:"frontMatter,omitzero" doc:"YAML, as it stands before the text."`
}

// DocumentNode is a block or inline with nodes in it, or a text with leaves.
type DocumentNode struct {
	Object string         `json:"object" enum:"block,inline,text"`
	Type   string         `json:"type,omitzero" doc:"Of a block: paragraph, heading-1, list-ordered, hint and so on; of an inline: link, inline-image or expression."`
	Key    string         `json:"key,omitzero" doc:"The block's id, where it has one: comments name it as node."`
	IsVoid bool           `json:"isVoid,omitzero"`
	Data   map[string]any `json:"data,omitzero"`
	Nodes  []DocumentNode `json:"nodes,omitzero"`
	Leaves []DocumentLeaf `json:"leaves,omitzero"`
}

// DocumentLeaf is a stretch of text with the same marks.
type DocumentLeaf struct {
	Object string         `json:"object" enum:"leaf"`
	Text   string         `json:"text"`
	Marks  []DocumentMark `json:"marks"`
}

// DocumentMark is how a leaf looks: bold, italic, code, strikethrough, keyboard, superscript, subscript.
type DocumentMark struct {
	Object string `json:"object" enum:"mark"`
	Type   string `json:"type"`
}
