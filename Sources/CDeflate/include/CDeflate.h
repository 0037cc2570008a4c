#ifndef CDEFLATE_H
#define CDEFLATE_H

#include <stddef.h>
#include <stdint.h>

/// A gzip stream (RFC 1952) that is made bit by bit, by the system's zlib.
///
/// What is needed of zlib's ABI is declared here, so that its development files need not be installed. It is there wherever
/// libcurl is, which is linked with it.
typedef struct cdeflate cdeflate;

/// Begins a stream.
///
/// - Parameter level: 1 (quick) to 9 (small).
/// - Returns: `NULL` if there is no memory.
cdeflate *_Nullable cdeflate_begin(int level);

/// Takes bytes in, and gives out what came of them so far.
///
/// - Parameters:
///   - input, length: moved on and lowered by what was taken.
///   - ends: whether the stream ends behind these bytes; else what was taken can be read whole by who gets it.
///   - output, capacity: where it is put, at least 64 bytes.
///   - made: how many bytes were.
/// - Returns: 1 if there is more to give out: call again. 0 if not. -1 if the stream can't be made.
int cdeflate_add(
    cdeflate *_Nonnull stream, const uint8_t *_Nullable *_Nonnull input, size_t *_Nonnull length, int ends,
    uint8_t *_Nonnull output, size_t capacity, size_t *_Nonnull made);

void cdeflate_end(cdeflate *_Nonnull stream);

#endif
