extension String {
    /// The text with each occurrence of an ASCII character replaced.
    ///
    /// `replacing` compares characters. A quote followed by a combining mark is one character, which is not equal to a quote, so
    /// that it would stay, and end a quoted text early. Here bytes are compared.
    package func escaping(_ scalar: Unicode.Scalar, as replacement: String) -> String {
        let byte = UInt8(ascii: scalar)
        guard utf8.contains(byte) else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8.count + 16)
        for each in utf8 {
            if each == byte { bytes += replacement.utf8 } else { bytes.append(each) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
