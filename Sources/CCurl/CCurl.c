#include "CCurl.h"

extern CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...);
extern CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...);
extern CURLMcode curl_multi_setopt(CURLM *multi, CURLMoption option, ...);

CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode ccurl_set_piece_function(CURL *easy, CURLoption option, ccurl_piece_function function) {
    return curl_easy_setopt(easy, option, function);
}

CURLcode ccurl_set_prerequest_function(CURL *easy, ccurl_prerequest_function function) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, function);
}

CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, int64_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
