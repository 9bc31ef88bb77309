package main

import (
	"strings"
	"unicode/utf8"
)

// A grid is a table of text: numbers, right-aligned, and then one column of words.
type grid [][]string

func (g *grid) add(cells ...string) { *g = append(*g, cells) }

// append appends the table, each line with an indent of two.
func (g grid) append(dst []byte) []byte {
	var widths []int
	for _, row := range g {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range g {
		for i, cell := range row {
			dst = append(dst, "  "...)
			if i < len(row)-1 {
				dst = append(dst, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))...)
			}
			dst = append(dst, cell...)
		}
		dst = append(dst, '\n')
	}
	return dst
}
