import DoorwardAPI
import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing

@testable import DoorwardHTTP

/// Large responses: limited in size, counted in memory while they are sent, and sent in chunks.
@Suite struct LargeResponseTests {
    // MARK: Limits of a device

    @Test("Metadata and address of a device may have up to 8 KiB", arguments: ["metadata", "address"])
    func freeObjects(_ field: String) async throws {
        let house = try await House()
        let path = "/devices/\(house.ids.door)"
        func put(_ bytes: Int) async throws -> Reply {
            // Subtracts the 8 bytes of `{"k":"…"}`.
            let text = String(repeating: "x", count: bytes - 8)
            return try await house.call(.put, path, as: .manager, #"{"\#(field)":{"k":"\#(text)"}}"#)
        }
        #expect(try await put(WireLimits.freeObjectBytes).status == 200)
        let refused = try await put(WireLimits.freeObjectBytes + 1)
        #expect(refused.status == 400)
        #expect(refused.problems == ["\(field): too_long"])
        let new =
            #"{"name":"Gate","adapter":"scripted","propertyId":"\#(house.ids.property)","address":{"k":"#
            + #""\#(String(repeating: "x", count: 9_000))"}}"#
        #expect(try await house.call(.post, "/devices", as: .manager, new).problems == ["address: too_long"])
    }

    // MARK: Pages

    @Test(
        "An array is written until the maximum number of bytes is reached, with at least one element",
        arguments: [
            (0, 1), (6, 1), (7, 2), (14, 3), (1_000, 10),
        ])
    func elements(_ maxBytes: Int, _ written: Int) {
        var writer = JSONWriter()
        let count = writer.array(0..<10, maxBytes: maxBytes) { $0.string("abc\($1)") }
        #expect(count == written)
        #expect(writer.bytes.filter { $0 == UInt8(ascii: "a") }.count == written)
        #expect(writer.bytes.last == UInt8(ascii: "]"))
    }

    @Test("A numbered page beyond the maximum size is rejected, and rendering stops there")
    func numberedPage() throws {
        let item = String(repeating: "x", count: 64 * 1024)
        func page(_ count: Int) -> Page<String> {
            let items = Array(repeating: item, count: count)
            return Page(items, total: count, page: 1, limit: 200, in: CurrentDirectory.Snapshot(TenancyDirectory()))
        }
        var rendered = 0
        do throws(GatewayError) {
            _ = try APIResponse.page("items", page(200)) { writer, item in
                rendered += 1
                writer.string(item)
            }
            Issue.record("the page was not rejected")
        } catch {
            guard case .invalid(let problems) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(problems.map(\.field) == ["limit"] && problems.map(\.problem) == ["page_too_large"])
        }
        #expect(rendered == WireLimits.pageBytes / item.utf8.count)
        #expect(try APIResponse.page("items", page(60)) { $0.string($1) }.status == 200)
    }

    @Test("A page of access records ends early if the records are large, and the cursor continues after it")
    func recordPages() async throws {
        let house = try await House()
        let now = house.clock.now()
        let text = String(repeating: "x", count: 50_000)
        let bodies = (0..<100).map { index in
            RecordBody(
                log: .gateway, id: RecordID(high: 0x7000, low: UInt64(index)), at: now, kind: .gateway,
                actor: RecordActor(kind: .gateway),
                source: .gateway, event: .start, details: ["text": .string(text)])
        }
        for body in bodies { _ = try await house.store.commit(StoreTransaction(records: [PendingRecord(body)])) }
        var (ids, pages, cursor) = ([String](), 0, "")
        repeat {
            let reply = try await house.call(.get, "/access-records?limit=500&kind=GATEWAY\(cursor)", as: .superAdmin)
            #expect(reply.text.utf8.count < WireLimits.pageBytes + 100_000)
            #expect(reply.status == 200)
            ids += reply.data["accessRecords"].elements.compactMap { $0["id"].text }
            pages += 1
            cursor = reply.data["nextCursor"].text.map { "&cursor=\($0)" } ?? ""
        } while !cursor.isEmpty
        #expect(pages > 1)
        #expect(Set(ids).count == ids.count && Set(bodies.map(\.id.description)).isSubset(of: ids))
        #expect(house.services.responseMemory.reserved == 0)
    }

    // MARK: Memory

    private static let large = APIResponse(status: 200, body: [UInt8](repeating: 7, count: 1024 * 1024))

    @Test("A large response reserves memory until it is deallocated, with a limit per user; a small one reserves nothing")
    func reservations() throws {
        let memory = ResponseMemory()
        let small = APIResponse(status: 200, body: [UInt8](repeating: 7, count: ResponseMemory.chunkBytes))
        let (one, other) = (Principal.user(UserID(high: 0, low: 1)), Principal.user(UserID(high: 0, low: 2)))
        var held: [APIResponse] = []
        for _ in 0..<ResponseMemory.maxBytesOfOne / Self.large.body.count { held.append(try memory.admit(Self.large, for: one)) }
        #expect(throws: GatewayError.self) { try memory.admit(Self.large, for: one) }
        #expect(try memory.admit(small, for: one).reservation == nil)
        held.append(try memory.admit(Self.large, for: other))
        held.append(try memory.admit(Self.large, for: nil))
        #expect(memory.reserved == ResponseMemory.maxBytesOfOne + 2 * Self.large.body.count)
        held = []
        #expect(memory.reserved == 0)
        for user in 0..<UInt64(ResponseMemory.maxBytes / Self.large.body.count) {
            held.append(try memory.admit(Self.large, for: .user(UserID(high: 1, low: user))))
        }
        #expect(throws: GatewayError.self) { try memory.admit(Self.large, for: other) }
        held = []
        #expect(try memory.admit(Self.large, for: other).reservation != nil)
    }

    @Test("When the memory for responses is used up, a large page is 503 and a small response is still sent")
    func unavailable() async throws {
        let house = try await House()
        let text = String(repeating: "x", count: 50_000)
        for index in 0..<3 {
            let body = RecordBody(
                log: .gateway, id: RecordID(high: 0x7000, low: UInt64(index)), at: house.clock.now(), kind: .gateway,
                actor: RecordActor(kind: .gateway), source: .gateway, event: .start, details: ["text": .string(text)])
            _ = try await house.store.commit(StoreTransaction(records: [PendingRecord(body)]))
        }
        let memory = house.services.responseMemory
        var held: [APIResponse] = []
        while let answer = try? memory.admit(Self.large, for: .user(house.ids[.superAdmin])) { held.append(answer) }
        let refused = try await house.call(.get, "/access-records?kind=GATEWAY", as: .superAdmin)
        #expect(refused.status == 503 && refused.code == "unavailable")
        #expect(refused.headers[.retryAfter] != nil)
        #expect(try await house.call(.get, "/users/me", as: .superAdmin).status == 200)
        held = []
        #expect(try await house.call(.get, "/access-records?kind=GATEWAY", as: .superAdmin).status == 200)
        #expect(memory.reserved == 0)
    }

    /// Records the size of each chunk and checks that memory is reserved meanwhile.
    private struct Reader: ResponseBodyWriter {
        let memory: ResponseMemory
        let chunks: Seen<[Int]>
        let disconnects: Bool

        mutating func write(_ buffer: ByteBuffer) async throws {
            if disconnects { throw CancellationError() }
            #expect(memory.reserved > 0)
            chunks.change { $0.append(buffer.readableBytes) }
        }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    @Test("A large body is written in chunks, and its memory is released when it is sent or the client disconnects")
    func chunks() async throws {
        for disconnects in [false, true] {
            let memory = ResponseMemory()
            let chunks = Seen<[Int]>([])
            do {
                let response = try memory.admit(Self.large, for: nil).response()
                #expect(response.body.contentLength == Self.large.body.count)
                let reader = Reader(memory: memory, chunks: chunks, disconnects: disconnects)
                try await response.body.write(reader)
            } catch {
                #expect(disconnects)
            }
            #expect(chunks.value == (disconnects ? [] : Array(repeating: ResponseMemory.chunkBytes, count: 16)))
            #expect(memory.reserved == 0)
        }
    }
}
