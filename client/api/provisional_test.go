package api

import "testing"

// TestWithoutProvisional checks that ids and secrets that a dry run invented are left out with every text that contains one, and
// that everything else stays as it is, also what the request named and what existed.
func TestWithoutProvisional(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row                Row
		sent, answer, want string
	}{
		"created": {
			CreateSpace.Row, `{"title":"A <b>"}`,
			`{"object":"space","id":"s_1","title":"A <b>","n":12345678901234567890,"urls":{"location":"https://x/s_1","other":"y"},"empty":{}}`,
			`{"object":"space","title":"A <b>","n":12345678901234567890,"urls":{"other":"y"},"empty":{}}`,
		},
		"lists": {
			CreateChangeRequestReview.Row, "", `{"id":"rv_1","comments":["c_1","c_2"],"comment":null,"ok":[true,1.50]}`,
			`{"comments":[],"comment":null,"ok":[true,1.50]}`,
		},
		"existing": {
			CreateInvite.Row, "", `{"invites":[{"id":"i_1","secret":"wsi_1"},{"id":"i_2","existing":true}]}`,
			`{"invites":[{},{"id":"i_2","existing":true}]}`,
		},
		"named by the request": {
			EditChangeRequestContent.Row, `{"changes":[{"page":"p_1"}]}`, `{"changes":[{"page":{"id":"p_1"}},{"page":{"id":"p_2"}}]}`,
			`{"changes":[{"page":{"id":"p_1"}},{"page":{}}]}`,
		},
		"nothing invented": {UpdateSpace.Row, "", `{"id":"s_1"}`, `{"id":"s_1"}`},
		"no JSON":          {CreateSpace.Row, "", `{"id":`, `{"id":`},
	} {
		if got := string(WithoutProvisional(c.row, c.sent, []byte(c.answer))); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
