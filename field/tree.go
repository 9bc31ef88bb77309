package field

// AppendTree appends the tree of a frame, as tshark -V prints it, a line for
// each value. err is what Decode has returned for the packet, or nil.
func AppendTree(dst []byte, f *Frame, err error) []byte {
	for v := range f.Values() {
		if v.Field.Alias {
			continue
		}
		for range v.Field.level {
			dst = append(dst, "    "...)
		}
		dst = v.AppendLabel(dst)
		dst = append(dst, '\n')
	}
	if err != nil {
		dst = append(dst, "[Not decoded: "...)
		dst = append(dst, err.Error()...)
		dst = append(dst, "]\n"...)
	}
	return dst
}
