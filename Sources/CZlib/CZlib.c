#include "CZlib.h"

#include <limits.h>
#include <stdlib.h>

// From zlib's ABI, the same since version 1.2.
struct zlib_stream {
    const uint8_t *next_in;
    unsigned avail_in;
    unsigned long total_in;
    uint8_t *next_out;
    unsigned avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *(*allocate)(void *, unsigned, unsigned);
    void (*release)(void *, void *);
    void *opaque;
    int data_type;
    unsigned long check;
    unsigned long reserved;
};

extern int deflateInit2_(
    struct zlib_stream *stream, int level, int method, int window_bits, int memory_level, int strategy,
    const char *version, int stream_size);
extern int deflate(struct zlib_stream *stream, int flush);
extern int deflateEnd(struct zlib_stream *stream);
extern int inflateInit2_(struct zlib_stream *stream, int window_bits, const char *version, int stream_size);
extern int inflateReset(struct zlib_stream *stream);
extern int inflate(struct zlib_stream *stream, int flush);
extern int inflateEnd(struct zlib_stream *stream);

// The largest window, and 16 for gzip's header and trailer.
enum { gzip_window = 15 + 16, memory_level = 8 };

struct czlib_deflate {
    struct zlib_stream zlib;
};

czlib_deflate *czlib_deflate_begin(int level) {
    czlib_deflate *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    // zlib checks the size of the structure, and only the first digit of the version.
    int result = deflateInit2_(
        &stream->zlib, level, Z_DEFLATED, gzip_window, memory_level, Z_DEFAULT_STRATEGY, "1.2.0",
        (int)sizeof stream->zlib);
    if (result == Z_OK) return stream;
    free(stream);
    return NULL;
}

int czlib_deflate_add(
    czlib_deflate *stream, const uint8_t **input, size_t *length, int ends, uint8_t *output, size_t capacity,
    size_t *made) {
    struct zlib_stream *zlib = &stream->zlib;
    unsigned taken = *length > UINT_MAX ? UINT_MAX : (unsigned)*length;
    unsigned room = capacity > UINT_MAX ? UINT_MAX : (unsigned)capacity;
    int is_last = taken == *length;
    zlib->next_in = *input;
    zlib->avail_in = taken;
    zlib->next_out = output;
    zlib->avail_out = room;
    int result = deflate(zlib, is_last ? (ends ? Z_FINISH : Z_SYNC_FLUSH) : Z_NO_FLUSH);
    *input = zlib->next_in;
    *length -= taken - zlib->avail_in;
    *made = room - zlib->avail_out;
    switch (result) {
    case Z_STREAM_END: return 0;
    case Z_OK: return *length > 0 || zlib->avail_out == 0 || (ends && is_last);
    // Returned if the call before filled the output buffer exactly, and no output was pending.
    case Z_BUF_ERROR: return *length > 0 ? -1 : 0;
    default: return -1;
    }
}

void czlib_deflate_end(czlib_deflate *stream) {
    deflateEnd(&stream->zlib);
    free(stream);
}

struct czlib_inflate {
    struct zlib_stream zlib;
};

czlib_inflate *czlib_inflate_begin(void) {
    czlib_inflate *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    if (inflateInit2_(&stream->zlib, gzip_window, "1.2.0", (int)sizeof stream->zlib) == Z_OK) return stream;
    free(stream);
    return NULL;
}

void czlib_inflate_restart(czlib_inflate *stream) { inflateReset(&stream->zlib); }

int czlib_inflate_add(
    czlib_inflate *stream, const uint8_t **input, size_t *length, uint8_t *output, size_t capacity,
    size_t *made) {
    struct zlib_stream *zlib = &stream->zlib;
    unsigned taken = *length > UINT_MAX ? UINT_MAX : (unsigned)*length;
    unsigned room = capacity > UINT_MAX ? UINT_MAX : (unsigned)capacity;
    zlib->next_in = *input;
    zlib->avail_in = taken;
    zlib->next_out = output;
    zlib->avail_out = room;
    int result = inflate(zlib, Z_NO_FLUSH);
    *input = zlib->next_in;
    *length -= taken - zlib->avail_in;
    *made = room - zlib->avail_out;
    switch (result) {
    case Z_STREAM_END: return CZLIB_INFLATE_END;
    // Z_BUF_ERROR: no progress was possible.
    case Z_OK:
    case Z_BUF_ERROR: return CZLIB_INFLATE_MORE;
    case Z_MEM_ERROR: return CZLIB_INFLATE_NO_MEMORY;
    default: return CZLIB_INFLATE_BROKEN;
    }
}

void czlib_inflate_end(czlib_inflate *stream) {
    inflateEnd(&stream->zlib);
    free(stream);
}
