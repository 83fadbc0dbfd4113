package content

// Blocks cuts a text of any size into its blocks, which have neither ids nor hashes. The importer asks it where a text that
// is larger than a page can be cut.
func Blocks(markdown []byte) Table { return split(markdown) }
