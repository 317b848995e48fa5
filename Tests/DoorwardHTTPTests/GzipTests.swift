import CZlib
import DoorwardConsole
import DoorwardTesting
import HTTPTypes
import Testing

@testable import DoorwardHTTP

/// Compression of the console's files and of lists of locks.
@Suite struct GzipTests {
    /// Decompresses with zlib, as a browser does; `nil` if the bytes are no whole gzip file, or something follows it.
    static func decompress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(&stream) }
        let maxSize = 1 << 20
        var isWhole = false
        let plain = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: maxSize) { output, count in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = uInt(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = uInt(maxSize)
                isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
                count = maxSize - Int(stream.avail_out)
            }
        }
        return isWhole ? plain : nil
    }

    @Test("What is compressed is decompressed to the same bytes, and the same bytes always become the same")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 17)
        for round in 0..<200 {
            let count = [0, 1, 2, 100, 40_000][round % 5]
            // Bytes with and without repetitions.
            let maxByte: UInt8 = round % 2 == 0 ? 255 : 3
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...maxByte, using: &random) }
            let compressed = try #require(Gzip.compress(bytes))
            #expect(Self.decompress(compressed) == bytes)
            #expect(Gzip.compress(bytes) == compressed)
            #expect(Self.decompress(compressed + [0]) == nil && Self.decompress(compressed.dropLast()) == nil)
        }
    }

    @Test("The name and the time of a file are not in its compressed form")
    func header() throws {
        let header = try #require(Gzip.compress(Array("door".utf8))).prefix(8)
        // RFC 1952: two fixed bytes, deflate, no flags, no time.
        #expect(Array(header) == [0x1f, 0x8b, 8, 0, 0, 0, 0, 0])
    }

    @Test(
        "gzip is accepted if it is named, and not with a quality of zero",
        arguments: [
            ("gzip", true), ("gzip, deflate, br, zstd", true), ("br, GZIP", true), ("deflate , gzip;q=0.5", true),
            ("gzip ; Q=1", true),
            ("", false), ("br", false), ("gzip;q=0", false), ("gzip; q=0.000", false), ("identity, gzip;q=0.0", false),
            ("xgzip", false),
            ("gzipped", false), ("*", false), (";gzip", false), (",,", false),
        ])
    func accepted(field: String, isAccepted: Bool) {
        #expect(Gzip.isAccepted(by: RequestHeaders([.acceptEncoding: field])) == isAccepted, "\(field)")
    }

    @Test("Several fields count together, and none means that nothing is accepted")
    func fields() {
        var headers = HTTPFields()
        #expect(!Gzip.isAccepted(by: RequestHeaders(headers)))
        headers.append(HTTPField(name: .acceptEncoding, value: "br"))
        headers.append(HTTPField(name: .acceptEncoding, value: "gzip"))
        #expect(Gzip.isAccepted(by: RequestHeaders(headers)))
    }

    @Test(
        "Each file of the console is sent compressed to a browser, and as it is to others", arguments: ConsoleFile.all.map(\.name)
    )
    func file(name: String) async throws {
        let (house, path) = (try await House(), "\(ConsoleRoutes.folder)/\(name)")
        let plain = try await house.send(.get, path)
        let reply = try await house.send(.get, path, [.acceptEncoding: "gzip, deflate, br"])
        #expect(reply.status == 200 && reply.headers[.contentEncoding] == "gzip" && reply.headers[.vary] == "Accept-Encoding")
        #expect(Self.decompress(reply.bytes) == plain.bytes && reply.bytes.count < plain.bytes.count)
        #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
        #expect(reply.headers[.contentType] == plain.headers[.contentType])
        #expect(reply.headers[.cacheControl] == plain.headers[.cacheControl])
        let refused = try await house.send(.get, path, [.acceptEncoding: "gzip;q=0"])
        #expect(refused.bytes == plain.bytes && refused.headers[.contentEncoding] == nil)
        let head = try await house.send(.head, path, [.acceptEncoding: "gzip"])
        #expect(head.status == 200 && head.bytes.isEmpty && head.headers[.contentEncoding] == "gzip")
    }

    @Test(
        "A list of locks is sent compressed to a client that accepts it, and as it is to others",
        arguments: ["/api/v1/devices", "/api/v1/units/UNIT/devices"])
    func locks(path: String) async throws {
        let house = try await House()
        let path = path.replacing("UNIT", with: "\(house.ids.unit)")
        let token = HTTPFields([HTTPField(name: .authorization, value: "Bearer \(try await house.token(of: .owner))")])
        func list(_ accepted: String?, _ method: HTTPRequest.Method = .get) async throws -> Reply {
            var headers = token
            headers[.acceptEncoding] = accepted
            return try await house.unchecked(method, path, headers, nil)
        }
        let (plain, reply) = (try await list(nil), try await list("gzip, deflate, br"))
        #expect(plain.status == 200 && plain.bytes.count > 500 && plain.data["devices"].elements.count >= 1)
        #expect(plain.headers[.contentEncoding] == nil && plain.headers[.vary] == "Accept-Encoding")
        #expect(reply.status == 200 && reply.headers[.contentEncoding] == "gzip" && reply.headers[.vary] == "Accept-Encoding")
        #expect(Self.decompress(reply.bytes) == plain.bytes && reply.bytes.count < plain.bytes.count)
        #expect(reply.headers[.contentType] == "application/json" && reply.headers[.cacheControl] == "no-store")
        #expect(try await list("gzip;q=0").bytes == plain.bytes)
        let head = try await list("gzip", .head)
        #expect(head.status == 200 && head.bytes.isEmpty && head.headers[.contentEncoding] == "gzip")
    }

    @Test("A refusal of a list is sent as it is")
    func refusedList() async throws {
        let house = try await House()
        let reply = try await house.unchecked(.get, "/api/v1/devices", [.acceptEncoding: "gzip"], nil)
        #expect(reply.status == 401 && reply.headers[.contentEncoding] == nil && reply.code == "unauthenticated")
    }

    @Test(
        "No other answer of the API is compressed",
        arguments: [
            "/", "/healthz", "/api/v1/openapi.json", "/api/v1/users/me", "/api/v1/users", "/api/v1/access-records",
            "/api/v1/devices/DOOR",
        ])
    func others(path: String) async throws {
        let house = try await House()
        let path = path.replacing("DOOR", with: "\(house.ids.door)")
        let headers: HTTPFields = [.acceptEncoding: "gzip", .authorization: "Bearer \(try await house.token(of: .owner))"]
        let reply = try await house.send(.get, path, headers)
        #expect(reply.status == 200 && reply.headers[.contentEncoding] == nil, "\(reply.text)")
    }
}
