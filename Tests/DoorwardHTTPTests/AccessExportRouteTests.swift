import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardStore
import DoorwardTesting
import Foundation
import HTTPTypes
import Logging
import Testing

@testable import DoorwardHTTP

/// `GET /access-records/export`.
@Suite struct AccessExportRouteTests {
    private static let path = "/access-records/export"

    private static func verify(
        _ export: String, of log: LogID, in house: House, since others: [Checkpoint] = []
    ) async throws -> ExportVerifier.Verdict {
        let signer = try NoteSigner(name: "doorward.test", seed: house.checkpoints.key.reveal())
        var verifier = ExportVerifier(origin: "doorward.test/logs/\(log)", keys: [signer.verifierKey], comparingWith: others)
        try await verifier.add(Array(export.utf8))
        return try await verifier.finish()
    }

    /// The member `record` of each line.
    private static func records(_ export: String) throws -> [JSONValue] {
        try export.split(separator: "\n").dropFirst().dropLast().map {
            try JSONParser<JSONValue>.parse(Array($0.utf8), maxDepth: 40, rejectsMarks: false)["record"]
        }
    }

    private static func log(_ house: House) -> LogID { .portfolio(house.ids.portfolio) }

    @Test(
        "the export of a whole log is complete, is verified, and contains its own record",
        arguments: ["", "&logId=", "&portfolioId="])
    func complete(filter: String) async throws {
        let house = try await House()
        for _ in 0..<5 { _ = try await house.command(as: .tenant, #"{"reason":"Parcel"}"#) }
        let query = filter.isEmpty ? "" : filter + "\(house.ids.portfolio)"
        for person in [House.Person.owner, .admin, .auditor] {
            let reply = try await house.call(.get, "\(Self.path)?format=ndjson\(query)", as: person)
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "application/x-ndjson")
            #expect(reply.headers[.contentDisposition] == "attachment; filename=\"doorward-\(house.ids.portfolio).ndjson\"")
            let verdict = try await Self.verify(reply.text, of: Self.log(house), in: house)
            #expect(verdict.header.range == 0..<verdict.checkpoint.size)
            let records = try Self.records(reply.text)
            #expect(records.count == Int(verdict.count))
            #expect(records.contains { $0["actorName"].text == "Tessa Tenant" || $0["statedReason"].text == "Parcel" })
            let last = try #require(records.last)
            #expect(last["event"].text == "EXPORT" && last["actorUserId"].text == "\(house.ids[person])")
            #expect(last["kind"].text == "GATEWAY")
            #expect(
                last["details"]
                    == .object([
                        "what": .string("accessLog"), "format": .string("ndjson"), "complete": .bool(true),
                    ]))
        }
    }

    @Test("a range is complete, and one outside the log is rejected and not recorded")
    func ranges() async throws {
        let house = try await House()
        for _ in 0..<5 { _ = try await house.command(as: .tenant) }
        let reply = try await house.call(.get, "\(Self.path)?format=ndjson&fromSeq=3&untilSeq=7", as: .owner)
        let verdict = try await Self.verify(reply.text, of: Self.log(house), in: house)
        #expect(verdict.header.range == 3..<7 && verdict.count == 4)
        let size = try await house.store.frontier(of: Self.log(house))?.size
        let mistakes = [
            ("fromSeq=11", ["fromSeq: out_of_range"]), ("untilSeq=12", ["untilSeq: out_of_range"]),
            ("fromSeq=4&untilSeq=4", ["fromSeq: out_of_range"]), ("fromSeq=-1", ["fromSeq: out_of_range"]),
            ("fromSeq=x", ["fromSeq: wrong_type"]), ("order=asc", ["order: unknown_key"]),
            ("logId=gateway&portfolioId=\(house.ids.portfolio)", ["logId: malformed"]),
        ]
        for (query, problems) in mistakes {
            let reply = try await house.call(.get, "\(Self.path)?format=ndjson&\(query)", as: .owner)
            #expect(reply.status == 400 && reply.problems == problems, "\(query): \(reply.text)")
        }
        let missing = try await house.call(.get, Self.path, as: .owner)
        #expect(missing.problems == ["format: required"])
        #expect(try await house.call(.get, "\(Self.path)?format=xml", as: .owner).problems == ["format: unknown_value"])
        #expect(try await house.store.frontier(of: Self.log(house))?.size == size)
    }

    @Test("a filter or a narrower scope gives a partial export, whose records have their proofs")
    func partial() async throws {
        let house = try await House()
        for _ in 0..<3 { _ = try await house.command(as: .tenant) }
        _ = try await house.command(as: .manager, on: house.ids.frontDoor)
        let ofDoor = try await house.call(
            .get, "\(Self.path)?format=ndjson&deviceId=\(house.ids.frontDoor)", as: .owner)
        let verdict = try await Self.verify(ofDoor.text, of: Self.log(house), in: house)
        #expect(!verdict.header.isComplete && verdict.count == 2)
        #expect(try Self.records(ofDoor.text).allSatisfy { $0["deviceId"].text == "\(house.ids.frontDoor)" })
        let range = try await house.call(
            .get, "\(Self.path)?format=ndjson&deviceId=\(house.ids.door)&fromSeq=1&untilSeq=4", as: .owner)
        #expect(try await Self.verify(range.text, of: Self.log(house), in: house).count == 3, "\(range.text)")
        // A manager exports the property, with the record of the own export, and may not read other proofs.
        let ofManager = try await house.call(.get, "\(Self.path)?format=ndjson", as: .manager)
        #expect(try await !Self.verify(ofManager.text, of: Self.log(house), in: house).header.isComplete)
        let records = try Self.records(ofManager.text)
        #expect(records.allSatisfy { $0["propertyId"].text == "\(house.ids.property)" })
        #expect(records.last?["event"].text == "EXPORT")
        // An id out of reach selects nothing, like one that does not exist.
        for device in ["\(house.ids.foreignDoor)", "nonsense"] {
            let none = try await house.call(.get, "\(Self.path)?format=ndjson&deviceId=\(device)", as: .owner)
            #expect(try await Self.verify(none.text, of: Self.log(house), in: house).count == 0)
        }
    }

    @Test(
        "the gateway's log is exported by super admins, another portfolio's log by nobody else, and deleted ones by super admins")
    func logs() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let ofGateway = try await house.call(.get, "\(Self.path)?format=ndjson&logId=gateway", as: .superAdmin)
        #expect(try await Self.verify(ofGateway.text, of: .gateway, in: house).header.isComplete)
        let unknown = UUID().uuidString.lowercased()
        for person in [House.Person.owner, .manager, .stranger, .nobody] {
            let reply = try await house.call(.get, "\(Self.path)?format=csv&logId=gateway", as: person)
            #expect(reply.status == 403 && reply.code == "role_insufficient", "\(person)")
            let log = person == .stranger ? house.ids.portfolio.description : house.ids.otherPortfolio.description
            guard person != .stranger || log != "\(house.ids.otherPortfolio)" else { continue }
            let foreign = try await house.call(.get, "\(Self.path)?format=csv&logId=\(log)", as: person)
            let absent = try await house.call(.get, "\(Self.path)?format=csv&logId=\(unknown)", as: person)
            #expect(foreign.status == 403 && foreign.code == "forbidden")
            #expect(foreign.withoutRequestID == absent.withoutRequestID)
        }
        let ofTenant = try await house.call(.get, "\(Self.path)?format=csv&logId=\(house.ids.portfolio)", as: .tenant)
        #expect(ofTenant.status == 403 && ofTenant.code == "forbidden", "\(ofTenant.text)")
        let absent = try await house.call(.get, "\(Self.path)?format=csv&logId=\(unknown)", as: .superAdmin)
        #expect(absent.status == 404 && absent.code == "not_found")
        let portfolio = house.ids.portfolio
        #expect(try await house.call(.get, "\(Self.path)?format=csv&logId=\(portfolio)", as: .superAdmin).status == 403)
        #expect(try await house.call(.delete, "/portfolios/\(portfolio)?cascade=true", as: .superAdmin).status == 204)
        let ofDeleted = try await house.call(.get, "\(Self.path)?format=ndjson&logId=\(portfolio)", as: .superAdmin)
        #expect(try await Self.verify(ofDeleted.text, of: .portfolio(portfolio), in: house).header.isComplete)
    }

    @Test("HEAD answers as GET would, and records no export, because it sends no record")
    func head() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let exports = { @Sendable () async throws in
            try await house.call(.get, "/access-records?kind=GATEWAY&limit=100", as: .owner).text.matches(of: /"event":"EXPORT"/)
                .count
        }
        let before = try await exports()
        for (earlier, format) in ["csv", "ndjson"].enumerated() {
            let head = try await house.call(.head, "\(Self.path)?format=\(format)", as: .owner)
            #expect(head.status == 200 && head.text.isEmpty)
            #expect(try await exports() == before + earlier)
            let get = try await house.call(.get, "\(Self.path)?format=\(format)", as: .owner)
            for name in [HTTPField.Name.contentType, .contentDisposition] { #expect(head.headers[name] == get.headers[name]) }
        }
        #expect(try await exports() == before + 2)
        #expect(try await house.call(.head, "\(Self.path)?format=csv", as: .tenant).status == 403)
        #expect(try await house.call(.head, "\(Self.path)?format=xml", as: .owner).status == 400)
        #expect(
            try await house.call(.head, "\(Self.path)?format=csv&logId=gateway&fromSeq=999999", as: .superAdmin).status == 400)
    }

    @Test("without the module there is no export")
    func module() async throws {
        let house = try await House()
        let path = "/portfolios/\(house.ids.portfolio)/subscription"
        let changed = try await house.call(.put, path, as: .superAdmin, #"{"modules":{"accessLogExport":false}}"#)
        #expect(changed.status == 200)
        let reply = try await house.call(.get, "\(Self.path)?format=csv", as: .owner)
        #expect(reply.status == 403 && reply.code == "feature_unavailable")
        #expect(reply.details["module"].text == "accessLogExport")
    }

    @Test("values of an erased person are absent, and the log is whole")
    func erased() async throws {
        let house = try await House()
        for _ in 0..<2 { _ = try await house.command(as: .tenant, #"{"reason":"A canary"}"#) }
        let before = try await house.call(.get, "\(Self.path)?format=ndjson", as: .owner)
        #expect(before.text.contains("A canary"))
        let erased = try await house.call(.delete, "/users/\(house.ids[.tenant])/personal-data", as: .superAdmin)
        #expect(erased.status == 204)
        for format in ["ndjson", "csv"] {
            let after = try await house.call(.get, "\(Self.path)?format=\(format)", as: .owner)
            #expect(after.status == 200 && !after.text.contains("A canary"))
            guard format == "ndjson" else { continue }
            let since = try await Self.verify(before.text, of: Self.log(house), in: house).checkpoint
            #expect(
                try await Self.verify(after.text, of: Self.log(house), in: house, since: [since]).comparisons == [.consistent])
        }
    }

    @Test("CSV has a line for each record, with the time of the property")
    func csv() async throws {
        let house = try await House()
        let zone = try await house.call(
            .put, "/properties/\(house.ids.property)", as: .owner, #"{"defaultTimeZone":"Asia/Kolkata"}"#)
        #expect(zone.status == 200)
        for _ in 0..<3 { _ = try await house.command(as: .tenant, #"{"reason":"=HYPERLINK(\"x\")"}"#) }
        let reply = try await house.call(.get, "\(Self.path)?format=csv&deviceId=\(house.ids.door)", as: .owner)
        #expect(reply.headers[.contentType] == "text/csv; charset=utf-8; header=present")
        let lines = reply.text.components(separatedBy: "\r\n")
        #expect(lines.count == 8 && lines.last == "")
        #expect(lines[0] == "\u{FEFF}" + RecordCSV.columns.joined(separator: ","))
        #expect(lines[1].contains("+05:30,Asia/Kolkata,COMMAND_INTENT,UNLOCK,ALLOWED"))
        #expect(lines[1].contains(#","'=HYPERLINK(""x"")","#))
    }

    @Test("the separator of a table is a parameter, which other formats do not take")
    func separators() async throws {
        let house = try await House()
        for (value, separator) in [("comma", ","), ("semicolon", ";")] {
            let reply = try await house.call(.get, "\(Self.path)?format=csv&separator=\(value)", as: .owner)
            #expect(reply.text.hasPrefix("\u{FEFF}" + RecordCSV.columns.joined(separator: separator)))
        }
        let other = try await house.call(.get, "\(Self.path)?format=csv&separator=tab", as: .owner)
        #expect(other.problems == ["separator: unknown_value"])
        let bundle = try await house.call(.get, "\(Self.path)?format=ndjson&separator=comma", as: .owner)
        #expect(bundle.problems == ["separator: exclusive"])
    }

    // MARK: - While it is sent

    /// A house over a real database, in a folder that is removed at the end.
    private func withDatabase(_ body: (House, SQLiteStore) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorward-export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try SQLiteStore.open(
            path: folder.appending(path: "doorward.db").path, clock: VirtualClock(), random: SeededGenerator(seed: 9),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let house = try await House(database: store)
        try await body(house, store)
        await house.control.stop()
    }

    /// - Parameter byteCount: the length of a text in each record.
    private func append(_ count: Int, byteCount: Int = 0, to store: SQLiteStore, _ house: House) async throws {
        let now = house.clock.now()
        let records = (0..<count).map { index in
            PendingRecord(
                RecordBody(
                    log: Self.log(house), id: RecordID(high: 0x7000, low: UInt64.random(in: 0...(.max))), at: now,
                    kind: .deviceEvent,
                    actor: RecordActor(kind: .user, id: nil, name: "Person \(index)", userID: house.ids[.tenant]),
                    source: .device,
                    device: DeviceSnapshot(
                        deviceID: index % 7 == 0 ? house.ids.door : house.ids.frontDoor, propertyID: house.ids.property,
                        portfolioID: house.ids.portfolio), event: .unlocked,
                    details: byteCount > 0 ? ["note": .string(String(repeating: "x", count: byteCount))] : [:]))
        }
        _ = try await store.commit(StoreTransaction(records: records))
    }

    @Test("an export of many pages is whole as of its beginning, while records are written")
    func growing() async throws {
        try await withDatabase { house, store in
            // Pages that end early because of large records, and whole ones.
            try await append(1000, to: store, house)
            try await append(700, byteCount: 9000, to: store, house)
            try await append(3700, to: store, house)
            let caller = Caller(userID: house.ids[.owner])
            for (from, until) in [(nil, nil), (2047, 4097), (2048, 4096), (4500, nil)] as [(UInt64?, UInt64?)] {
                let request = ExportRequest(format: .ndjson, fromSeq: from, untilSeq: until)
                let export = try await house.control.exports.begin(request, for: caller)
                let size = try #require(try await store.frontier(of: Self.log(house))?.size)
                var bytes: [UInt8] = []
                for try await chunk in export {
                    bytes += chunk
                    if bytes.count < 1_000_000 { try await append(3, to: store, house) }
                }
                let verdict = try await Self.verify(String(decoding: bytes, as: UTF8.self), of: Self.log(house), in: house)
                #expect(verdict.header.range == (from ?? 0)..<(until ?? size))
            }
            var request = ExportRequest(format: .ndjson)
            request.filter.deviceID = house.ids.door
            var bytes: [UInt8] = []
            for try await chunk in try await house.control.exports.begin(request, for: caller) { bytes += chunk }
            let verdict = try await Self.verify(String(decoding: bytes, as: UTF8.self), of: Self.log(house), in: house)
            #expect(verdict.count > 771 && !verdict.header.isComplete)
        }
    }

    @Test("an export ends without its end when the right to it is taken away")
    func revoked() async throws {
        try await withDatabase { house, store in
            try await append(1700, to: store, house)
            let caller = Caller(userID: house.ids[.auditor])
            for format in ExportRequest.Format.allCases {
                let export = try await house.control.exports.begin(ExportRequest(format: format), for: caller)
                var iterator = export.makeAsyncIterator()
                // The header, and the first records of a page with others.
                for _ in 0..<2 { #expect(try await iterator.next() != nil) }
                let path = "/portfolios/\(house.ids.portfolio)/admins/\(house.ids[.auditor])"
                #expect(try await house.call(.delete, path, as: .owner).status == 204)
                await #expect(throws: GatewayError.self) { try await iterator.next() }
                let again = #"{"userId":"\#(house.ids[.auditor])","role":"AUDITOR"}"#
                let assigned = try await house.call(.post, "/portfolios/\(house.ids.portfolio)/admins", as: .owner, again)
                #expect(assigned.status == 200)
            }
        }
    }

    @Test("an export ends when its portfolio is deleted, and a super admin's export of a deleted one when they are disabled")
    func deleted() async throws {
        try await withDatabase { house, store in
            try await append(1700, to: store, house)
            let log = Self.log(house)
            func begin(_ person: House.Person) async throws -> AccessExport {
                var request = ExportRequest(format: .csv)
                request.filter.log = log
                var iterator = try await house.control.exports.begin(request, for: Caller(userID: house.ids[person]))
                    .makeAsyncIterator()
                #expect(try await iterator.next() != nil)
                return iterator
            }
            var owners = try await begin(.owner)
            let deleted = try await house.call(
                .delete, "/portfolios/\(house.ids.portfolio)?cascade=true", as: .superAdmin)
            #expect(deleted.status == 204, "\(deleted.text)")
            await #expect(throws: GatewayError.self) { while try await owners.next() != nil {} }
            var rest = try await begin(.superAdmin)
            while try await rest.next() != nil {}
            var admins = try await begin(.superAdmin)
            // The last super admin cannot be disabled.
            let password = Secret("a long enough passphrase")
            let other = NewUser(email: "second@example.com", firstName: "S", lastName: "", password: password, isSuperAdmin: true)
            _ = try await house.control.users.create(Caller(userID: house.ids[.superAdmin]), other, repeatable: nil)
            let path = "/users/\(house.ids[.superAdmin])"
            #expect(try await house.call(.put, path, as: .superAdmin, #"{"isEnabled":false}"#).status == 200)
            await #expect(throws: GatewayError.self) { while try await admins.next() != nil {} }
        }
    }

    @Test("an export during which values are erased ends, and sends nothing more", arguments: ExportRequest.Format.allCases)
    func erasedWhileSent(format: ExportRequest.Format) async throws {
        try await withDatabase { house, store in
            try await append(1500, to: store, house)
            let caller = Caller(userID: house.ids[.owner])
            let export = try await house.control.exports.begin(ExportRequest(format: format), for: caller)
            var iterator = export.makeAsyncIterator()
            var before: [UInt8] = []
            // The header of a bundle, and a part of the only page.
            for _ in 0..<(format == .ndjson ? 3 : 1) { before += try #require(try await iterator.next()) }
            let erased = try await house.call(.delete, "/users/\(house.ids[.tenant])/personal-data", as: .superAdmin)
            #expect(erased.status == 204)
            for _ in 0..<2 {
                let failure = await #expect(throws: (any Error).self) { try await iterator.next() }
                #expect("\(failure.map { "\($0)" } ?? "none")" == "erased")
            }
            #expect(String(decoding: before, as: UTF8.self).contains("Person 100"))
        }
    }

    @Test("a person has at most four exports in progress")
    func limit() async throws {
        let house = try await House()
        var exports: [AccessExport] = []
        for _ in 0..<4 {
            exports.append(
                try await house.control.exports.begin(ExportRequest(format: .csv), for: Caller(userID: house.ids[.owner])))
        }
        let reply = try await house.call(.get, "\(Self.path)?format=csv", as: .owner)
        #expect(reply.status == 429 && reply.headers[.retryAfter] == "5")
        #expect(try await house.call(.get, "\(Self.path)?format=csv", as: .admin).status == 200)
        exports.removeLast()
        #expect(try await house.call(.get, "\(Self.path)?format=csv", as: .owner).status == 200)
    }
}
