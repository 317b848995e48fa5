package import NIOCore

/// Reads HTTP/1.1 responses with a `Content-Length` from the bytes of a connection. The measured servers send no other responses.
/// Parsing takes little processor time, so that most of it is left to the server.
package enum ResponseReader {
    /// One response without its headers.
    package struct Response {
        /// The status of the first line, such as 200.
        package let status: Int
        /// `Content-Length` bytes.
        package let body: ByteBuffer
    }

    /// Returns the first complete response and removes it from `buffer`; `nil` while it is incomplete.
    static func take(from buffer: inout ByteBuffer) -> Response? {
        let bytes = buffer.readableBytesView
        guard let end = endOfHead(bytes) else { return nil }
        let length = contentLength(bytes[..<end])
        guard bytes.endIndex - end >= length, let head = buffer.readSlice(length: end - bytes.startIndex),
            let body = buffer.readSlice(length: length)
        else { return nil }
        // "HTTP/1.1 200"
        let digits = head.readableBytesView.dropFirst(9).prefix(3)
        return Response(status: digits.reduce(0) { $0 * 10 + Int($1 &- 48) }, body: body)
    }

    private static func endOfHead(_ bytes: ByteBufferView) -> Int? {
        let found: Int? = bytes.withUnsafeBytes { raw in
            var index = 3
            while index < raw.count {
                if raw[index] == 10, raw[index - 1] == 13, raw[index - 2] == 10, raw[index - 3] == 13 { return index + 1 }
                index += 1
            }
            return nil
        }
        return found.map { bytes.startIndex + $0 }
    }

    private static func contentLength(_ head: ByteBufferView) -> Int {
        let name = Array("\ncontent-length: ".utf8)
        return head.withUnsafeBytes { raw in
            var start = 0
            while start + name.count < raw.count {
                // OR with 0x20 turns an ASCII letter into lower case.
                if raw[start] == 10, (1..<name.count).allSatisfy({ raw[start + $0] | 0x20 == name[$0] }) {
                    var (index, length) = (start + name.count, 0)
                    while index < raw.count, (48...57).contains(raw[index]) {
                        length = length * 10 + Int(raw[index]) - 48
                        index += 1
                    }
                    return length
                }
                start += 1
            }
            return 0
        }
    }
}
