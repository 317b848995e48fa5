internal import DoorwardControl
internal import DoorwardDomain
import GRDB

/// Writes the state of the gateway's clock, which is a single row.
enum ClockWriting {
    static func apply(_ change: StoredClockChange, in db: Database) throws {
        switch change {
        case .raiseMark(let mark):
            try db.run(
                """
                INSERT INTO clock (id, mark) VALUES (1, ?)
                ON CONFLICT (id) DO UPDATE SET mark = excluded.mark WHERE excluded.mark > mark
                """, [mark.milliseconds])
        case .setMark(let mark):
            try db.run(
                "INSERT INTO clock (id, mark) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET mark = excluded.mark",
                [mark.milliseconds])
        case .setUnconfirmed(let step):
            try db.run(
                "UPDATE clock SET step_before = ?, step_after = ? WHERE id = 1",
                [step?.before.milliseconds, step?.after.milliseconds])
            guard db.changesCount == 1 else { throw ConstraintViolation(.inconsistent("a step of the clock without a mark")) }
        }
    }
}

/// Reads the state of the gateway's clock.
enum ClockReading {
    static func storedClock(in db: Database) throws -> StoredClock? {
        var clock: StoredClock?
        try db.step("SELECT mark, step_before, step_after FROM clock WHERE id = 1", []) { row in
            func instant(_ index: CInt, _ column: String) throws -> Timestamp {
                guard let instant = Timestamp(stored: row.integer(index)) else { throw UnreadableColumn(column: column) }
                return instant
            }
            clock = StoredClock(mark: try instant(0, "mark"))
            guard !row.isNull(1), !row.isNull(2) else { return }
            clock?.unconfirmed = UnconfirmedStep(before: try instant(1, "step_before"), after: try instant(2, "step_after"))
        }
        return clock
    }
}
