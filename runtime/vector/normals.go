package vector

import "github.com/vflc/vflc/portable"

// Normals sets y to n independent standard normals by the method of Box and Muller. It uses n random words,
// or n+1 if n is odd. The first half of y comes from the cosines, the second from the sines; no absolute
// value exceeds 8.5.
func Normals(n int, y []float64, words []uint64) {
	half := n / 2
	odd := n & 1
	u, v := words[:half+odd], words[half+odd:][:half+odd]
	boxMuller(active, half, y, y[min(half+odd, len(y)):], u, v)
	if odd == 1 {
		y[half], _ = portable.NormalPair(u[half], v[half])
	}
}

func boxMullerGo(n int, y, other []float64, u, v []uint64) {
	for i := range n {
		y[i], other[i] = portable.NormalPair(u[i], v[i])
	}
}
