// SPDX-License-Identifier: MIT

package toft

import "io"

// ReadAll reads r to its end, as io.ReadAll does, and returns what it has read in a slice of the
// arena: with an error of r's, what came before that. The hint is how many bytes are expected, such as
// a request's Content-Length up to a bound of your own, since memory for so many is taken at once; where
// it is right, nothing is copied. If nobody knows, it is 0 or less.
func ReadAll(a *Arena, r io.Reader, hint int) ([]byte, error) {
	const spare = 512                        // for the read that finds the end, and the first one without a hint
	hint = min(max(hint, 0), maxBytes-spare) // so that Make refuses the sum, which else would overflow
	b := Make[byte](a, 0, hint+spare)
	for {
		if len(b) == cap(b) {
			b = Grow(a, b, 1)
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}
