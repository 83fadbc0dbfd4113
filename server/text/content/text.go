package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"unicode/utf8"
)

// Limits of one page's text.
const (
	MaxTextBytes = 1 << 20 // bytes of Markdown
	MaxBlocks    = 10_000  // top-level blocks
	MaxMarks     = 250_000 // as counted by Marks: at most about 125 MB of memory while the text is parsed
)

// Kinds of blocks. A tag container ({% hint %} ... {% endhint %}) has the kind named after its tag if that is listed
// here, else KindContainer.
const (
	KindFrontMatter = "frontmatter"
	KindHeading     = "heading"
	KindParagraph   = "paragraph"
	KindItem        = "item" // one top-level item of a list
	KindTable       = "table"
	KindCode        = "code"
	KindQuote       = "quote"
	KindHTML        = "html"
	KindRule        = "rule"
	KindDefinition  = "definition" // link reference definition
	KindBlank       = "blank"      // a text of white space only
	KindHint        = "hint"
	KindTabs        = "tabs"
	KindStepper     = "stepper"
	KindColumns     = "columns"
	KindContainer   = "container"
)

// Verbatim reports whether white space is significant in a kind of block. In other kinds, diffs mark changes of white space as
// formatting.
func Verbatim(kind string) bool {
	switch kind {
	case KindCode, KindHTML, KindFrontMatter, KindDefinition:
		return true
	}
	return false
}

// LineBased reports whether a kind of block consists of lines rather than sentences, so that merges and diffs compare
// it line by line.
func LineBased(kind string) bool { return kind == KindTable || Verbatim(kind) }

// Block is one top-level block of a page's Markdown. Blocks cover the text without gaps: the first starts at 0, each
// ends where the next starts, the last ends at the text's length.
type Block struct {
	ID    string `json:"id"`    // stable across edits, unique in its table
	Kind  string `json:"kind"`  // one of the Kind constants
	Start int    `json:"start"` // byte offset
	End   int    `json:"end"`   // byte offset after the block
	Hash  string `json:"hash"`  // hash of the block's bytes without trailing white space

	// Aliases are names of the source that refer to the block and do not occur in the text, sorted. They move with
	// the block (docs/decisions.md#aliases-of-a-source).
	Aliases []string `json:"aliases,omitempty"`
	// TextPositions holds the positions of aliases that do not refer to the beginning of the block.
	TextPositions map[string]TextPosition `json:"spots,omitempty"`
}

// Table is the block table of one text, in the order of the text.
type Table []Block

// Find returns the block with the given id.
func (t Table) Find(id string) (Block, bool) {
	for _, block := range t {
		if block.ID == id {
			return block, true
		}
	}
	return Block{}, false
}

// Text is a page's Markdown with its block table.
type Text struct {
	Markdown []byte
	Blocks   Table
}

// Bytes returns the bytes of one of the text's blocks, none if the span of the block does not fit the text.
func (t Text) Bytes(block Block) []byte {
	if block.Start < 0 || block.End < block.Start || block.End > len(t.Markdown) {
		return nil
	}
	return t.Markdown[block.Start:block.End]
}

// Reason identifies the violated limit of a text.
type Reason string

// Reasons of a TextError.
const (
	ReasonTooLarge      Reason = "too_large"
	ReasonNotUTF8       Reason = "not_utf8"
	ReasonNUL           Reason = "nul"
	ReasonTooManyBlocks Reason = "too_many_blocks"
	ReasonTooManyMarks  Reason = "too_many_marks"
)

// TextError is the error of a text that cannot be a page's text.
type TextError struct {
	Reason Reason
	Offset int // byte offset of the first offending byte or block
	Limit  int // the exceeded limit, 0 if the rule has none
}

// Error returns the violated rule with its limit.
func (e *TextError) Error() string {
	switch e.Reason {
	case ReasonTooLarge:
		return fmt.Sprintf("text is longer than %d bytes", e.Limit)
	case ReasonNotUTF8:
		return fmt.Sprintf("text is not valid UTF-8 at byte %d", e.Offset)
	case ReasonNUL:
		return fmt.Sprintf("text has a NUL character at byte %d", e.Offset)
	case ReasonTooManyMarks:
		return fmt.Sprintf("text has more than %d line breaks and characters of markup (byte %d)", e.Limit, e.Offset)
	default:
		return fmt.Sprintf("text has more than %d blocks (byte %d)", e.Limit, e.Offset)
	}
}

// Check returns a *TextError if markdown violates the limits of a page's text that can be checked without parsing: size, UTF-8,
// no NUL.
func Check(markdown []byte) error {
	if len(markdown) > MaxTextBytes {
		return &TextError{Reason: ReasonTooLarge, Offset: MaxTextBytes, Limit: MaxTextBytes}
	}
	if at := invalidUTF8(markdown); at >= 0 {
		return &TextError{Reason: ReasonNotUTF8, Offset: at}
	}
	if at := bytes.IndexByte(markdown, 0); at >= 0 {
		return &TextError{Reason: ReasonNUL, Offset: at}
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	for at := 0; at < len(b); {
		r, size := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// Parse cuts markdown into blocks and assigns ids: those of previous, the page's text before the change, to surviving
// blocks, and to others ids derived from the page's id, the block and the previous table. It returns a *TextError if
// the text exceeds the limits.
func Parse(page string, markdown []byte, previous Text) (Text, error) {
	if err := Check(markdown); err != nil {
		return Text{}, err
	}
	if at := markOffset(markdown, MaxMarks); at >= 0 {
		return Text{}, &TextError{Reason: ReasonTooManyMarks, Offset: at, Limit: MaxMarks}
	}
	blocks := splitBlocks(markdown)
	if len(blocks) > MaxBlocks {
		return Text{}, &TextError{Reason: ReasonTooManyBlocks, Offset: blocks[MaxBlocks].Start, Limit: MaxBlocks}
	}
	return withIDs(page, Text{Markdown: markdown, Blocks: blocks}, previous), nil
}

// markWeights has the weights of the characters that Marks counts.
var markWeights = func() (weights [256]int) {
	for _, c := range []byte("|*_~`[]<>&!\\") {
		weights[c] = 1
	}
	weights['\n'] = 2 // an item of a list takes most memory
	return weights
}()

// Marks returns the number of characters of a text that may be markup, with line breaks counted twice: the memory for parsing the
// text grows with it. Such characters within code count, too.
func Marks(markdown []byte) int {
	count := 0
	for _, c := range markdown {
		count += markWeights[c]
	}
	return count
}

// markOffset returns the offset of the first mark beyond n, or -1 if markdown has at most n.
func markOffset(markdown []byte, n int) int {
	for at, c := range markdown {
		if n -= markWeights[c]; n < 0 {
			return at
		}
	}
	return -1
}

// withIDs sets the hashes and ids of the blocks of a text.
func withIDs(page string, text, previous Text) Text {
	for i := range text.Blocks {
		text.Blocks[i].Hash = hashBlock(text.Bytes(text.Blocks[i]))
	}
	identify(page, text, previous)
	return text
}

// lowerBase32 encodes hashes in ids: URL-safe, case-insensitive, without padding.
var lowerBase32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// hashBlock hashes a block without the blank lines before the first block and without the separator after it, so that
// adding a block at either end does not change the hashes of the others.
func hashBlock(block []byte) string {
	sum := sha256.Sum256(TrimEnd(block[LeadingBlank(block):]))
	return lowerBase32.EncodeToString(sum[:20])
}

// TrimEnd returns a block's bytes without the trailing white space that separates it from the next block.
func TrimEnd(block []byte) []byte {
	return bytes.TrimRight(block, " \t\r\n")
}

// LeadingBlank returns the length of the blank lines at the start of a block, which only the first block of a text
// can have.
func LeadingBlank(block []byte) int {
	space := block[:len(block)-len(bytes.TrimLeft(block, " \t\r\n"))]
	return bytes.LastIndexByte(space, '\n') + 1
}
