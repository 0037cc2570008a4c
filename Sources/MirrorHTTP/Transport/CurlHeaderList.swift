import CCurl

/// A request's header fields as libcurl reads them: a linked list of lines, in memory that is used again.
///
/// libcurl neither changes nor frees such a list; it must stay as it is while its transfer lasts.
final class CurlHeaderList {
    private var text = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    private var used = 0
    /// Where each line begins in `text`.
    private var starts: [Int] = []
    private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 16)

    deinit {
        text.deallocate()
        nodes.deallocate()
    }

    func removeAll() {
        used = 0
        starts.removeAll(keepingCapacity: true)
    }

    /// Adds one line: `name`, `separator`, `value`.
    func append(_ name: String, _ separator: StaticString, _ value: String = "") {
        starts.append(used)
        var (name, value) = (name, value)
        name.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        separator.withUTF8Buffer { add(UnsafeRawBufferPointer($0)) }
        value.withUTF8 { add(UnsafeRawBufferPointer($0)) }
        withUnsafeBytes(of: UInt8(0)) { add($0) }
    }

    /// The first of all lines, `nil` without any; valid until the next change.
    func linked() -> UnsafeMutablePointer<curl_slist>? {
        guard !starts.isEmpty, let lines = text.baseAddress else { return nil }
        if nodes.count < starts.count {
            nodes.deallocate()
            nodes = .allocate(capacity: 2 * starts.count)
        }
        guard let first = nodes.baseAddress else { return nil }
        for (index, start) in starts.enumerated() {
            let next = index + 1 < starts.count ? first + index + 1 : nil
            let line = (lines + start).assumingMemoryBound(to: CChar.self)
            (first + index).initialize(to: curl_slist(data: line, next: next))
        }
        return first
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        if text.count - used < bytes.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: 2 * text.count + bytes.count, alignment: 1)
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: text[..<used]))
            text.deallocate()
            text = larger
        }
        UnsafeMutableRawBufferPointer(rebasing: text[used...]).copyMemory(from: bytes)
        used += bytes.count
    }
}
