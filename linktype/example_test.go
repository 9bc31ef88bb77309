package linktype_test

import (
	"fmt"

	"github.com/ibwire/ibwire/linktype"
)

func Example() {
	for _, t := range []linktype.Type{197, 247, 276, 150} {
		fmt.Println(uint16(t), t, t.IsUser())
	}
	// Output:
	// 197 ERF false
	// 247 INFINIBAND false
	// 276 LINUX_SLL2 false
	// 150 USER3 true
}
