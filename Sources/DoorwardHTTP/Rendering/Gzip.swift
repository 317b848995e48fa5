internal import CZlib
internal import DoorwardDomain
internal import HTTPTypes

/// Compression with gzip: of files that are the same for everybody, and of lists of locks, which contain no secret. If a response contained
/// both a secret and a text of the caller, its compressed length would reveal something about the secret.
enum Gzip {
    /// The bytes in the format of gzip (RFC 1952), without a name and a time, so that the same input always gives the same output;
    /// `nil` if zlib gets no memory.
    ///
    /// - Parameter level: `Z_BEST_COMPRESSION` for bytes that are compressed once and sent often, `Z_BEST_SPEED` for others.
    static func compress(_ bytes: [UInt8], level: Int32 = Z_BEST_COMPRESSION) -> [UInt8]? {
        // zlib keeps the address of the stream.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        let size = Int32(MemoryLayout<z_stream>.size)
        // A window of 2^15 bytes, and 16 for the format of gzip.
        let begun = deflateInit2_(stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(stream) }
        let bound = Int(deflateBound(stream, uLong(bytes.count)))
        var isWhole = false
        let compressed = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                // zlib reads the input and does not write to it.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = uInt(input.count)
                stream.pointee.next_out = output.baseAddress
                stream.pointee.avail_out = uInt(bound)
                isWhole = deflate(stream, Z_FINISH) == Z_STREAM_END
                count = bound - Int(stream.pointee.avail_out)
            }
        }
        return isWhole ? compressed : nil
    }

    /// Whether the client of a request accepts gzip: `Accept-Encoding` names it, and not with `q=0` (RFC 9110, section 12.5.3).
    static func isAccepted(by headers: RequestHeaders) -> Bool {
        headers[values: .acceptEncoding].flatMap { $0.split(separator: ",") }.contains { coding in
            let parts = coding.split(separator: ";", omittingEmptySubsequences: false).map { String($0).trimmed.lowercased() }
            guard parts.first == "gzip" else { return false }
            return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
        }
    }
}

extension APIResponse {
    /// Returns the same response, compressed if the client accepts that. Only for bodies without secrets.
    func compressed(for headers: RequestHeaders) -> APIResponse {
        var answer = self
        answer.headers[.vary] = "Accept-Encoding"
        if Gzip.isAccepted(by: headers), let body = Gzip.compress(body, level: Z_BEST_SPEED) {
            answer.body = body
            answer.headers[.contentEncoding] = "gzip"
        }
        return answer
    }
}
