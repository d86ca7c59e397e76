package portable

// Where returns yes if the condition holds, else no.
func Where(holds bool, yes, no float64) float64 {
	if holds {
		return yes
	}
	return no
}
