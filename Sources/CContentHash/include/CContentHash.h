// The one step of SHA-256 that processors have instructions for: Swift has no names for these.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Whether ``ccontenthash_compress`` can be called on this machine.
int ccontenthash_is_available(void);

/// Takes in whole blocks (FIPS 180-4, section 6.2.2).
///
/// - `state`: the eight words of the hash value, changed in place.
/// - `bytes`: `count` blocks of 64 bytes, which need no alignment.
void ccontenthash_compress(uint32_t *state, const uint8_t *bytes, size_t count);
