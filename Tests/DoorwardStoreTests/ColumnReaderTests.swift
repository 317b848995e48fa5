import DoorwardControl
import DoorwardDomain
import DoorwardTesting
import Foundation
import GRDB
import Testing

@testable import DoorwardStore

@Suite struct ColumnReaderTests {
    /// A method of reading a column.
    enum Reading: String, CaseIterable, Sendable {
        case number, text, flag, bytes, id, instant, word

        func read(_ columns: inout ColumnReader) throws {
            switch self {
            case .number: _ = try columns.value(Int.self)
            case .text: _ = try columns.value(String.self)
            case .flag: _ = try columns.value(Bool.self)
            case .bytes: _ = try columns.value([UInt8].self)
            case .id: _ = try columns.value(DeviceID.self)
            case .instant: _ = try columns.value(Timestamp.self)
            case .word: _ = try columns.value(LockState.self)
            }
        }
    }

    @Test(
        "A column that does not have the expected form gives an error that names the column and never shows its content",
        arguments: [
            (.number, "'text'"), (.number, "NULL"), (.number, "x'00'"), (.text, "NULL"), (.bytes, "NULL"),
            (.bytes, "7"), (.id, "NULL"), (.id, "x'0011'"), (.id, "x'00112233445566778899aabbccddeeff00'"), (.id, "x''"),
            (.instant, "NULL"), (.instant, "'now'"), (.word, "'AJAR'"), (.word, "NULL"), (.word, "''"),
        ] as [(Reading, String)])
    func unreadable(reading: Reading, sql: String) throws {
        let error = #expect(throws: UnreadableColumn.self) {
            try read("SELECT 1 AS before, \(sql) AS secret") { columns in
                _ = try columns.value(Int.self)
                try reading.read(&columns)
            }
        }
        #expect(error?.column == "secret")
    }

    @Test(
        "A list or an object that does not have the expected form gives an error that names the column",
        arguments: ["x'00'", "x''", "x'A0A0'", "'x'", "x'00112233445566778899aabbccddee'", "12", "'[]'", "'{'", "NULL"])
    func unreadableList(sql: String) throws {
        func column<Entity>(_ description: (inout TenancyRow<Entity>) throws -> Void) throws -> String? {
            let error = #expect(throws: UnreadableColumn.self) {
                try read("SELECT \(sql) AS secret") { columns in
                    _ = try TenancyRow<Entity>.entity(of: &columns) { row in
                        try description(&row)
                        throw CancellationError()
                    }
                }
            }
            return error?.column
        }
        if sql != "x''" {
            #expect(try column { (row: inout TenancyRow<GuestAccess>) in _ = try row.ids("secret", \.deviceIDs) } == "secret")
        }
        if sql != "NULL" {
            #expect(try column { (row: inout TenancyRow<LockDevice>) in _ = try row.object("secret", \.address) } == "secret")
        }
        #expect(try column { (row: inout TenancyRow<GuestAccess>) in _ = try row("absent", \.createdAt) } == "absent")
        guard sql == "'x'" else { return }
        #expect(try column { (row: inout TenancyRow<GuestAccess>) in _ = try row.words("secret", \.operations) } == "secret")
    }

    @Test("Optional values are nil if they are NULL, and an error if they are malformed")
    func optional() throws {
        try read("SELECT NULL, NULL, NULL, NULL, NULL") { (columns: inout ColumnReader) throws in
            #expect(try columns.optional(Int.self) == nil)
            #expect(try columns.optional(DeviceID.self) == nil)
            #expect(try columns.optional(Timestamp.self) == nil)
            #expect(try columns.optional(LockState.self) == nil)
            #expect(try columns.optional([UInt8].self) == nil)
        }
        for wrong in ["x'00'", "'x'", "12"] {
            #expect(throws: UnreadableColumn.self) { try read("SELECT \(wrong)") { _ = try $0.optional(DeviceID.self) } }
        }
        #expect(throws: UnreadableColumn.self) { try read("SELECT 'AJAR'") { _ = try $0.optional(LockState.self) } }
    }

    @Test("Text that an older gateway stored is read as stream-safe text")
    func streamSafe() throws {
        let marks = String(repeating: "\u{345}\u{301}", count: 2_000)
        try read("SELECT '\(marks)', '\(marks)', 'Zo\u{E9}'") { (columns: inout ColumnReader) throws in
            let required: String = try columns.value()
            let optional: String? = try columns.optional()
            #expect(required.hasSameBytes(as: marks.streamSafe) && optional?.hasSameBytes(as: marks.streamSafe) == true)
            #expect(try columns.value(String.self) == "Zo\u{E9}")
        }
    }

    @Test(
        "An id and its bytes convert into each other, and the bytes sort like the id's text",
        arguments: 1...3 as ClosedRange<UInt64>)
    func ids(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ids = (0..<100).map { _ in DeviceID(high: random.next(), low: random.next()) }
        for id in ids { #expect(DeviceID(blob: id.blob) == id) }
        #expect(DeviceID.list(blob: DeviceID.blob(of: ids)) == ids)
        #expect(DeviceID.list(blob: Data()) == [])
        let byBlob = ids.sorted { $0.blob.lexicographicallyPrecedes($1.blob) }
        #expect(byBlob.map(\.description) == ids.map(\.description).sorted())
    }

    @Test("A rule is stored as its role and its id; a row with only the role is an error")
    func rules() throws {
        let id = AssociationID(high: 1, low: 2)
        let rules: [Rule] = [
            .superAdmin, .guestAccess(id.cast()), .association(id, .owner), .association(id, .tenant),
            .association(id, .maintenance),
        ]
        for rule in rules {
            let found = try DatabaseQueue().read { db in
                try db.firstRow("SELECT ?, ?", [RuleColumns.id(of: rule)?.blob, rule.role.rawValue], read: RuleColumns.read)
            }
            #expect(found == rule)
        }
        for role in ["OWNER", "GUEST", "TENANT", "LANDLORD"] {
            #expect(throws: UnreadableColumn.self) {
                try DatabaseQueue().read { db in try db.firstRow("SELECT NULL, '\(role)'", read: RuleColumns.read) }
            }
        }
    }

    @Test("An error thrown while a row is read ends the statement, and later statements still work")
    func givesUp() throws {
        struct Enough: Error {}
        try DatabaseQueue().read { (db: Database) throws in
            var seen = 0
            let sql = "SELECT value FROM (SELECT 1 AS value UNION ALL SELECT 2 UNION ALL SELECT 3)"
            #expect(throws: Enough.self) {
                try db.rows(sql) { columns in
                    seen += 1
                    if try columns.value(Int.self) == 2 { throw Enough() }
                }
            }
            #expect(seen == 2)
            #expect(try db.rows(sql) { try $0.value(Int.self) } == [1, 2, 3])
            #expect(try db.firstRow(sql) { try $0.value(Int.self) } == 1)
            #expect(try db.firstRow("SELECT 1 WHERE 0") { try $0.value(Int.self) } == nil)
        }
    }

    @Test("A statement that is run again uses the new values and none of the previous run")
    func statementsAreReused() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            let sql = "INSERT INTO t VALUES (?, ?)"
            try db.run(sql, [1, "one"])
            #expect(throws: ConstraintViolation.self) { try db.run(sql, [2, "t\u{0}wo"]) }
            try db.run(sql, [3, nil])
            let rows = try db.rows("SELECT a, b FROM t ORDER BY a") { (try $0.value(Int.self), try $0.optional(String.self)) }
            #expect(rows.map(\.0) == [1, 3])
            #expect(rows.map(\.1) == ["one", nil])
        }
    }

    private func read(_ sql: String, _ body: (inout ColumnReader) throws -> Void) throws {
        try DatabaseQueue().read { db in _ = try db.firstRow(sql, read: body) }
    }
}
