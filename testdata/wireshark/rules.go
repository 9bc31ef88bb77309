package wireshark

import "slices"

// Rules are the known differences.
var Rules = slices.Concat(generalRules, erfRules, outerRules, tunnelRules, unknownRules, rdRules, lengthRules, crcRules, rawRules)
