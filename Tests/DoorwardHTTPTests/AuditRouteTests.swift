import DoorwardAudit
import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import HTTPTypes
import Testing

@testable import DoorwardHTTP

@Suite struct AuditRouteTests {
    private static func base64(_ value: JSONValue) throws -> [UInt8] {
        let text = try #require(value.text)
        return Array(try #require(Data(base64Encoded: text)))
    }

    private static func key(_ house: House) async throws -> VerifierKey {
        let reply = try await house.call(.get, "/audit/public-key", as: .owner)
        #expect(reply.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(reply.text.hasSuffix("\n"))
        return try #require(VerifierKey(parsing: reply.text.dropLast()))
    }

    /// Reads and verifies the newest checkpoint of a log.
    private static func checkpoint(
        _ log: LogID, _ house: House, as person: House.Person = .owner, key: VerifierKey? = nil, generation: Int = 1
    ) async throws -> Checkpoint {
        let reply = try await house.call(.get, "/audit/logs/\(log)/checkpoint", as: person)
        try #require(reply.status == 200, "\(reply.text)")
        let expected = try await Self.key(house)
        return try Checkpoint.verified(reply.text, origin: "doorward.test/logs/\(log)", keys: [key ?? expected])
    }

    @Test("the list has the logs that the caller may verify, and the time of the newest checkpoint")
    func list() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let (own, gateway) = (LogID.portfolio(house.ids.portfolio), LogID.gateway)
        let before = try await house.call(.get, "/audit/logs", as: .owner).data["logs"]
        #expect(before.elements.count == 1)
        #expect(before[0].keys == ["id", "portfolioId", "origin", "size", "lastCheckpointAt", "isContradicted"])
        #expect(before[0]["id"].text == "\(own)" && before[0]["portfolioId"].text == "\(own)")
        #expect(before[0]["origin"].text == "doorward.test/logs/\(own)")
        #expect(before[0]["size"].number == 2)
        #expect(before[0]["lastCheckpointAt"] == .null)
        _ = try await Self.checkpoint(own, house)
        let after = try await house.call(.get, "/audit/logs", as: .auditor).data["logs"]
        #expect(after[0]["lastCheckpointAt"].text == "\(house.clock.now())")
        let ofAdmin = try await house.call(.get, "/audit/logs", as: .superAdmin).data["logs"]
        #expect(ofAdmin.elements.map { $0["id"].text } == ["\(gateway)"])
        #expect(ofAdmin[0]["portfolioId"] == .null)
        for person in [House.Person.manager, .tenant, .stranger, .nobody] {
            #expect(try await house.call(.get, "/audit/logs", as: person).data["logs"].elements.isEmpty, "\(person)")
        }
    }

    @Test("a checkpoint covers every record, is verified with the public key, and is the same while nothing is new")
    func checkpoints() async throws {
        let house = try await House()
        let log = LogID.portfolio(house.ids.portfolio)
        _ = try await house.command(as: .tenant)
        let first = try await Self.checkpoint(log, house)
        #expect(first.size == 2)
        #expect(try await Self.checkpoint(log, house, as: .admin) == first)
        _ = try await house.command(as: .tenant)
        let second = try await Self.checkpoint(log, house)
        #expect(second.size == 4)
        let reply = try await house.call(.get, "/audit/logs/\(log)/proof/consistency?from=2&to=4", as: .owner)
        let proof = reply.data["proof"]
        #expect(proof.keys == ["logId", "from", "to", "hashes"])
        #expect(proof["logId"].text == "\(log)" && proof["from"].number == 2 && proof["to"].number == 4)
        #expect(
            MerkleProof.isConsistent(
                from: 2, first.root, to: 4, second.root, proof: try proof["hashes"].elements.map(Self.base64)))
    }

    @Test("every record of a log has an inclusion proof for every checkpoint size, which names its leaf hash")
    func inclusion() async throws {
        let house = try await House()
        let log = LogID.portfolio(house.ids.portfolio)
        for _ in 0..<4 { _ = try await house.command(as: .tenant) }
        let entries = try #require(try await house.store.range(of: log, from: 0, limit: 100)).entries
        #expect(entries.count == 8)
        for size in 1...entries.count {
            let root = MerkleTree.root(ofLeafHashes: entries.prefix(size).map(\.leafHash))
            for seq in 0..<size {
                let reply = try await house.call(
                    .get, "/audit/logs/\(log)/proof/inclusion?seq=\(seq)&size=\(size)", as: .auditor)
                let proof = reply.data["proof"]
                #expect(proof.keys == ["logId", "seq", "size", "leafHash", "hashes"])
                let leafHash = try Self.base64(proof["leafHash"])
                #expect(leafHash == MerkleTree.leafHash(entries[seq].bytes))
                let hashes = try proof["hashes"].elements.map(Self.base64)
                #expect(MerkleProof.root(leafHash: leafHash, index: UInt64(seq), size: UInt64(size), proof: hashes) == root)
            }
        }
    }

    @Test(
        "errors in the query name the parameter",
        arguments: [
            ("inclusion", "", ["seq: required", "size: required"]), ("inclusion?seq=0", "", ["size: required"]),
            ("inclusion?seq=2&size=2", "", ["seq: out_of_range"]), ("inclusion?seq=0&size=3", "", ["size: out_of_range"]),
            ("inclusion?seq=-1&size=2", "", ["seq: out_of_range"]), ("inclusion?seq=x&size=2", "", ["seq: wrong_type"]),
            ("inclusion?seq=0&size=2&from=1", "", ["from: unknown_key"]), ("inclusion?seq=0&size=0", "", ["seq: out_of_range"]),
            ("consistency", "", ["from: required", "to: required"]), ("consistency?from=2&to=1", "", ["from: out_of_range"]),
            ("consistency?from=0&to=3", "", ["to: out_of_range"]),
            ("consistency?from=1&to=99999999999999999999", "", ["to: wrong_type"]),
        ])
    func mistakes(query: String, _: String, problems: [String]) async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let reply = try await house.call(.get, "/audit/logs/\(house.ids.portfolio)/proof/\(query)", as: .owner)
        #expect(reply.status == 400)
        #expect(Set(reply.problems) == Set(problems))
    }

    @Test("the proof from an empty log has no hashes")
    func empty() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let path = "/audit/logs/\(house.ids.portfolio)/proof/consistency"
        #expect(try await house.call(.get, "\(path)?from=0&to=2", as: .owner).data["proof"]["hashes"].elements.isEmpty)
        #expect(try await house.call(.get, "\(path)?from=0&to=0", as: .owner).status == 200)
    }

    @Test("a log out of reach answers as one that does not exist; a deleted portfolio's log is the super admin's")
    func reach() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let unknown = PortfolioID(high: 0xAB, low: 0xCD)
        for path in ["checkpoint", "proof/inclusion?seq=0&size=1", "proof/consistency?from=0&to=1"] {
            let replies = try await ["\(house.ids.portfolio)", "\(unknown)", "nonsense", "gateway"].asyncMap { id in
                try await house.call(.get, "/audit/logs/\(id)/\(path)", as: .stranger)
            }
            #expect(replies[0].status == 403 && replies[0].code == "forbidden")
            #expect(Set(replies.dropLast().map(\.withoutRequestID)).count == 1)
            #expect(replies[3].status == 403)
            #expect(try await house.call(.get, "/audit/logs/\(unknown)/\(path)", as: .superAdmin).status == 404)
            #expect(try await house.call(.get, "/audit/logs/\(house.ids.portfolio)/\(path)", as: .superAdmin).status == 403)
        }
        let deleted = try await house.call(.delete, "/portfolios/\(house.ids.portfolio)?cascade=true", as: .owner)
        #expect(deleted.status == 204)
        let log = LogID.portfolio(house.ids.portfolio)
        #expect(try await Self.checkpoint(log, house, as: .superAdmin).size == UInt64(house.store.log(log).count))
        #expect(try await house.call(.get, "/audit/logs/\(log)/checkpoint", as: .owner).code == "forbidden")
        let listed = try await house.call(.get, "/audit/logs", as: .superAdmin).data["logs"].elements.map { $0["id"].text }
        #expect(listed.contains("\(log)"))
    }

    @Test("a rotation is recorded with both signatures, and the next checkpoints have the new key; earlier ones stay valid")
    func rotation() async throws {
        let house = try await House()
        let log = LogID.portfolio(house.ids.portfolio)
        _ = try await house.command(as: .tenant)
        let old = try await Self.key(house)
        let before = try await house.call(.get, "/audit/logs/\(log)/checkpoint", as: .owner).text
        let reply = try await house.call(.post, "/audit/key-rotation", as: .superAdmin)
        #expect(reply.status == 200 && reply.data.keys == ["publicKey"])
        let shown = try #require(reply.data["publicKey"].text)
        let new = try #require(VerifierKey(parsing: shown))
        #expect(new != old && new.name == old.name)
        #expect(try await Self.key(house) == new)
        #expect(try await house.store.publicKeys(for: .checkpoints).last == new.key)
        #expect(try NoteSigner(name: "doorward.test", seed: house.checkpoints.key.reveal()).verifierKey == new)
        #expect(house.checkpoints.staged == nil)
        // The earlier note is still verified with the earlier key, and the newest with both.
        #expect(throws: Never.self) { try Checkpoint.verified(before, origin: "doorward.test/logs/\(log)", keys: [old]) }
        #expect(throws: CheckpointFault.self) {
            try Checkpoint.verified(before, origin: "doorward.test/logs/\(log)", keys: [new])
        }
        for key in [old, new] { _ = try await Self.checkpoint(log, house, key: key) }
        _ = try await house.command(as: .tenant)
        _ = try await Self.checkpoint(log, house, key: new)
        await #expect(throws: CheckpointFault.self) { _ = try await Self.checkpoint(log, house, key: old) }

        let record = try #require(house.store.log(.gateway).map(\.body).last { $0.event == .keyRotated })
        #expect(record.actor.userID == house.ids[.superAdmin])
        #expect(record.details["oldKey"] == .string("\(old)") && record.details["newKey"] == .string("\(new)"))
        guard case .string(let text)? = record.details["note"], let note = SignedNote(parsing: text) else {
            return #expect(Bool(false), "no note")
        }
        #expect(note.text == "doorward/key-rotation/1\n\(old)\n\(new)\n")
        #expect(note.isSigned(by: old) == true && note.isSigned(by: new) == true)
        // The gateway's last checkpoint of the old key covers the record of the rotation.
        #expect(try await Self.checkpoint(.gateway, house, as: .superAdmin, key: new).size > index(house, record.id))
    }

    private func index(_ house: House, _ id: RecordID) -> UInt64 {
        UInt64(house.store.log(.gateway).firstIndex { $0.body.id == id } ?? 0)
    }

    @Test("a rotation that the store does not write changes nothing")
    func failedRotation() async throws {
        let house = try await House()
        _ = try await house.command(as: .tenant)
        let old = try await Self.key(house)
        _ = try await Self.checkpoint(.portfolio(house.ids.portfolio), house)
        _ = try await Self.checkpoint(.gateway, house, as: .superAdmin)
        house.store.failNext(.unavailable)
        #expect(try await house.call(.post, "/audit/key-rotation", as: .superAdmin).status == 503)
        house.store.recover()
        #expect(try await Self.key(house) == old)
        #expect(house.checkpoints.key.reveal() == [UInt8](repeating: 7, count: 32))
        #expect(!house.store.log(.gateway).contains { $0.body.event == .keyRotated })
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
