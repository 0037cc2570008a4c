import ContentHash

/// Compares secrets in a time that doesn't tell how much of them agrees, or how long they are.
enum ConstantTime {
    static func equal(_ left: String, _ right: String) -> Bool {
        let left = SHA256Hasher.hash(of: left), right = SHA256Hasher.hash(of: right)
        return left.withUnsafeBytes { a in
            right.withUnsafeBytes { b in zip(a, b).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0 }
        }
    }
}
