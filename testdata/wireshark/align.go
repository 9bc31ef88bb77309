package wireshark

// A pair is an item of Wireshark's and the one of ours that is the same field.
// One of them is nil where the other side does not have the field.
type pair struct{ theirs, ours *Item }

// An aligner pairs the items of a frame. Its memory is used again.
type aligner struct {
	pairs []pair
	best  []int // [i*columns+j]: how well theirs[i:] and ours[j:] go together
}

// align pairs items of the same name, in order: as many as possible, and of
// those that may be paired in several ways the ones at the same place.
func (a *aligner) align(theirs, ours []Item) []pair {
	a.pairs = a.pairs[:0]
	for len(theirs) > 0 && len(ours) > 0 && likeness(&theirs[0], &ours[0]) == samePlace {
		a.pairs = append(a.pairs, pair{&theirs[0], &ours[0]})
		theirs, ours = theirs[1:], ours[1:]
	}
	columns := len(ours) + 1
	a.rate(theirs, ours, columns)
	i, j := 0, 0
	for i < len(theirs) && j < len(ours) {
		here := a.best[i*columns+j]
		switch like := likeness(&theirs[i], &ours[j]); {
		case like > 0 && here == like+a.best[(i+1)*columns+j+1]:
			a.pairs = append(a.pairs, pair{&theirs[i], &ours[j]})
			i, j = i+1, j+1
		case here == a.best[(i+1)*columns+j]:
			a.pairs = append(a.pairs, pair{theirs: &theirs[i]})
			i++
		default:
			a.pairs = append(a.pairs, pair{ours: &ours[j]})
			j++
		}
	}
	for ; i < len(theirs); i++ {
		a.pairs = append(a.pairs, pair{theirs: &theirs[i]})
	}
	for ; j < len(ours); j++ {
		a.pairs = append(a.pairs, pair{ours: &ours[j]})
	}
	return a.pairs
}

// rate fills best from the end of both.
func (a *aligner) rate(theirs, ours []Item, columns int) {
	if n := (len(theirs) + 1) * columns; len(a.best) < n {
		a.best = make([]int, n)
	}
	for i := len(theirs); i >= 0; i-- {
		for j := len(ours); j >= 0; j-- {
			best := 0
			if i < len(theirs) && j < len(ours) {
				best = max(a.best[(i+1)*columns+j], a.best[i*columns+j+1])
				if like := likeness(&theirs[i], &ours[j]); like > 0 {
					best = max(best, like+a.best[(i+1)*columns+j+1])
				}
			}
			a.best[i*columns+j] = best
		}
	}
}

const (
	sameName  = 4
	samePlace = 5
)

// likeness says how much two items are the same.
func likeness(theirs, ours *Item) int {
	switch {
	case theirs.Name != ours.Name:
		return 0
	case theirs.Offset == ours.Offset && theirs.Length == ours.Length:
		return samePlace
	}
	return sameName
}
