package terms

import (
	"strings"
	"unicode"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/analysis/lang/ru"
)

// stopWords are the folded stop words of English, German and Russian.
var stopWords = loadStopWords()

func loadStopWords() map[string]bool {
	words := map[string]bool{}
	for _, list := range [][]byte{en.EnglishStopWords, de.GermanStopWords, ru.RussianStopWords} {
		found := analysis.NewTokenMap()
		_ = found.LoadBytes(list) // cannot fail: the list is embedded
		for word := range found {
			words[fold(word)] = true
		}
	}
	for _, word := range []string{"bin", "hat", "man", "war", "will"} { // German stop words that are content words in English
		delete(words, word)
	}
	return words
}

// particles are the particles of Japanese sentences, in hiragana.
const particles = " の を は が に で と も へ や か から まで より する した して するには には では とは への での です ます ください について "

// removeParticles replaces the particles of a Japanese sentence with spaces: hiragana between other letters that
// consists of particles only.
func removeParticles(query string) string {
	var out strings.Builder
	others := false // the query has other words
	for run := range cutAtHiragana(query) {
		if others && strings.Contains(particles, " "+run+" ") {
			run = " "
		}
		others = others || run != " "
		out.WriteString(run)
	}
	return out.String()
}

// cutAtHiragana cuts a text where hiragana begins or ends.
func cutAtHiragana(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			first := true
			var hiragana bool
			end := strings.IndexFunc(text, func(r rune) bool {
				is := unicode.Is(unicode.Hiragana, r)
				changed := !first && is != hiragana
				first, hiragana = false, is
				return changed
			})
			if end < 0 {
				end = len(text)
			}
			if !yield(text[:end]) {
				return
			}
			text = text[end:]
		}
	}
}
