package main
import ("testing";"github.com/vflc/vflc/bench/beside")
func BenchmarkR(b *testing.B){
 for _,r:=range recursions(){ b.Run(r.name,func(b *testing.B){
  g,err:=beside.Load(r.text,r.data); if err!=nil{b.Fatal(err)}
  e,x:=g.NewExec(),beside.Point(g.Dim())
  if testing.Verbose(){ b.Log(g.String()) }
  b.ResetTimer()
  for range b.N { e.Forward(x); e.Target() }
 })}
}
