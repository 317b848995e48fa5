import DoorwardDomain
import FoundationEssentials
import GRDB
import Testing

@testable import DoorwardStore

@Suite("The values bound to a statement")
struct BindableTests {
    /// A value, and the SQL literal that equals it.
    private static let values: [(value: any Bindable & Sendable, literal: String)] = [
        (Int64.min, "-9223372036854775808"), (Int64.max, "9223372036854775807"), (7, "7"), (true, "1"), (false, "0"),
        ("", "''"), ("door", "'door'"), ("Tür 🚪", "'Tür 🚪'"),
        (String("a longer text, cut out of one".dropFirst(9)), "'text, cut out of one'"),
        ([UInt8](), "x''"), ([0, 255] as [UInt8], "x'00ff'"), (Data(), "x''"), (Data([1, 2, 3]).dropFirst(), "x'0203'"),
        (EntityID<User>(high: 1, low: 0xF0), "x'000000000000000100000000000000f0'"),
    ]

    @Test("Each value, empty ones included, is stored like the equal SQL literal", arguments: values.indices)
    func isStoredAsTheLiteral(index: Int) throws {
        let (value, literal) = Self.values[index]
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (bound ANY, literal ANY) STRICT")
            try db.run("INSERT INTO t VALUES (?, \(literal))", [value])
            let isSame = try db.firstRow("SELECT bound IS literal AND typeof(bound) = typeof(literal) FROM t") {
                try $0.value(Bool.self)
            }
            #expect(isSame == true)
        }
    }

    @Test("An id is bound as the bytes by which it is found")
    func idIsItsBlob() throws {
        let id = EntityID<User>(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (id BLOB)")
            try db.run("INSERT INTO t VALUES (?)", [id])
            #expect(try db.firstRow("SELECT id FROM t WHERE id = ?", [id.blob]) { try $0.value() as UserID } == id)
        }
    }

    @Test("A statement that violates a constraint throws an error naming the constraint, and can be run again")
    func brokenRule() throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE)")
            let sql = "INSERT INTO t VALUES (?, ?)"
            try db.run(sql, [1, "one"])
            let error = #expect(throws: DatabaseError.self) { try db.run(sql, [2, "one"]) }
            #expect(error?.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
            #expect(error?.message == "UNIQUE constraint failed: t.b")
            #expect(error?.sql == sql)
            try db.run(sql, [2, "two"])
            #expect(try db.rows("SELECT b FROM t ORDER BY a") { try $0.value(String.self) } == ["one", "two"])
        }
    }

    @Test("A statement with too few or too many values is not run", arguments: [1, 3])
    func wrongCount(count: Int) throws {
        try DatabaseQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE t (a, b)")
            let values = Array(repeating: 5 as (any Bindable)?, count: count)
            #expect(throws: DatabaseError.self) { try db.run("INSERT INTO t VALUES (?, ?)", values) }
            #expect(try db.firstRow("SELECT count(*) FROM t") { try $0.value(Int.self) } == 0)
        }
    }
}
