#include "CDeflate.h"

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

enum { ok = 0, at_end = 1, nothing_to_do = -5 };
enum { sync_flush = 2, finish = 4 };
enum { method_deflate = 8, gzip_window = 15 + 16, memory_level = 8 };

struct cdeflate {
    struct zlib_stream zlib;
};

cdeflate *cdeflate_begin(int level) {
    cdeflate *stream = calloc(1, sizeof *stream);
    if (!stream) return NULL;
    // Of the version only the first digit counts, and the size.
    int result = deflateInit2_(
        &stream->zlib, level, method_deflate, gzip_window, memory_level, 0, "1.2.0",
        (int)sizeof stream->zlib);
    if (result == ok) return stream;
    free(stream);
    return NULL;
}

int cdeflate_add(
    cdeflate *stream, const uint8_t **input, size_t *length, int ends, uint8_t *output, size_t capacity,
    size_t *made) {
    struct zlib_stream *zlib = &stream->zlib;
    unsigned taken = *length > UINT_MAX ? UINT_MAX : (unsigned)*length;
    unsigned room = capacity > UINT_MAX ? UINT_MAX : (unsigned)capacity;
    int is_last = taken == *length;
    zlib->next_in = *input;
    zlib->avail_in = taken;
    zlib->next_out = output;
    zlib->avail_out = room;
    int result = deflate(zlib, is_last ? (ends ? finish : sync_flush) : 0);
    *input = zlib->next_in;
    *length -= taken - zlib->avail_in;
    *made = room - zlib->avail_out;
    switch (result) {
    case at_end: return 0;
    case ok: return *length > 0 || zlib->avail_out == 0 || (ends && is_last);
    // Asked once more when the room was used up to the last byte, and all was given out.
    case nothing_to_do: return *length > 0 ? -1 : 0;
    default: return -1;
    }
}

void cdeflate_end(cdeflate *stream) {
    deflateEnd(&stream->zlib);
    free(stream);
}
