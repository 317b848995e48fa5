import DoorwardAudit
import DoorwardDomain
import Foundation
import Testing

/// Compares the lists in docs/log-format.md with the values that the encoder can write.
@Suite struct FormatPageTests {
    /// A row of the field table: number, form, and the values in the last cell.
    private struct Row {
        let number: UInt8
        let form: String
        let words: [String]
    }

    private func rows() throws -> [Row] {
        try String(contentsOf: Files.page, encoding: .utf8).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count >= 5, let number = UInt8(cells[1]) else { return nil }
            let quoted = cells[4].split(separator: "`", omittingEmptySubsequences: false)
            let words = quoted.count > 1 ? quoted[1].split(separator: " ").map(String.init) : []
            return Row(number: number, form: cells[3], words: words)
        }
    }

    private func words<Value: CaseIterable & RawRepresentable<String>>(_: Value.Type) -> Set<String> {
        Set(Value.allCases.map(\.rawValue))
    }

    @Test("the page lists exactly the values of every field")
    func listedWords() throws {
        let rows = try rows()
        let expected: [RecordField: Set<String>] = [
            .kind: words(RecordKind.self), .operation: words(LockOperation.self), .decision: words(RecordDecision.self),
            .reason: words(DenialReason.self), .actorKind: words(ActorKind.self), .source: words(RecordSource.self),
            .outcome: words(CommandState.self).subtracting(["ACCEPTED", "DISPATCHED"]), .stateBefore: words(LockState.self),
            .event: words(RecordEvent.self), .method: words(EventMethod.self), .action: words(ChangeAction.self),
        ]
        for (field, words) in expected {
            let row = try #require(rows.first { $0.number == field.rawValue })
            #expect(row.form == "word")
            #expect(Set(row.words) == words, "\(field)")
            #expect(row.words.count == words.count)
        }
        let wordFields = Set(rows.filter { $0.form == "word" }.map(\.number))
        #expect(wordFields == Set(expected.keys.map(\.rawValue)).union([RecordField.stateAfter.rawValue]))
    }

    @Test("the page lists exactly the roles")
    func listedRoles() throws {
        let page = try String(contentsOf: Files.page, encoding: .utf8)
        let list = try #require(page.range(of: "Roles: `"))
        let roles = page[list.upperBound...].prefix { $0 != "`" }.split(separator: " ").map(String.init)
        #expect(Set(roles) == words(Role.self))
    }

    @Test("every event can be encoded and decoded", arguments: RecordEvent.allCases)
    func events(event: RecordEvent) throws {
        var body = Samples.start()
        body.event = event
        #expect(try RecordEncoding.decode(try Samples.encode(body).bytes).record.body.event == event)
    }

    @Test("a rule can be encoded with every role", arguments: Role.allCases)
    func roles(role: Role) throws {
        var body = Samples.start()
        body.rule = .association(Samples.id(9), role)
        #expect(try RecordEncoding.decode(try Samples.encode(body).bytes).record.body == body)
    }

    @Test("every denial reason can be encoded and decoded", arguments: DenialReason.allCases)
    func reasons(reason: DenialReason) throws {
        var body = Samples.start()
        (body.kind, body.decision, body.reason) = (.denial, .denied, reason)
        #expect(try RecordEncoding.decode(try Samples.encode(body).bytes).record.body == body)
    }

    @Test("instants and numbers keep their sign at both ends of their range", arguments: [.min, -1, 0, 1, .max] as [Int64])
    func signs(number: Int64) throws {
        var body = Samples.start(at: Timestamp(milliseconds: number))
        body.latencyMs = number
        #expect(try RecordEncoding.decode(try Samples.encode(body).bytes).record.body == body)
    }
}
