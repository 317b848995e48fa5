import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Foundation
import Testing

/// The locations of the files that these tests use.
enum Files {
    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    static let examples = fixtures.appendingPathComponent("log-format-1.json")
    static let verifier = fixtures.appendingPathComponent("verify_log.py")
    static let page = fixtures.appendingPathComponent("../../../docs/log-format.md").standardizedFileURL

    /// Whether to write new examples into the fixture and the page, after an intended change.
    static var isUpdating: Bool { ProcessInfo.processInfo.environment["DOORWARD_WRITE_EXAMPLES"] == "1" }
}

@Suite(.serialized) struct WorkedExamplesTests {
    @Test("the fixture equals the encoder's output byte for byte")
    func fixture() throws {
        let json = try WorkedExamples.make().json
        if Files.isUpdating { try Data(json.utf8).write(to: Files.examples) }
        #expect(try String(contentsOf: Files.examples, encoding: .utf8) == json)
    }

    @Test("the worked examples of the page are those of the fixture")
    func page() throws {
        let text = try ExamplePage.text(of: WorkedExamples.make())
        var page = try String(contentsOf: Files.page, encoding: .utf8)
        let begin = try #require(page.range(of: "<!-- examples: begin -->\n"))
        let end = try #require(page.range(of: "<!-- examples: end -->"))
        if Files.isUpdating {
            page.replaceSubrange(begin.upperBound..<end.lowerBound, with: text)
            try Data(page.utf8).write(to: Files.page)
            return
        }
        #expect(page[begin.upperBound..<end.lowerBound] == text)
    }

    @Test("the field table of the page has every field with its number")
    func table() throws {
        let page = try String(contentsOf: Files.page, encoding: .utf8)
        let rows = page.split(separator: "\n").compactMap { line -> (String, String)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 3, let number = UInt8(cells[0]) else { return nil }
            return (String(number), cells[1].trimmingCharacters(in: CharacterSet(charactersIn: "`")).lowercased())
        }
        let expected = RecordField.allCases.map { (String($0.rawValue), "\($0)".lowercased()) }
        #expect(rows.map(\.0) == expected.map(\.0))
        #expect(rows.map(\.1) == expected.map(\.1))
    }

    @Test("the second implementation derives all bytes and hashes of the examples from their fields")
    func secondImplementation() async throws {
        let result = try await Python.run(["--examples", Files.examples.path])
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(
        "the second implementation detects an altered example",
        arguments: ["bytes", "leafHash", "frontier", "root", "commitment", "salt", "sealed", "owner", "fields", "keys"])
    func alteredExamples(part: String) async throws {
        var examples = try WorkedExamples.make()
        examples.logs[1].alter(part)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("examples-\(UUID()).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(examples.json.utf8).write(to: file)
        #expect(try await Python.run(["--examples", file.path]).status == 1)
    }

    @Test("both implementations accept and reject the same 6,000 intact and damaged records", arguments: [1, 2, 3] as [UInt64])
    func verdicts(seed: UInt64) async throws {
        var bodies = RandomBody(seed: seed)
        var records: [[UInt8]] = []
        for _ in 0..<1000 {
            let bytes = try Samples.encode(bodies.body(), seq: 1).bytes
            records.append(bytes)
            records.append(Mutation.mutate(bytes, using: &bodies.random))
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data((records.map(\.hex).joined(separator: "\n") + "\n").utf8).write(to: file)
        let result = try await Python.run(["--verdicts", file.path])
        let verdicts = result.output.split(separator: "\n")
        #expect(verdicts.count == records.count)
        for (bytes, verdict) in zip(records, verdicts) {
            let accepted = (try? RecordEncoding.decode(bytes)) != nil
            #expect(accepted == (verdict == "ok"), "\(verdict): \(bytes.hex)")
        }
        #expect(Set(verdicts).isSuperset(of: ["ok", "refused"]))
    }

    @Test(
        "the second implementation checks the logs of a database",
        arguments: [
            (nil, "2 logs, 10 records, 0 faults"),
            ("DELETE FROM records WHERE log_id = 'gateway' AND seq = 1", "log gateway, record 1: seq is 2"),
            ("DELETE FROM records WHERE log_id = 'gateway' AND seq = 2", "log gateway: says 3 records and has 2"),
            ("UPDATE records SET bytes = zeroblob(100) WHERE seq = 4", "record 4: does not begin as a record does"),
            ("UPDATE records SET leaf_hash = zeroblob(32) WHERE seq = 5", "record 5: the stored leaf hash is not its own"),
            ("UPDATE logs SET frontier = zeroblob(8) WHERE log_id = 'gateway'", "gateway: the stored frontier is not that"),
            ("DELETE FROM logs WHERE log_id = 'gateway'", "log gateway: has records and is not listed"),
            ("UPDATE records SET bytes = 7 WHERE seq = 4", "record 4: is not kept as bytes"),
        ] as [(String?, String)])
    func database(damage: String?, message: String) async throws {
        // A file name with characters that have a meaning in a URI unless they are escaped.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("log #1?mode=rw %41-\(UUID()).db")
        defer { try? FileManager.default.removeItem(at: file) }
        let made = try await Python.run(
            script: Self.databaseMaker, [Files.examples.path, file.path] + (damage.map { [$0] } ?? []))
        #expect(made.status == 0, "\(made.output)")
        let result = try await Python.run([file.path])
        #expect(result.output.contains(message), "\(result.output)")
        #expect(result.status == (damage == nil ? 0 : 1))
    }

    /// Writes the examples' logs into the tables of a gateway's database, and then damages them.
    private static let databaseMaker = """
        import json, sqlite3, sys
        database = sqlite3.connect(sys.argv[2])
        database.execute("CREATE TABLE logs (log_id TEXT PRIMARY KEY, size INTEGER, frontier BLOB, last_at INTEGER)")
        database.execute("CREATE TABLE records (log_id TEXT, seq INTEGER, bytes BLOB, leaf_hash BLOB, position INTEGER)")
        for key, log in enumerate(json.load(open(sys.argv[1]))["logs"]):
            records = log["records"]
            for seq, record in reversed(list(enumerate(records))):
                row = (log["logId"], seq, bytes.fromhex(record["bytes"]), bytes.fromhex(record["leafHash"]))
                database.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row + (key * 2**40 + seq,))
            database.execute("INSERT INTO logs VALUES (?, ?, ?, ?)", (
                log["logId"], len(records), bytes.fromhex(records[-1]["frontier"]), records[-1]["fields"]["at"]))
        for damage in sys.argv[3:]:
            database.execute(damage)
        database.commit()
        """

    @Test(
        "the second implementation prints its usage if it is called with wrong arguments",
        arguments: [[], ["--examples"], ["-x", "y"], ["a", "b"]])
    func usage(arguments: [String]) async throws {
        let result = try await Python.run(arguments)
        #expect(result.status == 2)
        #expect(result.output.contains("verify_log.py DATABASE"))
    }

    @Test(
        "the second implementation reports a file that it cannot read in one sentence",
        arguments: [
            ([], "cannot be read as the database of a gateway"), (["--examples"], "cannot be read as worked examples"),
            (["--verdicts"], "cannot be read as records in hexadecimal"),
        ] as [([String], String)])
    func notOurs(job: [String], message: String) async throws {
        let absent = FileManager.default.temporaryDirectory.appendingPathComponent("absent-\(UUID())")
        for file in [Files.page, absent] {
            let result = try await Python.run(job + [file.path])
            #expect(result.status == 2)
            #expect(result.output.hasPrefix("\(file.path): \(message)"), "\(result.output)")
            #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
        }
        #expect(!FileManager.default.fileExists(atPath: absent.path), "no file is created")
    }

    @Test("every invalid example is rejected, and the smallest record, from which some of them are made, is valid")
    func refusals() throws {
        #expect(try RecordEncoding.decode(ExampleRefusals.smallest).record.seq == 5)
        for refusal in try WorkedExamples.make().refused {
            let bytes = try #require([UInt8](hex: refusal.bytes))
            #expect(throws: RecordDecodingError.self, "\(refusal.name)") { try RecordEncoding.decode(bytes) }
        }
    }
}

extension WorkedExamples.ExampleLog {
    /// Changes one part of the log, so that it is wrong but still JSON.
    fileprivate mutating func alter(_ part: String) {
        func flipped(_ hex: String) -> String { (hex.hasPrefix("0") ? "1" : "0") + hex.dropFirst() }
        switch part {
        case "bytes": records[2].bytes = String(records[2].bytes.dropLast(2)) + "00"
        case "leafHash": records[1].leafHash = flipped(records[1].leafHash)
        case "frontier": records[3].frontier = flipped(records[3].frontier)
        case "root": records[4].root = flipped(records[4].root)
        case "commitment": records[0].personal[0].commitment = flipped(records[0].personal[0].commitment)
        case "salt": records[0].personal[1].salt = flipped(records[0].personal[1].salt)
        case "sealed": records[0].personal[1].sealed = flipped(records[0].personal[1].sealed)
        case "owner": records[0].personal[1].owner = "day/2026-11-21"
        case "fields": records[5].fields["operation"] = .string("LOCK")
        default: keys = keys.mapValues(flipped)
        }
    }
}

/// Runs the verifier in Python, a second implementation of the log format.
enum Python {
    static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await start([Files.verifier.path] + arguments)
    }

    static func run(script: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        try await start(["-c", script] + arguments)
    }

    private static func start(_ arguments: [String]) async throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3"] + arguments
        let (status, output) = try await process.output(withErrors: true)
        return (status, String(decoding: output, as: UTF8.self))
    }
}
