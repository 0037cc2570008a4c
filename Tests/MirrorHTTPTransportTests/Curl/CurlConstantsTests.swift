import CCurl
import Testing

/// Compares the handwritten constants of `CCurl.h` with the options' numbers in the library.
@Suite struct CurlConstantsTests {
    @Test(arguments: [
        ("WRITEDATA", CURLOPT_WRITEDATA), ("URL", CURLOPT_URL), ("PROXY", CURLOPT_PROXY),
        ("ERRORBUFFER", CURLOPT_ERRORBUFFER), ("WRITEFUNCTION", CURLOPT_WRITEFUNCTION),
        ("HTTPHEADER", CURLOPT_HTTPHEADER), ("HEADERDATA", CURLOPT_HEADERDATA),
        ("CUSTOMREQUEST", CURLOPT_CUSTOMREQUEST), ("NOPROGRESS", CURLOPT_NOPROGRESS),
        ("NOBODY", CURLOPT_NOBODY), ("POST", CURLOPT_POST), ("FRESH_CONNECT", CURLOPT_FRESH_CONNECT),
        ("HEADERFUNCTION", CURLOPT_HEADERFUNCTION), ("HTTPGET", CURLOPT_HTTPGET),
        ("HTTP_VERSION", CURLOPT_HTTP_VERSION), ("BUFFERSIZE", CURLOPT_BUFFERSIZE),
        ("NOSIGNAL", CURLOPT_NOSIGNAL),
        ("PRIVATE", CURLOPT_PRIVATE), ("POSTFIELDSIZE_LARGE", CURLOPT_POSTFIELDSIZE_LARGE),
        ("CONNECTTIMEOUT_MS", CURLOPT_CONNECTTIMEOUT_MS), ("COPYPOSTFIELDS", CURLOPT_COPYPOSTFIELDS),
        ("PROTOCOLS", CURLOPT_PROTOCOLS), ("PATH_AS_IS", CURLOPT_PATH_AS_IS), ("PIPEWAIT", CURLOPT_PIPEWAIT),
        ("SUPPRESS_CONNECT_HEADERS", CURLOPT_SUPPRESS_CONNECT_HEADERS),
        ("DISALLOW_USERNAME_IN_URL", CURLOPT_DISALLOW_USERNAME_IN_URL),
        ("HTTP09_ALLOWED", CURLOPT_HTTP09_ALLOWED), ("PREREQFUNCTION", CURLOPT_PREREQFUNCTION),
        ("PREREQDATA", CURLOPT_PREREQDATA), ("PROTOCOLS_STR", CURLOPT_PROTOCOLS_STR),
        ("QUICK_EXIT", CURLOPT_QUICK_EXIT), ("CAINFO", CURLOPT_CAINFO), ("CAPATH", CURLOPT_CAPATH),
        ("PROXY_CAINFO", CURLOPT_PROXY_CAINFO), ("PROXY_CAPATH", CURLOPT_PROXY_CAPATH),
    ])
    func everyCurlOptionHasTheLibrarysNumber(name: String, option: CURLoption) {
        // An older library may not have the newest options; they are then ignored.
        guard let known = curl_easy_option_by_name(name) else { return }
        #expect(known.pointee.id == option)
    }

    @Test func theLibraryKnowsTheBasicCurlOptions() {
        for name in ["URL", "WRITEFUNCTION", "HEADERFUNCTION", "PATH_AS_IS", "PREREQFUNCTION"] {
            #expect(curl_easy_option_by_name(name) != nil, "\(name)")
        }
    }

    /// Each result is identified by a word of its message that is the same in all versions of the library.
    @Test(arguments: [
        (CURLE_UNSUPPORTED_PROTOCOL, "protocol"), (CURLE_URL_MALFORMAT, "url"), (CURLE_NOT_BUILT_IN, "built"),
        (CURLE_COULDNT_RESOLVE_PROXY, "proxy"), (CURLE_COULDNT_RESOLVE_HOST, "host"),
        (CURLE_COULDNT_CONNECT, "connect"), (CURLE_WEIRD_SERVER_REPLY, "reply"),
        (CURLE_PARTIAL_FILE, "partial"),
        (CURLE_OUT_OF_MEMORY, "memory"), (CURLE_OPERATION_TIMEDOUT, "timeout"),
        (CURLE_SSL_CONNECT_ERROR, "connect"), (CURLE_GOT_NOTHING, "nothing"), (CURLE_RECV_ERROR, "receiving"),
        (CURLE_PEER_FAILED_VERIFICATION, "certificate"), (CURLE_BAD_CONTENT_ENCODING, "encoding"),
        (CURLE_LOGIN_DENIED, "login"), (CURLE_SSL_ISSUER_ERROR, "issuer"),
        (CURLE_SSL_PINNEDPUBKEYNOTMATCH, "pinned"), (CURLE_SSL_INVALIDCERTSTATUS, "status"),
        (CURLE_HTTP2_STREAM, "http/2"), (CURLE_SSL_CACERT_BADFILE, "ca cert"),
    ])
    func everyCurlResultHasTheLibrarysNumber(result: CURLcode, word: String) {
        let sentence = String(cString: curl_easy_strerror(result)).lowercased()
        #expect(sentence.contains(word))
    }
}
