package pdf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"codeberg.org/go-pdf/fpdf"
	"github.com/go-fonts/dejavu/dejavusans"
	"github.com/go-fonts/dejavu/dejavusansbold"
	"github.com/go-fonts/dejavu/dejavusansboldoblique"
	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/go-fonts/dejavu/dejavusansoblique"
)

// typeface is a font with its metrics. Only characters of the basic multilingual plane can be printed.
type typeface struct {
	family string
	data   []byte
	widths []uint16 // by character, in thousandths of the size; absent for characters without a glyph
}

const (
	basicPlane = 1 << 16
	noGlyph    = 0xffff
)

// has reports whether the font has a glyph for the character.
func (t *typeface) has(r rune) bool { return r < basicPlane && t.widths[r] != noGlyph }

// width returns the width of a text. The font must have all of its characters.
func (t *typeface) width(text string, size float64) float64 {
	sum := 0
	for _, r := range text {
		sum += int(t.widths[r])
	}
	return float64(sum) * size / 1000
}

// Fonts are the fonts of a PDF. The zero value has the built-in ones: Latin, Greek, Cyrillic and many symbols.
type Fonts struct{ extra *typeface }

// NewFonts returns the built-in fonts with a TrueType font for characters that they lack.
func NewFonts(file []byte) (Fonts, error) {
	more, err := parseTypeface("more", file)
	if err != nil {
		return Fonts{}, err
	}
	probe := fpdf.New("P", "pt", "A4", "")
	probe.AddUTF8FontFromBytes(more.family, "", more.data)
	if err := probe.Error(); err != nil {
		return Fonts{}, fmt.Errorf("font: %w", err)
	}
	return Fonts{extra: more}, nil
}

// style is a set of font styles.
type style uint8

const (
	bold style = 1 << iota
	italic
	mono
)

// builtin returns the built-in fonts by style, parsed once. Code has no italics.
var builtin = sync.OnceValue(func() map[style]*typeface {
	faces := map[style]*typeface{}
	for s, data := range map[style][]byte{
		0: dejavusans.TTF, bold: dejavusansbold.TTF, italic: dejavusansoblique.TTF, bold | italic: dejavusansboldoblique.TTF,
		mono: dejavusansmono.TTF, mono | bold: dejavusansmonobold.TTF,
	} {
		face, err := parseTypeface(fmt.Sprintf("builtin%d", s), data)
		if err != nil {
			panic(fmt.Sprintf("export: built-in font: %v", err))
		}
		faces[s] = face
	}
	return faces
})

// face returns the font for a character in a style, or nil if no font has it.
func (f Fonts) face(s style, r rune) *typeface {
	if s&mono != 0 {
		s &^= italic
	}
	faces := builtin()
	for _, candidate := range []*typeface{faces[s], faces[s&bold], f.extra} {
		if candidate != nil && candidate.has(r) {
			return candidate
		}
	}
	return nil
}

var errFont = errors.New("not a TrueType font with a Unicode character map")

// parseTypeface reads the character widths of a TrueType font.
func parseTypeface(family string, data []byte) (*typeface, error) {
	tables := map[string]sfnt{}
	file := sfnt(data)
	for i := range file.uint16At(4) {
		record := 12 + 16*i
		if len(file) < record+16 {
			return nil, errFont
		}
		tables[string(file[record:record+4])] = file.tail(file.uint32At(record + 8))
	}
	unit, metrics := tables["head"].uint16At(18), tables["hhea"].uint16At(34)
	glyphs := tables["cmap"].glyphMapping()
	if unit == 0 || metrics == 0 || glyphs == nil {
		return nil, errFont
	}
	t := &typeface{family: family, data: data, widths: make([]uint16, basicPlane)}
	for r := range t.widths {
		t.widths[r] = noGlyph
		if glyph := glyphs(r); glyph != 0 {
			advance := tables["hmtx"].uint16At(4 * min(glyph, metrics-1))
			t.widths[r] = uint16(min((advance*1000+unit/2)/unit, noGlyph-1)) //nolint:gosec // bounded
		}
	}
	return t, nil
}

// sfnt is a part of a font file. Reads outside of it return 0.
type sfnt []byte

func (s sfnt) uint16At(offset int) int {
	if offset < 0 || offset+2 > len(s) {
		return 0
	}
	return int(binary.BigEndian.Uint16(s[offset:]))
}

func (s sfnt) uint32At(offset int) int { return s.uint16At(offset)<<16 | s.uint16At(offset+2) }

func (s sfnt) tail(offset int) sfnt { return s[min(max(offset, 0), len(s)):] }

// glyphMapping returns the mapping from characters of the basic multilingual plane to glyphs, or nil if the font has none.
func (s sfnt) glyphMapping() func(r int) int {
	for i := range s.uint16At(2) {
		record := 4 + 8*i
		platform, encoding, table := s.uint16At(record), s.uint16At(record+2), s.tail(s.uint32At(record+4))
		if platform != 3 || encoding != 1 || table.uint16At(0) != 4 {
			continue
		}
		size := table.uint16At(6) // of each of the four segment lists, in bytes
		ends, starts, deltas, offsets := table.tail(14), table.tail(16+size), table.tail(16+2*size), table.tail(16+3*size)
		return func(r int) int {
			for at := 0; at < size; at += 2 {
				if r > ends.uint16At(at) {
					continue
				}
				start, offset := starts.uint16At(at), offsets.uint16At(at)
				switch {
				case r < start:
					return 0
				case offset == 0:
					return (r + deltas.uint16At(at)) & 0xffff
				}
				if glyph := offsets.uint16At(at + offset + 2*(r-start)); glyph != 0 {
					return (glyph + deltas.uint16At(at)) & 0xffff
				}
				return 0
			}
			return 0
		}
	}
	return nil
}
