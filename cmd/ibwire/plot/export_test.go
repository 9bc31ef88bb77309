package plot

// Tracks returns how many flows are kept.
func (r *Recorder) Tracks() int { return len(r.tracks) }
