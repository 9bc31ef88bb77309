//go:build !purego

#include "textflag.h"

// FOLD takes the 128 bits of acc to where the constants in X0 lead: the lower half
// with the first constant, the upper half with the second. It needs tmp.
#define FOLD(acc, tmp) \
	MOVOA acc, tmp \
	PCLMULQDQ $0x00, X0, acc \
	PCLMULQDQ $0x11, X0, tmp \
	PXOR tmp, acc

// func foldCLMUL(rest *[16]byte, crc uint16, p *byte, n int, k *[4]uint64)
TEXT ·foldCLMUL(SB), NOSPLIT, $0-40
	MOVQ    rest+0(FP), DX
	MOVWQZX crc+8(FP), AX
	MOVQ    p+16(FP), SI
	MOVQ    n+24(FP), CX
	MOVQ    k+32(FP), DI

	// Four times 16 bytes at once, so that none waits for another.
	MOVOU (SI), X1
	MOVOU 16(SI), X2
	MOVOU 32(SI), X3
	MOVOU 48(SI), X4
	MOVQ  AX, X5
	PXOR  X5, X1
	MOVOU (DI), X0
	ADDQ  $64, SI
	SUBQ  $64, CX
	CMPQ  CX, $64
	JLT   join

four:
	FOLD(X1, X5)
	FOLD(X2, X6)
	FOLD(X3, X7)
	FOLD(X4, X8)
	MOVOU (SI), X9
	MOVOU 16(SI), X10
	MOVOU 32(SI), X11
	MOVOU 48(SI), X12
	PXOR  X9, X1
	PXOR  X10, X2
	PXOR  X11, X3
	PXOR  X12, X4
	ADDQ  $64, SI
	SUBQ  $64, CX
	CMPQ  CX, $64
	JGE   four

join:
	MOVOU 16(DI), X0
	FOLD(X1, X5)
	PXOR  X1, X2
	FOLD(X2, X6)
	PXOR  X2, X3
	FOLD(X3, X7)
	PXOR  X3, X4

one:
	CMPQ  CX, $16
	JLT   done
	FOLD(X4, X8)
	MOVOU (SI), X9
	PXOR  X9, X4
	ADDQ  $16, SI
	SUBQ  $16, CX
	JMP   one

done:
	MOVOU X4, (DX)
	RET

// func ecxOfCPUID1() uint32
TEXT ·ecxOfCPUID1(SB), NOSPLIT, $0-4
	MOVL  $1, AX
	XORL  CX, CX
	CPUID
	MOVL  CX, ret+0(FP)
	RET
