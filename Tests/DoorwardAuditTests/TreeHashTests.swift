import Crypto
import DoorwardDomain
import DoorwardTesting
import Testing

@testable import DoorwardAudit

@Suite struct TreeHashTests {
    private func random(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// The first two leaves of the reference tests of Certificate Transparency (RFC 6962, section 2.1), and their root.
    @Test("The hashes of leaves and of a node are those of RFC 6962")
    func vectors() {
        let empty = Digest32(leaf: [])
        let zero = Digest32(leaf: [0])
        #expect(empty.bytes.hexadecimal == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d")
        #expect(zero.bytes.hexadecimal == "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7")
        let root = Digest32(left: empty, right: zero)
        #expect(root.bytes.hexadecimal == "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125")
    }

    @Test("Leaves and nodes are hashed as by the plain hash over all their bytes", arguments: 0..<40 as Range<UInt64>)
    func plain(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let content = random(Int.random(in: 0...200, using: &generator), &generator)
        #expect(Digest32(leaf: content).bytes == Array(SHA256.hash(data: [0] + content)))
        let (left, right) = (random(32, &generator), random(32, &generator))
        let node = Digest32(left: try #require(Digest32(left)), right: try #require(Digest32(right)))
        #expect(node.bytes == Array(SHA256.hash(data: [1] + left + right)))
    }

    @Test("Exactly 32 bytes are a hash, and they are kept as they are", arguments: 0...70)
    func length(count: Int) {
        var generator = SeededGenerator(seed: UInt64(count))
        let bytes = random(count, &generator)
        #expect(Digest32(bytes)?.bytes == (count == 32 ? bytes : nil))
        let fromBuffer = bytes.withUnsafeBytes { Digest32($0) }
        #expect(fromBuffer?.bytes == (count == 32 ? bytes : nil))
        #expect(fromBuffer?.withBytes { Array($0) } == (count == 32 ? bytes : nil))
    }
}
