package lifecycle_test

import (
	"net/http"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/txn"
)

// BenchmarkDuplicate duplicates a small and a large space. Its unit is the processor time of wsd and Redis.
func BenchmarkDuplicate(b *testing.B) {
	benchmarkCopies(b, func(x *servertest.Bench, space string) {
		x.Send(http.MethodPost, x.Web.URL+"/v1/spaces/"+space+"/duplicate", nil)
	})
}

// BenchmarkTransfer transfers a small and a large space to another organization and back. Its unit is the processor time of
// wsd and Redis.
func BenchmarkTransfer(b *testing.B) {
	other := ""
	benchmarkCopies(b, func(x *servertest.Bench, space string) {
		if other == "" {
			var created api.Organization
			x.Do(http.MethodPost, "/v1/orgs", api.OrganizationCreate{Title: "Other"}, &created)
			other = created.ID
		}
		for _, to := range []string{other, x.Org} {
			x.Send(http.MethodPost, x.Web.URL+"/v1/spaces/"+space+"/transfer", api.Transfer{Organization: to})
		}
	})
}

// benchmarkCopies measures run on a space of 1,000 pages and one of 10,000. x-objects and x-bytes are the ratios of their stored
// objects and of the bytes of these, which grow faster than the pages because each edit of 50 pages adds parts of the page tree
// to the history, the larger the more pages there are.
func benchmarkCopies(b *testing.B, run func(x *servertest.Bench, space string)) {
	b.Helper()
	sizes := [2]int{1_000, 10_000}
	x := servertest.NewBench(b, "no")
	spaces, objects, stored := [2]string{}, [2]int{}, [2]int{}
	for i, size := range sizes {
		spaces[i], _ = x.CreateSpaceWithPages(size)
		for first := range 256 {
			all, err := x.Redis.HVals(b.Context(), x.Store.Name(txn.ObjectKey(spaces[i], byte(first)))).Result()
			if err != nil {
				b.Fatal(err)
			}
			objects[i] += len(all)
			for _, object := range all {
				stored[i] += len(object)
			}
		}
	}
	servertest.CompareSizes(b, 3, sizes, func(i int) float64 {
		before := x.CPUTime()
		run(x, spaces[i])
		return float64((x.CPUTime() - before).Microseconds())
	})
	b.ReportMetric(float64(objects[1])/float64(objects[0]), "x-objects")
	b.ReportMetric(float64(stored[1])/float64(stored[0]), "x-bytes")
}
