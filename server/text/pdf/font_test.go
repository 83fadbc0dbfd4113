package pdf_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/go-fonts/dejavu/dejavusans"

	"docspace.dev/wsd/server/text/pdf"
)

// chineseFont returns a font with glyphs for 64 characters from U+4E2D on, taken from DejaVu's glyphs from U+4DC0 on.
func chineseFont(t *testing.T) []byte {
	t.Helper()
	const from, to, last = 0x4DC0, 0x4E2D, 0x4DFF
	font := slices.Clone(dejavusans.TTF)
	u16 := func(at int) int { return int(binary.BigEndian.Uint16(font[at:])) }
	put := func(at, v int) { binary.BigEndian.PutUint16(font[at:], uint16(v&0xffff)) }
	for i := range u16(4) {
		if table := 12 + 16*i; string(font[table:table+4]) == "cmap" {
			at := int(binary.BigEndian.Uint32(font[table+8:]))
			for j := range u16(at + 2) {
				encoding := at + 4 + 8*j
				list := at + int(binary.BigEndian.Uint32(font[encoding+4:]))
				if u16(encoding) != 3 || u16(encoding+2) != 1 {
					continue
				}
				size := u16(list + 6)
				for segment := 0; segment < size; segment += 2 {
					end, start, delta := list+14+segment, list+16+size+segment, list+16+2*size+segment
					if u16(start) == from && u16(end) == last && u16(delta+size) == 0 {
						put(start, to)
						put(end, last-from+to)
						put(delta, u16(delta)-(to-from))
						return font
					}
				}
			}
		}
	}
	t.Fatal("the font is not what it was")
	return nil
}

// TestCustomFont checks that a custom font prints the characters that the built-in fonts lack, in every style, and that
// characters without a glyph in any font are printed as code points.
func TestCustomFont(t *testing.T) {
	t.Parallel()
	fonts, err := pdf.NewFonts(chineseFont(t))
	if err != nil {
		t.Fatal(err)
	}
	d := pdf.Document{
		Title: "中", Pages: []pdf.Page{
			{ID: "a", Title: "中", Markdown: []byte("One 中, **two 中**, `three 中` and 文.\n\n```\nfour 中\n```\n\n| five 中 |\n|---|\n")},
		},
	}
	for name, c := range map[string]struct {
		fonts pdf.Fonts
		words []string
		not   string
	}{
		"default fonts": {pdf.Fonts{}, []string{"One [U+4E2D]", "[U+6587]"}, "中"},
		"custom font":   {fonts, []string{"One 中", "two 中", "three 中", "four 中", "five 中", "[U+6587]"}, "U+4E2D"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := pdf.PDF(t.Context(), &out, d, resources{}, c.fonts); err != nil {
				t.Fatal(err)
			}
			text := extractText(t, out.Bytes())
			for _, word := range c.words {
				if !strings.Contains(text, word) {
					t.Errorf("%q is missing in\n%s", word, text)
				}
			}
			if strings.Contains(text, c.not) {
				t.Errorf("%q is in\n%s", c.not, text)
			}
		})
	}
}

// TestNewFontsRejectsInvalidFile checks that a file that is not a font is refused at startup rather than when a PDF is
// requested.
func TestNewFontsRejectsInvalidFile(t *testing.T) {
	t.Parallel()
	whole := dejavusans.TTF
	for name, file := range map[string][]byte{
		"empty file": nil, "a text": []byte("hello"), "the beginning": whole[:100], "without a map of characters": bytes.Replace(whole,
			[]byte("cmap"), []byte("xxxx"), 1),
		"an OpenType collection": append([]byte("ttcf"), whole...),
	} {
		if _, err := pdf.NewFonts(file); err == nil {
			t.Errorf("%s is taken for a font", name)
		}
	}
}
