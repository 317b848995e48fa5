import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import Testing

@Suite struct PersonKeyRingTests {
    private var random = SeededGenerator(seed: 86)
    private let ada = UserID(high: 1, low: 2)
    private let bob = UserID(high: 1, low: 3)

    private func ring() -> PersonKeyRing {
        var random = random
        return PersonKeyRing(using: &random)
    }

    private func key(_ seed: UInt64) -> PersonKey {
        var random = SeededGenerator(seed: seed)
        return PersonKey(using: &random)
    }

    @Test("A key that was wrapped for a person and a log opens for these alone")
    func wrapping() throws {
        let (ring, key) = (ring(), key(1))
        let wrapping = try #require(ring.wrappingKey(of: ada, generation: 0))
        let wrapped = try wrapping.wrap(key, of: .user(ada), log: 7)
        #expect(wrapped.count == WrappingKey.wrappedByteCount)
        #expect(wrapping.unwrap(wrapped, of: .user(ada), log: 7)?.revealBytes() == key.revealBytes())
        #expect(wrapping.unwrap(wrapped, of: .user(ada), log: 8) == nil)
        #expect(wrapping.unwrap(wrapped, of: .user(bob), log: 7) == nil)
        #expect(wrapping.unwrap(wrapped, of: .day("2026-11-25"), log: 7) == nil)
        #expect(ring.wrappingKey(of: bob, generation: 0)?.unwrap(wrapped, of: .user(ada), log: 7) == nil)
        #expect(ring.wrappingKey(of: ada, generation: 1)?.unwrap(wrapped, of: .user(ada), log: 7) == nil)
        #expect(ring.wrappingKeyOfDays().unwrap(wrapped, of: .user(ada), log: 7) == nil)
        for index in wrapped.indices {
            var altered = wrapped
            altered[index] ^= 1
            #expect(wrapping.unwrap(altered, of: .user(ada), log: 7) == nil)
        }
        #expect(wrapping.unwrap(wrapped.dropLast(), of: .user(ada), log: 7) == nil)
        let day = ring.wrappingKeyOfDays()
        let wrappedDay = try day.wrap(key, of: .day("2026-11-25"), log: 7)
        #expect(day.unwrap(wrappedDay, of: .day("2026-11-25"), log: 7)?.revealBytes() == key.revealBytes())
        #expect(day.unwrap(wrappedDay, of: .day("2026-11-26"), log: 7) == nil)
    }

    @Test("An account opens for its user alone, and equal accounts have equal ciphertexts")
    func accounts() throws {
        let wrapping = try #require(ring().wrappingKey(of: ada, generation: 0))
        let sealed = try wrapping.seal(Array("ada@example.org".utf8), of: ada)
        #expect(wrapping.open(sealed, of: ada) == Array("ada@example.org".utf8))
        #expect(wrapping.open(sealed, of: bob) == nil)
        #expect(wrapping.open(sealed.dropLast(), of: ada) == nil)
        #expect(try wrapping.seal(Array("ada@example.org".utf8), of: ada) == sealed)
        #expect(try wrapping.seal(Array("ada@example.com".utf8), of: ada).prefix(12) != sealed.prefix(12), "another nonce")
    }

    @Test("After an erasure the person's keys do not open any more, from the changed file too, and those of all others do")
    func erasing() throws {
        var ring = ring()
        let key = key(1)
        let people = (0..<50).map { UserID(high: 9, low: $0) }
        let wrapped = try people.map { person in
            try #require(ring.wrappingKey(of: person, generation: 0)).wrap(key, of: .user(person), log: 1)
        }
        let before = ring.fileText
        for person in people.prefix(20) { ring.erase(person, generation: 0) }
        let read = try #require(PersonKeyRing(fileText: ring.fileText))
        #expect(read.fileText == ring.fileText)
        #expect(read.id == ring.id)
        for ring in [ring, read] {
            for (index, person) in people.enumerated() {
                let opened = ring.wrappingKey(of: person, generation: 0)?.unwrap(wrapped[index], of: .user(person), log: 1)
                #expect((opened == nil) == (index < 20))
                #expect(ring.isErased(person, generation: 0) == (index < 20))
                #expect(ring.wrappingKey(of: person, generation: 1) != nil, "a later generation")
            }
            #expect(ring.emailIndex(of: "Ada@example.org") == read.emailIndex(of: "ada@EXAMPLE.org"))
        }
        // The old file opens all of them: that is why its copies have to be destroyed.
        let old = try #require(PersonKeyRing(fileText: before))
        #expect(old.wrappingKey(of: people[0], generation: 0)?.unwrap(wrapped[0], of: .user(people[0]), log: 1) != nil)
    }

    @Test("Only the exact text of a file is accepted")
    func text() throws {
        var ring = ring()
        ring.erase(ada, generation: 0)
        let text = ring.fileText
        #expect(PersonKeyRing(fileText: text) != nil)
        #expect(PersonKeyRing(fileText: text + "\n") == nil)
        #expect(PersonKeyRing(fileText: String(text.dropLast())) == nil)
        #expect(PersonKeyRing(fileText: "") == nil)
        #expect(PersonKeyRing(fileText: text.replacing("doorward-person-keys/1", with: "doorward-person-keys/2")) == nil)
        #expect(PersonKeyRing(fileText: text.replacing("common ", with: "common  ")) == nil)
        let lines = text.split(separator: "\n")
        for index in lines.indices {
            var cut = lines
            cut.remove(at: index)
            // A line of a node may be missing: its persons are then erased.
            if index < 3 { #expect(PersonKeyRing(fileText: cut.joined(separator: "\n") + "\n") == nil) }
            cut.insert(lines[index], at: index)
            cut.insert(lines[index], at: index)
            #expect(PersonKeyRing(fileText: cut.joined(separator: "\n") + "\n") == nil)
        }
        #expect("\(ring)" == "••••" && "\(String(reflecting: ring))" == "••••")
    }

    @Test("Different files have different ids, keys and indexes")
    func independent() {
        var random = SeededGenerator(seed: 1)
        let (one, other) = (PersonKeyRing(using: &random), PersonKeyRing(using: &random))
        #expect(one.id != other.id)
        #expect(one.emailIndex(of: "ada@example.org") != other.emailIndex(of: "ada@example.org"))
        #expect(one.emailIndex(of: "ada@example.org") != one.emailIndex(of: "bob@example.org"))
    }
}
