package spaces_test

import (
	"fmt"
	"testing"
	"time"

	"docspace.dev/wsd/server/servertest"
)

// BenchmarkGetSpace measures the reading of a space in a small and a large organization.
func BenchmarkGetSpace(b *testing.B) {
	for _, n := range orgSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := servertest.NewBench(b, "everysec")
			x.CreateSpaces(n)
			url := x.Web.URL + "/v1/spaces/" + x.CreateSpace("One")
			floor, _ := x.StoreFloor(len(x.Get(url)))
			x.Compare(4000, func(int) { x.Get(floor) }, func(int) { x.Get(url) })
		})
	}
}

// BenchmarkListSpaces measures the listing of spaces in a small and a large organization.
func BenchmarkListSpaces(b *testing.B) {
	for _, n := range orgSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := servertest.NewBench(b, "everysec")
			x.CreateSpaces(n)
			url := x.Web.URL + "/v1/orgs/" + x.Org + "/spaces?limit=50"
			_, floor := x.StoreFloor(len(x.Get(url)) / 50)
			x.Compare(1000, func(int) { x.Get(floor) }, func(int) { x.Get(url) })
		})
	}
}

// BenchmarkOrganizationSize compares the same requests to a small and a large organization.
func BenchmarkOrganizationSize(b *testing.B) {
	var servers [2]*servertest.Bench
	var made [2]string
	for i, n := range orgSizes {
		servers[i] = servertest.NewBench(b, "everysec")
		servers[i].CreateSpaces(n)
		made[i] = servers[i].CreateSpace("One")
	}
	for name, request := range map[string]func(x *servertest.Bench, space string){
		"get":    func(x *servertest.Bench, space string) { x.Get(x.Web.URL + "/v1/spaces/" + space) },
		"list":   func(x *servertest.Bench, _ string) { x.Get(x.Web.URL + "/v1/orgs/" + x.Org + "/spaces?limit=50") },
		"create": func(x *servertest.Bench, _ string) { x.CreateSpace("Another") },
	} {
		b.Run(name, func(b *testing.B) {
			servertest.CompareSizes(b, 500, orgSizes, func(i int) (micros float64) {
				start := time.Now()
				request(servers[i], made[i])
				return float64(time.Since(start).Microseconds())
			})
		})
	}
}

// orgSizes are the numbers of spaces of the measured organizations.
var orgSizes = [2]int{100, 100_000}
