package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"

	"github.com/vflc/vflc/data"
)

func main() {
	set, list := data.Load(data.Sources{{PartyRef: data.PartyRef{Name: "server"}, Files: []string{os.Args[1]}}}, "id")
	if list.HasErrors() {
		panic(data.Errors(list))
	}
	report("load")
	b, list := set.Bind([]data.Want{{Name: "y", Owner: "server", Rank: 1}, {Name: "X", Owner: "server", Rank: 2}})
	if list.HasErrors() {
		panic(data.Errors(list))
	}
	report("bind")
	runtime.KeepAlive(set)
	set = nil
	report("tables dropped")
	s := 0.0
	for _, v := range b["server"]["X"].Values {
		s += v
	}
	fmt.Println(s, set)
}

func report(what string) {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	cpu := float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf("%-8s cpu %.2f s  live %.1f MB  peak %.1f MB\n", what, cpu, float64(m.HeapAlloc)/1e6, float64(u.Maxrss)*1024/1e6)
}
