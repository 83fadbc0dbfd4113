package redis

import (
	"strconv"
	"strings"
)

// Figures are numbers of the masters of the store when they were last examined. Those that are not known are negative.
type Figures struct {
	UsedMemory, MaxMemory int64 // of the master that is fullest; a MaxMemory of 0 is no limit
	Replicas              int64 // of the master that has the fewest connected
	ReplicationLag        int64 // bytes that the replica that is furthest behind lacks; 0 without a replica
}

// unknownFigures are the figures of a store that has not been examined.
var unknownFigures = Figures{UsedMemory: -1, MaxMemory: -1, Replicas: -1, ReplicationLag: -1}

// Figures returns the figures of the last examination without accessing Redis. None is known while Redis does not answer.
func (c *Conn) Figures() Figures {
	if f := c.figures.Load(); f != nil && c.Condition().Readable {
		return *f
	}
	return unknownFigures
}

// figuresOf returns the figures in the INFO of a master.
func figuresOf(info map[string]string) Figures {
	number := func(name string) int64 {
		n, err := strconv.ParseInt(info[name], 10, 64)
		if err != nil {
			return -1
		}
		return n
	}
	f := unknownFigures
	f.UsedMemory, f.MaxMemory, f.Replicas = number("used_memory"), number("maxmemory"), number("connected_slaves")
	if written := number("master_repl_offset"); written >= 0 {
		f.ReplicationLag = 0
		for n := range f.Replicas {
			f.ReplicationLag = max(f.ReplicationLag, written-replicaOffset(info["slave"+strconv.FormatInt(n, 10)], written))
		}
	}
	return f
}

// replicaOffset returns the offset in the line of a replica, such as "ip=10.0.0.1,port=6379,state=online,offset=14,lag=0", or unknown
// if it has none.
func replicaOffset(line string, unknown int64) int64 {
	for field := range strings.SplitSeq(line, ",") {
		if text, found := strings.CutPrefix(field, "offset="); found {
			if offset, err := strconv.ParseInt(text, 10, 64); err == nil {
				return offset
			}
		}
	}
	return unknown
}

// with returns the figures of f and another master.
func (f Figures) with(other Figures) Figures {
	if f == unknownFigures {
		return other
	}
	if other.fill() > f.fill() {
		f.UsedMemory, f.MaxMemory = other.UsedMemory, other.MaxMemory
	}
	f.Replicas, f.ReplicationLag = min(f.Replicas, other.Replicas), max(f.ReplicationLag, other.ReplicationLag)
	return f
}

// fill returns the used part of the memory limit or, without one, a negative number that is larger for more memory.
func (f Figures) fill() float64 {
	if f.MaxMemory > 0 {
		return float64(f.UsedMemory) / float64(f.MaxMemory)
	}
	return -1 / float64(max(f.UsedMemory, 1))
}
