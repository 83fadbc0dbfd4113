//go:build !race

package store_test

const simHistories = 50 // of the sample
