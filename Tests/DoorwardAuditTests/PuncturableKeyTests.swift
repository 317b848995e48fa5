import Crypto
import DoorwardTesting
import Testing

@testable import DoorwardAudit

@Suite struct PuncturableKeyTests {
    private let root = Array(repeating: 7 as UInt8, count: 32)

    /// Computes a value by its definition.
    private func value(_ input: UInt64) -> [UInt8] {
        var secret = root
        for bit in (0..<64).reversed() {
            secret = Array(SHA256.hash(data: [UInt8(truncatingIfNeeded: input >> UInt64(bit) & 1)] + secret))
        }
        return secret
    }

    @Test(
        "The value of an input is the leaf's secret in the tree of hashes",
        arguments: [0, 1, 5, 1 << 63, .max, 0x0123_4567_89ab_cdef] as [UInt64])
    func definition(input: UInt64) {
        #expect(PuncturableKey(root: root).value(at: input) == value(input))
    }

    @Test("Exactly the destroyed inputs have no value, whatever their order", arguments: 0..<8 as Range<UInt64>)
    func destroyed(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var key = PuncturableKey(root: root)
        var (destroyed, tested): (Set<UInt64>, [UInt64]) = ([], [0, .max])
        for _ in 0..<24 {
            // Neighbours share nearly the whole path.
            let base = tested.randomElement(using: &random) ?? 0
            let input =
                Bool.random(using: &random)
                ? UInt64.random(in: 0 ... .max, using: &random) : base ^ (1 << UInt64.random(in: 0..<64, using: &random))
            tested.append(input)
            if Bool.random(using: &random) {
                key.destroy(at: input)
                destroyed.insert(input)
            }
            for input in tested {
                #expect(key.value(at: input) == (destroyed.contains(input) ? nil : value(input)))
                #expect(key.isDestroyed(at: input) == destroyed.contains(input))
            }
        }
        // No kept secret leads to a destroyed input.
        for node in key.nodes { #expect(!destroyed.contains { node.covers($0) }) }
        let again = try #require(PuncturableKey(nodes: key.nodes))
        #expect(again.nodes == key.nodes)
        key.destroy(at: destroyed.first ?? 0)
        #expect(key.nodes == again.nodes || destroyed.isEmpty, "destroying an input twice changes nothing")
    }

    @Test("Nodes that overlap, are out of order or have a wrong form are not a key")
    func malformed() {
        let (left, right) = (PuncturableKey(root: root).nodes[0].child(false), PuncturableKey(root: root).nodes[0].child(true))
        #expect(PuncturableKey(nodes: [left, right]) != nil)
        #expect(PuncturableKey(nodes: []) != nil, "everything is destroyed")
        #expect(PuncturableKey(nodes: [right, left]) == nil)
        #expect(PuncturableKey(nodes: [left, left]) == nil)
        #expect(PuncturableKey(nodes: [PuncturableKey(root: root).nodes[0], right]) == nil)
        #expect(PuncturableKey(nodes: [.init(prefix: 1, depth: 1, secret: root)]) == nil)
        #expect(PuncturableKey(nodes: [.init(prefix: 0, depth: 65, secret: root)]) == nil)
        #expect(PuncturableKey(nodes: [.init(prefix: 0, depth: -1, secret: root)]) == nil)
        #expect(PuncturableKey(nodes: [.init(prefix: 0, depth: 0, secret: [1])]) == nil)
        #expect(PuncturableKey(nodes: [.init(prefix: .max, depth: 64, secret: root)])?.value(at: .max) == root)
    }
}
