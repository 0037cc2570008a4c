import CCurl
import Testing

/// The constants of `CCurl.h` are written by hand; the library itself knows its options' names and numbers.
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
    func everyOptionHasTheNumberThatTheLibraryGivesIt(name: String, option: CURLoption) {
        // An older library may lack the newest ones; it then keeps its default for them.
        guard let known = curl_easy_option_by_name(name) else { return }
        #expect(known.pointee.id == option)
    }

    @Test func theBasicOptionsAreKnownToTheLibrary() {
        for name in ["URL", "WRITEFUNCTION", "HEADERFUNCTION", "PATH_AS_IS", "PREREQFUNCTION"] {
            #expect(curl_easy_option_by_name(name) != nil, "\(name)")
        }
    }

    /// The library has a sentence for each of its results, in which one word stays from version to version.
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
    func everyResultHasTheNumberThatTheLibraryGivesIt(result: CURLcode, word: String) {
        let sentence = String(cString: curl_easy_strerror(result)).lowercased()
        #expect(sentence.contains(word))
    }
}
