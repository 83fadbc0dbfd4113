// Package server assembles wsd from its features. New wires them together, Handler serves their operations, the
// health checks and the few other routes, and RunJobs runs the jobs that transactions have scheduled.
//
// Requests are processed by package rest. Only server.go imports Gin.
package server
