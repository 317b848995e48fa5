import DoorwardAudit
import DoorwardTesting
import Testing

@testable import DoorwardStore

@Suite struct SealedValuesTests {
    private static let fields: [(String, [UInt8])] = [
        ("actor.name", [1, 2, 3]), ("details.grüße", []), ("", [0]), ("details.x[0]", [UInt8](repeating: 7, count: 70_000)),
    ]

    @Test("Encoded ciphertexts are decoded by field", arguments: 0...4)
    func roundTrip(count: Int) {
        let fields = Self.fields.prefix(count)
        let found = SealedValues(bytes(of: fields))?.ciphertexts
        #expect(found == Dictionary(uniqueKeysWithValues: fields))
    }

    @Test("The bytes of the column have the documented layout")
    func layout() {
        #expect(bytes(of: [("ab", [9, 8])]) == [0, 2, 0x61, 0x62, 0, 0, 0, 2, 9, 8])
        let long = bytes(of: [("a", [UInt8](repeating: 1, count: 0x01_02_03))])
        #expect(Array(long.prefix(7)) == [0, 1, 0x61, 0, 1, 2, 3])
    }

    @Test("Truncated bytes are accepted only if they end after a complete value")
    func cut() {
        let first = bytes(of: [("name", [1, 2, 3])])
        let both = first + bytes(of: [("other", [4])])
        for count in 0...both.count {
            let isWhole = [0, first.count, both.count].contains(count)
            #expect((SealedValues(Array(both.prefix(count))) != nil) == isWhole, "\(count) bytes")
        }
    }

    @Test("A duplicate field, a field name that is not UTF-8, and a length beyond the end are rejected")
    func malformed() {
        #expect(SealedValues(bytes(of: [("a", [1]), ("a", [2])]))?.ciphertexts == nil)
        #expect(SealedValues([0, 1, 0xFF, 0, 0, 0, 0])?.ciphertexts == nil)
        #expect(SealedValues([0, 1, 0x61, 0xFF, 0xFF, 0xFF, 0xFF, 1])?.ciphertexts == nil)
    }

    @Test("Each field is found in any order, and as often as it is asked for")
    func search() throws {
        var random = SeededGenerator(seed: 4)
        for count in 0...4 {
            let fields = Self.fields.prefix(count)
            let sealed = try #require(SealedValues(bytes(of: fields)))
            for _ in 0..<40 {
                let (field, ciphertext) = Self.fields[Int.random(in: 0..<4, using: &random)]
                let isThere = fields.contains { $0.0 == field }
                #expect(sealed.ciphertext(of: field) == (isThere ? ciphertext[...] : nil))
                #expect(sealed.ciphertext(of: "\(field)?") == nil)
            }
        }
    }

    private func bytes(of fields: some Sequence<(String, [UInt8])>) -> [UInt8] {
        SealedValues.bytes(of: fields.map { SealedValue(field: $0.0, owner: .day("2026-11-21"), ciphertext: $0.1) })
    }
}
