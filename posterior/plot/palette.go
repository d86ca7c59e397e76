package plot

// The colours of lines and texts on a white ground.
var (
	black = color{0x1a, 0x1a, 0x1a}
	grey  = color{0x6b, 0x6b, 0x6b}
	pale  = color{0xe4, 0xe4, 0xe4}
	white = color{0xff, 0xff, 0xff}
)

// hues returns the colours of chains and runs, in their order: those of Okabe and Ito 2008, "Color universal
// design", that are dark enough for lines on white. People with the common kinds of colour blindness can tell
// them apart.
func hues() []color {
	return []color{{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73}, {0xcc, 0x79, 0xa7},
		{0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9}}
}

// hue is the colour of the k-th chain or run, from 0. Lines beyond the last colour begin with the first
// again, dashed.
func hue(k int) (c color, dashed bool) {
	all := hues()
	return all[k%len(all)], k/len(all)%2 == 1
}

// alarm is the colour of divergent transitions: it differs in lightness from the draws it lies on.
func alarm() color { return hues()[1] }
