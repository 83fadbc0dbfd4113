package comments_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// BenchmarkCreateComment measures the creation of a comment. Its floor is the GET request of a comment.
func BenchmarkCreateComment(b *testing.B) {
	for _, fsync := range []string{"everysec", "always"} {
		b.Run(fsync, func(b *testing.B) {
			x := servertest.NewBench(b, fsync)
			url := x.Web.URL + "/v1/spaces/" + x.CreateSpace("One") + "/comments"
			body := api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("A remark.")}}
			var made api.Comment
			if err := json.Unmarshal(x.Send(http.MethodPost, url, body), &made); err != nil {
				b.Fatal(err)
			}
			x.Compare(2000, func(int) { x.Get(url + "/" + made.ID) }, func(int) { x.Send(http.MethodPost, url, body) })
		})
	}
}
