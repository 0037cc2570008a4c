// The part of libcurl's stable ABI (soname 4) that the transport uses.
//
// libcurl is installed on every system with Foundation's networking, but its header package may be missing. So the few
// declarations are repeated here. Numbers never change within the soname; a test compares the options with
// the library that is loaded. The variadic functions, which Swift cannot call, have typed wrappers (ccurl_…).
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef void CURL;
typedef void CURLM;

typedef enum {
    CURLE_OK = 0,
    CURLE_UNSUPPORTED_PROTOCOL = 1,
    CURLE_URL_MALFORMAT = 3,
    CURLE_NOT_BUILT_IN = 4,
    CURLE_COULDNT_RESOLVE_PROXY = 5,
    CURLE_COULDNT_RESOLVE_HOST = 6,
    CURLE_COULDNT_CONNECT = 7,
    CURLE_WEIRD_SERVER_REPLY = 8,
    CURLE_PARTIAL_FILE = 18,
    CURLE_OUT_OF_MEMORY = 27,
    CURLE_OPERATION_TIMEDOUT = 28,
    CURLE_SSL_CONNECT_ERROR = 35,
    CURLE_GOT_NOTHING = 52,
    CURLE_RECV_ERROR = 56,
    CURLE_PEER_FAILED_VERIFICATION = 60,
    CURLE_BAD_CONTENT_ENCODING = 61,
    CURLE_LOGIN_DENIED = 67,
    CURLE_SSL_CACERT_BADFILE = 77,
    CURLE_SSL_ISSUER_ERROR = 83,
    CURLE_SSL_PINNEDPUBKEYNOTMATCH = 90,
    CURLE_SSL_INVALIDCERTSTATUS = 91,
    CURLE_HTTP2_STREAM = 92,
    CURLE_TOO_LARGE = 100
} CURLcode;

typedef enum {
    CURLM_OK = 0
} CURLMcode;

typedef enum {
    CURLOPT_WRITEDATA = 10001,
    CURLOPT_URL = 10002,
    CURLOPT_PROXY = 10004,
    CURLOPT_ERRORBUFFER = 10010,
    CURLOPT_WRITEFUNCTION = 20011,
    CURLOPT_HTTPHEADER = 10023,
    CURLOPT_HEADERDATA = 10029,
    CURLOPT_CUSTOMREQUEST = 10036,
    CURLOPT_CAINFO = 10065,
    CURLOPT_CAPATH = 10097,
    CURLOPT_NOPROGRESS = 43,
    CURLOPT_NOBODY = 44,
    CURLOPT_POST = 47,
    CURLOPT_FRESH_CONNECT = 74,
    CURLOPT_HEADERFUNCTION = 20079,
    CURLOPT_HTTPGET = 80,
    CURLOPT_HTTP_VERSION = 84,
    CURLOPT_BUFFERSIZE = 98,
    CURLOPT_NOSIGNAL = 99,
    CURLOPT_PRIVATE = 10103,
    CURLOPT_POSTFIELDSIZE_LARGE = 30120,
    CURLOPT_CONNECTTIMEOUT_MS = 156,
    CURLOPT_COPYPOSTFIELDS = 10165,
    CURLOPT_PROXY_CAINFO = 10246,
    CURLOPT_PROXY_CAPATH = 10247,
    CURLOPT_PROTOCOLS = 181,
    CURLOPT_PATH_AS_IS = 234,
    CURLOPT_PIPEWAIT = 237,
    CURLOPT_SUPPRESS_CONNECT_HEADERS = 265,
    CURLOPT_DISALLOW_USERNAME_IN_URL = 278,
    CURLOPT_HTTP09_ALLOWED = 285,
    CURLOPT_PREREQFUNCTION = 20312,
    CURLOPT_PREREQDATA = 10313,
    CURLOPT_PROTOCOLS_STR = 10318,
    CURLOPT_QUICK_EXIT = 322
} CURLoption;

typedef enum {
    CURLMOPT_MAXCONNECTS = 6,
    CURLMOPT_MAX_HOST_CONNECTIONS = 7,
    CURLMOPT_MAX_CONCURRENT_STREAMS = 16
} CURLMoption;

typedef enum {
    CURLINFO_PRIVATE = 0x100000 + 21,
    CURLINFO_HTTP_CONNECTCODE = 0x200000 + 22,
    CURLINFO_LOCAL_PORT = 0x200000 + 42,
    CURLINFO_HTTP_VERSION = 0x200000 + 46,
    CURLINFO_SIZE_UPLOAD_T = 0x600000 + 7,
    CURLINFO_SIZE_DOWNLOAD_T = 0x600000 + 8
} CURLINFO;

enum {
    CURL_GLOBAL_ALL = 3,
    CURL_ERROR_SIZE = 256,
    CURLPAUSE_CONT = 0,
    CURL_WRITEFUNC_PAUSE = 0x10000001,
    CURL_HTTP_VERSION_1_1 = 2,
    CURL_HTTP_VERSION_2_0 = 3,
    CURL_HTTP_VERSION_2TLS = 4,
    CURLPROTO_HTTP_HTTPS = 3,
    CURLMSG_DONE = 1
};

struct curl_slist {
    char *data;
    struct curl_slist *next;
};

typedef struct CURLMsg {
    int msg;
    CURL *easy_handle;
    union {
        void *whatever;
        CURLcode result;
    } data;
} CURLMsg;

struct curl_waitfd;

struct curl_easyoption {
    const char *name;
    CURLoption id;
    int type;
    unsigned int flags;
};

CURLcode curl_global_init(long flags);
const char *curl_easy_strerror(CURLcode code);
const struct curl_easyoption *curl_easy_option_by_name(const char *name);

CURL *curl_easy_init(void);
void curl_easy_cleanup(CURL *easy);
CURLcode curl_easy_pause(CURL *easy, int mask);

struct curl_slist *curl_slist_append(struct curl_slist *list, const char *line);
void curl_slist_free_all(struct curl_slist *list);

CURLM *curl_multi_init(void);
CURLMcode curl_multi_cleanup(CURLM *multi);
CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_remove_handle(CURLM *multi, CURL *easy);
CURLMcode curl_multi_perform(CURLM *multi, int *running);
CURLMcode curl_multi_poll(
    CURLM *multi, struct curl_waitfd *extra, unsigned int extra_count, int milliseconds, int *ready);
CURLMcode curl_multi_wakeup(CURLM *multi);
CURLMsg *curl_multi_info_read(CURLM *multi, int *left);

/// Takes one piece of a head or a body; any other number than `size * count` ends the transfer.
typedef size_t (*ccurl_piece_function)(char *bytes, size_t size, size_t count, void *context);
/// Called when a connection is established, before the request is sent; a result other than 0 ends the transfer.
typedef int (*ccurl_prerequest_function)(
    void *context, char *remote_address, char *local_address, int remote_port, int local_port);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value);
CURLcode ccurl_set_piece_function(CURL *easy, CURLoption option, ccurl_piece_function function);
CURLcode ccurl_set_prerequest_function(CURL *easy, ccurl_prerequest_function function);
CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value);
CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, int64_t *value);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
