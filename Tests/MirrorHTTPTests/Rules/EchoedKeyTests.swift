import Testing

@testable import MirrorHTTP

@Suite("A key that an answer repeats") struct EchoedKeyTests {
    private static let key = "s3cr3t-KEY/value&x=1"

    /// The text with `…` in place of the key.
    private func hidden(_ text: String, key: String = key) throws -> String {
        try AccessKey(.query("k"), value: key).hidden(in: text)
    }

    @Test(arguments: [
        key, "s3cr3t-KEY%2Fvalue%26x%3D1", "s3cr3t-KEY%2fvalue%26x%3d1", "s3cr3t-KEY/value%26x%3D1",
        "s3cr3t-KEY/value%26x=1", "s3cr3t-KEY%2fvalue%26x%3D1", "%73%33cr3t-%4bEY/value&x=1",
        "s3cr3t-KEY%252Fvalue%2526x%253D1", #"s3cr3t-KEY\/value&x=1"#, #"s3cr3t-KEY\/value\u0026x\u003d1"#,
        #"s3cr3t\u002DKEY\u002fvalue\u0026x=1"#, "s3cr3t-KEY/value&amp;x=1", "s3cr3t-KEY&#x2F;value&#38;x=1",
        #"s3cr3t-KEY/value\u0026amp;x=1"#, #"s3cr3t-KEY\u00252Fvalue%26x=1"#,
    ])
    func `each character of a key is found in any form`(form: String) throws {
        #expect(try hidden("\"\(form)\"") == "\"…\"")
        #expect(try hidden("a=\(form)&b=\(form)") == "a=…&b=…")
        #expect(EchoedKey(Self.key).isWhole(form) && !EchoedKey(Self.key).isWhole("\(form)1"))
    }

    @Test(arguments: [
        "s3cr3t-KEY/value&x=", "s3cr3t-KEY/Value&x=1", "s3cr3t-KEY%2Gvalue&x=1", "s3cr3t-KEY%2",
        #"s3cr3t-KEY\u00"#, "s3cr3t-KEY&#x2F", "%", "&", "\\", "",
    ])
    func `a text that isn't the key stays as it is`(text: String) throws {
        #expect(try hidden(text) == text)
    }

    @Test(arguments: [
        ("a b", "a+b", "…"), ("a b", "a%20b", "…"), ("50%25", "50%25", "…"), ("50%25", "50%2525", "…"),
        ("50%", "50%25 off", "… off"), ("aab", "aaab", "a…"), ("/key", #"\\/key"#, #"\\…"#),
        (#"\key"#, #"\\key"#, "…"), (#"a"b"#, #"a\"b"#, "…"), (#"a"b"#, "a&quot;b", "…"),
    ])
    func `escapes in keys and beside them are told apart`(key: String, text: String, expected: String) throws
    {
        #expect(try hidden(text, key: key) == expected)
    }

    @Test func `overwritten JSON stays JSON of the same length`() throws {
        let key = try AccessKey(.query("k"), value: Self.key)
        let text = #"{"a":"\\s3cr3t-KEY\/value\u0026x=1\n","b":"é s3cr3t-KEY/value%26x%3D1"}"#
        var response = Response(head: ResponseHead(status: 200), body: Array(text.utf8))
        key.hide(in: &response)
        #expect(
            String(decoding: response.body, as: UTF8.self)
                == #"{"a":"\\xxxxxxxxxxxxxxxxxxxxxxxxxx\n","b":"é xxxxxxxxxxxxxxxxxxxxxxxx"}"#)
    }
}
