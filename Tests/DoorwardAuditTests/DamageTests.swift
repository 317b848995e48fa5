import DoorwardAudit
import DoorwardDomain
import Testing

/// All single-byte damage to the worked examples, applied systematically instead of at random.
@Suite struct DamageTests {
    private static let records: [[UInt8]] = ExampleBodies.logs.flatMap { log in
        log.bodies.enumerated().compactMap { try? Samples.encode($1, seq: UInt64($0)).bytes }
    }

    /// Requires that the damaged bytes are rejected, or are exactly the encoding of the record that they decode to. So no two
    /// byte strings decode to one record. (The records are not compared, because Swift's `==` treats canonically equivalent
    /// strings as equal.)
    private func requireSeen(_ damaged: [UInt8], insteadOf sound: [UInt8], _ what: String) throws {
        guard (try? RecordEncoding.decode(damaged)) != nil else { return }
        #expect(MerkleTree.leafHash(damaged) != MerkleTree.leafHash(sound))
        #expect(try Recommitted.bytes(of: damaged) == damaged, "\(what) is accepted and has another encoding")
    }

    @Test("the worked examples have ten records")
    func examples() { #expect(Self.records.count == 10) }

    @Test("a flipped bit anywhere in an example is rejected or gives another record", arguments: 0..<10)
    func bits(index: Int) throws {
        let sound = Self.records[index]
        for position in sound.indices {
            for bit in 0..<8 {
                var damaged = sound
                damaged[position] ^= 1 << UInt8(bit)
                try requireSeen(damaged, insteadOf: sound, "bit \(bit) of byte \(position)")
            }
        }
    }

    @Test("a removed, doubled or inserted byte anywhere in an example is rejected", arguments: 0..<10)
    func bytes(index: Int) throws {
        let sound = Self.records[index]
        for position in sound.indices {
            var (shorter, doubled, longer) = (sound, sound, sound)
            shorter.remove(at: position)
            doubled.insert(sound[position], at: position)
            longer.insert(0x41, at: position)
            for damaged in [shorter, doubled, longer] where damaged != sound {
                #expect(throws: RecordDecodingError.self) { try RecordEncoding.decode(damaged) }
            }
        }
    }

    @Test("two exchanged neighbouring bytes are rejected or give another record", arguments: 0..<10)
    func swaps(index: Int) throws {
        let sound = Self.records[index]
        for position in sound.indices.dropLast() where sound[position] != sound[position + 1] {
            var damaged = sound
            damaged.swapAt(position, position + 1)
            try requireSeen(damaged, insteadOf: sound, "bytes \(position) and the next")
        }
    }

    @Test("a length that is wrong by one is rejected in every field", arguments: 0..<10)
    func lengths(index: Int) {
        let sound = Self.records[index]
        var position = 5
        while position < sound.count {
            let length = Int(sound[position + 1]) << 8 | Int(sound[position + 2])
            for wrong in [length - 1, length + 1] where wrong >= 0 {
                var damaged = sound
                (damaged[position + 1], damaged[position + 2]) = (UInt8(wrong >> 8), UInt8(wrong & 0xFF))
                #expect(throws: RecordDecodingError.self) { try RecordEncoding.decode(damaged) }
            }
            position += 3 + length
        }
    }

    @Test("exchanged or duplicate fields are rejected with the number of the field", arguments: 0..<10)
    func fields(index: Int) {
        let list = FieldList(splitting: Self.records[index])
        for position in list.fields.indices {
            var twice = list
            twice.fields.insert(list.fields[position], at: position)
            #expect(throws: RecordDecodingError.outOfOrder(list.fields[position].number)) {
                try RecordEncoding.decode(twice.bytes)
            }
            guard position > 0 else { continue }
            var swapped = list
            swapped.fields.swapAt(position - 1, position)
            #expect(throws: RecordDecodingError.outOfOrder(list.fields[position - 1].number)) {
                try RecordEncoding.decode(swapped.bytes)
            }
        }
    }

    @Test(
        "a missing required field is rejected by name; without an optional field the bytes are a different record",
        arguments: 0..<10)
    func missing(index: Int) throws {
        let list = FieldList(splitting: Self.records[index])
        for (number, _) in list.fields {
            let field = try #require(RecordField(rawValue: number))
            let without = list.without(number).bytes
            switch number {
            case 1, 2, 3, 4, 5, 10, 14, 33, 34:
                #expect(throws: RecordDecodingError.missing(field)) { try RecordEncoding.decode(without) }
            case 17 where list[18] != nil:
                #expect(throws: RecordDecodingError.missing(.deviceID)) { try RecordEncoding.decode(without) }
            default: try requireSeen(without, insteadOf: list.bytes, "a record without \(field)")
            }
        }
    }

    @Test("every other field number, version and file signature is rejected with its own error")
    func headers() {
        let sound = Self.records[3]
        for number in [0] + Array(36...255) as [UInt8] {
            let list = FieldList(splitting: sound)
            let position = list.fields.firstIndex { $0.number > number } ?? list.fields.endIndex
            var added = list
            added.fields.insert((number, []), at: position)
            #expect(throws: RecordDecodingError.unknownField(number)) { try RecordEncoding.decode(added.bytes) }
        }
        for version in 0...255 as ClosedRange<UInt8> where version != 1 {
            var damaged = sound
            damaged[4] = version
            #expect(throws: RecordDecodingError.unknownVersion(version)) { try RecordEncoding.decode(damaged) }
        }
        for position in 0..<4 {
            for byte in 0...255 as ClosedRange<UInt8> where byte != sound[position] {
                var damaged = sound
                damaged[position] = byte
                #expect(throws: RecordDecodingError.notARecord) { try RecordEncoding.decode(damaged) }
            }
        }
    }

    @Test("a record with a commitment from another record decodes, but its personal value cannot be decrypted")
    func exchanged() throws {
        // Replace the commitment to the actor's name in Ada's outcome by that of another record.
        var later = Samples.outcome(id: 17)
        later.actor.name = "Eve"
        let (first, second) = (try Samples.encode(Samples.outcome(), seq: 1), try Samples.encode(later, seq: 2))
        let stolen = try #require(FieldList(splitting: second.bytes)[12])
        let forged = FieldList(splitting: first.bytes).with(12, stolen).bytes
        for sealed in [first.personal[0].ciphertext, second.personal[0].ciphertext] {
            #expect(throws: PersonalValueError.self) {
                try RecordEncoding.decode(forged) { commitment in
                    guard commitment.place.field == "actorName" else { return nil }
                    return try commitment.open(sealed, under: Samples.key(Samples.portfolioLog, commitment.owner))
                }
            }
        }
    }
}
