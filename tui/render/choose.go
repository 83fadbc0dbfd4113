package render

// Choose returns yes if the condition holds, else no.
func Choose[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}
