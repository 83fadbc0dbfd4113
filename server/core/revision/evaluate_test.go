package revision

import (
	"bytes"
	"fmt"
	"testing"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// TestIncludedTextsAreBounded checks that the number of included texts read is bounded, and that the result is deterministic.
func TestIncludedTextsAreBounded(t *testing.T) {
	t.Parallel()
	c := storetest.Open(t).Content("s_0ajf1a40xq07hx0ajf1a40y5k0ha")
	var markdown []byte
	entries := map[string]objects.Entry{}
	for i := range 20 {
		id := fmt.Sprintf("rc_%026d", i)
		text := append(bytes.Repeat([]byte("text "), content.MaxTextBytes/6), fmt.Sprintf("\n\n{%% include \"reusable:rc_%026d\" %%}\n",
			(i+1)%20)...)
		p := Page{ID: id, Text: c.Stage(objects.NewBlob(text)), Blocks: c.Stage(objects.NewBlob([]byte("[]")))}
		e, err := p.Entry()
		if err != nil {
			t.Fatal(err)
		}
		entries[id] = e
		if i < 12 {
			markdown = fmt.Appendf(markdown, "{%% include \"reusable:%s\" %%}\n", id)
		}
	}
	texts, err := IncludedTexts(t.Context(), markdown, ReusableTexts(c, c.BuildMap(entries)))
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, text := range texts {
		size += len(text)
	}
	if most := maxIncludedBytes + includeBatch*content.MaxTextBytes; size > most || len(texts) != 8 {
		t.Errorf("%d texts of %d bytes are read, at most %d bytes may be", len(texts), size, most)
	}
	if texts["rc_00000000000000000000000000"] == nil {
		t.Error("what is included first is not read")
	}
}
