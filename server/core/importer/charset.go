package importer

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// decode converts a document to UTF-8 from the charset of its byte order mark, Content-Type or <meta> element. note
// describes the conversion, "" if the bytes are unchanged.
func decode(body []byte, contentType, source string) (text []byte, note string) {
	encoding, name, certain := charset.DetermineEncoding(body, contentType)
	if utf8.Valid(body) && (name == "utf-8" || !certain) {
		return body, ""
	}
	if name == "utf-8" {
		return bytes.ToValidUTF8(body, []byte("\uFFFD")),
			fmt.Sprintf("%s: bytes that are not UTF-8 were replaced", source)
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return bytes.ToValidUTF8(body, []byte("\uFFFD")),
			fmt.Sprintf("%s: it is not %s as declared; other bytes were replaced", source, name)
	}
	how := "converted from"
	if !certain {
		how = "no charset declared, converted from what looks like"
	}
	return decoded, fmt.Sprintf("%s: %s %s", source, how, name)
}
