package wireshark

import (
	"slices"
	"strings"
)

// withPayload brings what Wireshark shows of the payload of InfiniBand to the
// place and the name that it has in ours. Wireshark has a generic field for it,
// behind all others.
func withPayload(items, ours []Item) []Item {
	i := slices.IndexFunc(items, func(i Item) bool { return i.Name == payload })
	if i < 0 {
		return items
	}
	found := items[i]
	items = slices.Delete(items, i, i+1)
	if !leadsToInfiniBand(items) || !slices.ContainsFunc(ours, func(i Item) bool { return i.Name == "infiniband.bth" || i.Name == "infiniband.payload" }) {
		return items
	}
	found.Name, found.Label = "infiniband.payload", ""
	crc := slices.IndexFunc(items, func(i Item) bool { return strings.HasSuffix(i.Name, ".crc") })
	if crc < 0 {
		crc = len(items)
	}
	return slices.Insert(items, crc, found)
}

// withoutERF leaves out what a capture of link type 247 has in its twin only.
func withoutERF(items []Item) []Item {
	items = slices.DeleteFunc(items, func(i Item) bool { return family(i.Name) == "erf" })
	for i := range items {
		if items[i].Name == "frame.protocols" {
			items[i].Text = strings.TrimPrefix(items[i].Text, "erf:")
			items[i].Label = strings.Replace(items[i].Label, "erf:", "", 1)
		}
	}
	return items
}

// leadsToInfiniBand reports whether there is InfiniBand in a frame.
func leadsToInfiniBand(items []Item) bool {
	return slices.ContainsFunc(items, func(i Item) bool { return strings.HasPrefix(i.Name, "infiniband") })
}

// withoutOuter leaves out the headers in front of what is no InfiniBand.
func withoutOuter(items []Item) []Item {
	return slices.DeleteFunc(items, func(i Item) bool {
		f := family(i.Name)
		return f != "frame" && f != "erf" && f != "ibwire"
	})
}

// family returns the first part of a name.
func family(name string) string {
	f, _, _ := strings.Cut(name, ".")
	return f
}
