package main
import ("testing";"fmt";"math";"os";"strings"
"github.com/vflc/vflc/bench/stopwatch"
)
func TestTurn(t *testing.T){
 for _,size:=range [][2]int{{8000,20},{10_000,20},{10_000,32},{10_000,50},{3000,100},{10_000,100},{2000,200},{10_000,500},{10_000,760},{10_000,2000},{100_000,10},{100_000,20},{1_000_000,10}} {
  n,p:=size[0],size[1]
  if v:=os.Getenv("SIZES"); v!="" && !strings.Contains(v, fmt.Sprintf("%dx%d,",n,p)) {continue}
  var tasks []stopwatch.Task
  for _,d:=range []tables{regression(n,p), decimals(n,p)} {
   g,err:=load(logistic,d); if err!=nil {t.Fatal(err)}
   e,x:=g.NewExec(),make([]float64,g.Dim())
   for i:=range x { x[i]=0.3*math.Sin(float64(i+1)) }
   tasks=append(tasks, stopwatch.Task{Name:"a",Run:func(){e.Forward(x);e.Target()}})
  }
  tasks=append(tasks, reading(n,p))
  r:=stopwatch.MeasureSeries(tasks,21,10)
  fmt.Printf("%8d x %4d float64 %9.0f (least %9.0f) decimals %9.0f (least %9.0f) ratio %.2f (%.2f-%.2f)  reading %9.0f %.2f\n",n,p,r[0].Median/1e3,r[0].Least/1e3,r[1].Median/1e3,r[1].Least/1e3,1/r[1].Ratio,1/r[1].High,1/r[1].Low,r[2].Median/1e3,r[2].Ratio)
 }
}
