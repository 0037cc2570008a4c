// The part of zlib's stable ABI (soname 1) that is used.
//
// zlib is installed with libcurl, which links it, but its header package may be missing. So the few declarations
// are repeated here. Numbers never change within the soname; a test compares them with the library that is loaded.
#ifndef CZLIB_H
#define CZLIB_H

#include <stddef.h>
#include <stdint.h>

enum { Z_OK = 0, Z_STREAM_END = 1, Z_MEM_ERROR = -4, Z_BUF_ERROR = -5 };
enum { Z_NO_FLUSH = 0, Z_SYNC_FLUSH = 2, Z_FINISH = 4 };
enum { Z_DEFLATED = 8, Z_DEFAULT_STRATEGY = 0 };

/// The text of a result.
const char *_Nonnull zError(int result);
/// Two bits each: the sizes of `unsigned`, `unsigned long` and a pointer (0 for 2 bytes, 1 for 4, 2 for 8), and other settings.
unsigned long zlibCompileFlags(void);

/// A gzip stream (RFC 1952) that is compressed in pieces.
typedef struct czlib_deflate czlib_deflate;

/// Begins a stream.
///
/// - Parameter level: 1 (quick) to 9 (small).
/// - Returns: `NULL` if there is no memory.
czlib_deflate *_Nullable czlib_deflate_begin(int level);

/// Compresses bytes, and returns the output that is available so far.
///
/// - Parameters:
///   - input, length: advanced and reduced by the number of consumed bytes.
///   - ends: whether the stream ends after these bytes. If not, all consumed bytes can be decompressed from the output.
///   - output, capacity: the output buffer and its size, at least 64 bytes.
///   - made: the number of bytes written to `output`.
/// - Returns: 1 if more output is pending: call again. 0 if not. -1 if the compression failed.
int czlib_deflate_add(
    czlib_deflate *_Nonnull stream, const uint8_t *_Nullable *_Nonnull input, size_t *_Nonnull length, int ends,
    uint8_t *_Nonnull output, size_t capacity, size_t *_Nonnull made);

void czlib_deflate_end(czlib_deflate *_Nonnull stream);

/// Decompresses gzip members (RFC 1952), one after the other, in pieces.
typedef struct czlib_inflate czlib_inflate;

/// The result of `czlib_inflate_add`.
enum {
    /// All input was consumed, or the output buffer is full: more input, or another call, is needed.
    CZLIB_INFLATE_MORE = 0,
    /// The member is complete, and its checksum and length are correct. The remaining input is not part of it.
    CZLIB_INFLATE_END = 1,
    /// The bytes are not a gzip member, or its checksum or length is wrong.
    CZLIB_INFLATE_BROKEN = -1,
    CZLIB_INFLATE_NO_MEMORY = -2
};

/// Begins the decompression of a member.
///
/// - Returns: `NULL` if there is no memory.
czlib_inflate *_Nullable czlib_inflate_begin(void);

/// Begins another member with the next byte.
void czlib_inflate_restart(czlib_inflate *_Nonnull stream);

/// Decompresses bytes, and returns the output that is available so far.
///
/// - Parameters:
///   - input, length: advanced and reduced by the number of consumed bytes.
///   - output, capacity: the output buffer and its size. If it was filled, call again, even without input: more may be pending.
///   - made: the number of bytes written to `output`.
/// - Returns: one of `CZLIB_INFLATE_…`.
int czlib_inflate_add(
    czlib_inflate *_Nonnull stream, const uint8_t *_Nullable *_Nonnull input, size_t *_Nonnull length,
    uint8_t *_Nonnull output, size_t capacity, size_t *_Nonnull made);

void czlib_inflate_end(czlib_inflate *_Nonnull stream);

#endif
