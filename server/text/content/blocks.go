package content

// Blocks cuts a text of any size into blocks without ids and hashes. The importer uses it to find positions at which
// to cut a text that is too large for a page.
func Blocks(markdown []byte) Table { return splitBlocks(markdown) }
