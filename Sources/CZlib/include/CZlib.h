// The part of zlib's stable ABI (soname 1) that is used.
//
// zlib is on every system that has libcurl, which is linked with it; its header package need not be. So the few declarations
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

/// A gzip stream (RFC 1952) that is made bit by bit.
typedef struct czlib_deflate czlib_deflate;

/// Begins a stream.
///
/// - Parameter level: 1 (quick) to 9 (small).
/// - Returns: `NULL` if there is no memory.
czlib_deflate *_Nullable czlib_deflate_begin(int level);

/// Takes bytes in, and gives out what came of them so far.
///
/// - Parameters:
///   - input, length: moved on and lowered by what was taken.
///   - ends: whether the stream ends behind these bytes; else the reader can unpack everything that was taken.
///   - output, capacity: where it is put, at least 64 bytes.
///   - made: how many bytes were.
/// - Returns: 1 if there is more to give out: call again. 0 if not. -1 if the stream can't be made.
int czlib_deflate_add(
    czlib_deflate *_Nonnull stream, const uint8_t *_Nullable *_Nonnull input, size_t *_Nonnull length, int ends,
    uint8_t *_Nonnull output, size_t capacity, size_t *_Nonnull made);

void czlib_deflate_end(czlib_deflate *_Nonnull stream);

/// Reads one gzip member after the other (RFC 1952), bit by bit.
typedef struct czlib_inflate czlib_inflate;

/// What became of a call of `czlib_inflate_add`.
enum {
    /// All input was used, or all room: more input, or another call, is needed.
    CZLIB_INFLATE_MORE = 0,
    /// The member ends here, and its sum and length are right. What is left of the input is none of it.
    CZLIB_INFLATE_END = 1,
    /// These bytes are no gzip member, or their sum or length is wrong.
    CZLIB_INFLATE_BROKEN = -1,
    CZLIB_INFLATE_NO_MEMORY = -2
};

/// Begins with a member.
///
/// - Returns: `NULL` if there is no memory.
czlib_inflate *_Nullable czlib_inflate_begin(void);

/// Forgets the member that was read; the next byte begins another.
void czlib_inflate_restart(czlib_inflate *_Nonnull stream);

/// Takes bytes in, and gives out what they decode to.
///
/// - Parameters:
///   - input, length: moved on and lowered by what was taken.
///   - output, capacity: where it is put. If all of it was used, there may be more to give out: call again, even without input.
///   - made: how many bytes were.
/// - Returns: one of `CZLIB_INFLATE_…`.
int czlib_inflate_add(
    czlib_inflate *_Nonnull stream, const uint8_t *_Nullable *_Nonnull input, size_t *_Nonnull length,
    uint8_t *_Nonnull output, size_t capacity, size_t *_Nonnull made);

void czlib_inflate_end(czlib_inflate *_Nonnull stream);

#endif
