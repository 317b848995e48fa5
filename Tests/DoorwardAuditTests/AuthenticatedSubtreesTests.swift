import Crypto
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials
import Testing

@testable import DoorwardAudit

@Suite struct AuthenticatedSubtreesTests {
    /// Holds the value that a test changes.
    private final class Tree {
        private var subtrees: AuthenticatedSubtrees

        init(_ subtrees: AuthenticatedSubtrees) { self.subtrees = subtrees }

        func accepts(_ index: UInt64, _ leaf: Digest32, proof: [Digest32]) -> Bool {
            subtrees.accepts(index, leaf, proof: proof)
        }
    }

    private func leaves(_ count: Int, seed: UInt8 = 0) -> [[UInt8]] {
        (0..<count).map { MerkleTree.leafHash([seed, UInt8($0 & 255), UInt8($0 >> 8)]) }
    }

    private func digest(_ bytes: [UInt8]) throws -> Digest32 { try #require(Digest32(bytes)) }

    private func proof(_ siblings: [ExportProof.Sibling], _ leaves: [[UInt8]]) throws -> [Digest32] {
        try siblings.map { try digest(NaiveTree.root(leaves[Int($0.range.lowerBound)..<Int($0.range.upperBound)])) }
    }

    private func tree(_ leaves: [[UInt8]], isComplete: Bool) throws -> Tree {
        Tree(
            AuthenticatedSubtrees(
                size: UInt64(leaves.count), root: try digest(NaiveTree.root(leaves[...])), isComplete: isComplete))
    }

    @Test("the root of each range of a page is that of the tree's definition", arguments: [(1, 0), (7, 0), (64, 192), (37, 64)])
    func roots(count: Int, first: UInt64) throws {
        let (page, size) = (leaves(count), first + UInt64(count))
        var roots = ExportProof.Roots(first: first, leafHashes: try page.map(digest))
        var known = 0
        for index in first..<size {
            for sibling in ExportProof.siblings(of: index, in: 0..<size) {
                guard sibling.range.lowerBound >= first else {
                    #expect(roots.root(of: sibling.range) == nil)
                    continue
                }
                let range = Int(sibling.range.lowerBound - first)..<Int(sibling.range.upperBound - first)
                #expect(roots.root(of: sibling.range)?.bytes == NaiveTree.root(page[range]))
                known += 1
            }
        }
        #expect(known > 0 || count == 1)
        for range in [first..<first, size..<size + 1, first..<size + 1] { #expect(roots.root(of: range) == nil) }
    }

    @Test("the root of every range, asked for in any order, is that of the tree's definition", arguments: 0..<4 as Range<UInt64>)
    func anyRoots(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let page = leaves(20)
        var roots = ExportProof.Roots(first: 7, leafHashes: try page.map(digest))
        // Ranges of different trees divide at the same leaf.
        let ranges = (0..<20).flatMap { start in (start + 1...20).map { start..<$0 } }
        for range in (ranges + ranges).shuffled(using: &random) {
            let found = roots.root(of: UInt64(range.lowerBound + 7)..<UInt64(range.upperBound + 7))
            #expect(found?.bytes == NaiveTree.root(page[range]))
        }
    }

    @Test("in a tree of any size, every range of leaves is accepted in order", arguments: 1...17)
    func ranges(size: Int) throws {
        let leaves = leaves(size)
        for from in 0..<size {
            let subtrees = try tree(leaves, isComplete: true)
            var plan = ExportProof.Plan(size: UInt64(size), isComplete: true)
            // The plan of a range begins with its first leaf.
            for index in from..<size {
                let siblings = plan.siblings(of: UInt64(index))
                #expect(subtrees.accepts(UInt64(index), try digest(leaves[index]), proof: try proof(siblings, leaves)))
            }
            #expect(!subtrees.accepts(UInt64(size), try digest(leaves[0]), proof: []))
        }
    }

    @Test("a leaf that is changed, skipped or repeated is rejected, and the right one is accepted afterwards", arguments: 2...17)
    func rejected(size: Int) throws {
        let (leaves, others) = (leaves(size), leaves(size, seed: 1))
        let subtrees = try tree(leaves, isComplete: true)
        var plan = ExportProof.Plan(size: UInt64(size), isComplete: true)
        for index in 0..<size {
            let siblings = try proof(plan.siblings(of: UInt64(index)), leaves)
            let leaf = try digest(leaves[index])
            #expect(!subtrees.accepts(UInt64(index), try digest(others[index]), proof: siblings))
            #expect(!subtrees.accepts(UInt64(index), leaf, proof: siblings + [leaf]))
            if !siblings.isEmpty {
                #expect(!subtrees.accepts(UInt64(index), leaf, proof: Array(siblings.dropLast())))
                #expect(!subtrees.accepts(UInt64(index), leaf, proof: [leaf] + siblings.dropFirst()))
            }
            if index > 0 {
                #expect(!subtrees.accepts(UInt64(index - 1), try digest(leaves[index - 1]), proof: siblings))
                if index + 1 < size {
                    #expect(!subtrees.accepts(UInt64(index + 1), try digest(leaves[index + 1]), proof: siblings))
                }
            }
            #expect(subtrees.accepts(UInt64(index), leaf, proof: siblings))
        }
    }

    @Test("in a partial export every leaf needs its whole proof, in any order", arguments: 1...17)
    func partial(size: Int) throws {
        let leaves = leaves(size)
        let subtrees = try tree(leaves, isComplete: false)
        var plan = ExportProof.Plan(size: UInt64(size), isComplete: false)
        for index in (0..<size).reversed() {
            let siblings = try proof(plan.siblings(of: UInt64(index)), leaves)
            #expect(siblings.map(\.bytes) == NaiveTree.path(index, leaves[...]))
            #expect(subtrees.accepts(UInt64(index), try digest(leaves[index]), proof: siblings))
            for other in 0..<size where other != index {
                #expect(!subtrees.accepts(UInt64(other), try digest(leaves[index]), proof: siblings))
            }
        }
        #expect(!subtrees.accepts(UInt64(size), try digest(leaves[0]), proof: []))
    }

    @Test("the hashes to the left of a leaf are the frontier of the tree before it", arguments: 1...33)
    func frontier(size: Int) throws {
        let leaves = leaves(size)
        for index in 0..<size {
            let proof = try NaiveTree.path(index, leaves[...]).map { try digest($0) }
            let left = AuthenticatedSubtrees.leftHashes(of: UInt64(index), size: UInt64(size), proof: proof)
            let frontier = try #require(MerkleFrontier(size: UInt64(index), hashes: left.map(\.bytes)))
            #expect(frontier.root == NaiveTree.root(leaves[..<index]))
        }
    }

    @Test("the siblings of a leaf and the leaf itself are all leaves, each once", arguments: 1...33)
    func siblings(size: Int) {
        for index in 0..<UInt64(size) {
            let siblings = ExportProof.siblings(of: index, in: 0..<UInt64(size))
            let covered = siblings.flatMap { Array($0.range) } + [index]
            #expect(covered.sorted() == Array(0..<UInt64(size)))
            for sibling in siblings { #expect(sibling.isRight == (sibling.range.lowerBound > index)) }
        }
    }

    @Test("a frontier needs one hash for each bit of its size")
    func frontierHashes() {
        let hash = [UInt8](repeating: 1, count: 32)
        #expect(MerkleFrontier(size: 0, hashes: []) == MerkleFrontier())
        #expect(MerkleFrontier(size: 5, hashes: [hash, hash])?.size == 5)
        #expect(MerkleFrontier(size: 5, hashes: [hash]) == nil)
        #expect(MerkleFrontier(size: 4, hashes: [hash, hash]) == nil)
    }
}

@Suite struct Digest32Tests {
    @Test("hashes are those of the tree", arguments: [0, 1, 55, 64, 1000])
    func hashes(length: Int) throws {
        var random = SeededGenerator(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let leaf = Digest32(leaf: bytes)
        #expect(leaf.bytes == MerkleTree.leafHash(bytes))
        let other = Digest32(leaf: bytes + [1])
        #expect(Digest32(left: leaf, right: other).bytes == MerkleTree.nodeHash(leaf.bytes, other.bytes))
        #expect(Digest32(left: leaf, right: other) != Digest32(left: other, right: leaf))
        #expect(Digest32(leaf.bytes) == leaf)
    }

    @Test("only 32 bytes are a hash", arguments: [0, 31, 33, 64])
    func length(count: Int) { #expect(Digest32([UInt8](repeating: 0, count: count)) == nil) }
}

/// Personal values with their salts.
@Suite struct DisclosedValueTests {
    @Test("a value is disclosed with the salt of its commitment, and only with the right key")
    func disclosed() throws {
        let encoded = try Samples.encode(Samples.outcome(), seq: 3)
        let key = try Samples.key(Samples.portfolioLog, .user(Samples.ada))
        let wrong = try Samples.key(.gateway, .user(Samples.ada))
        let commitments = try RecordEncoding.decode(encoded.bytes).commitments
        #expect(commitments.count == 4)
        for (commitment, sealed) in zip(commitments, encoded.personal) {
            let value = try commitment.disclosed(sealed.ciphertext, under: key)
            #expect(commitment.holds(for: value.value, salt: value.salt))
            #expect(!commitment.holds(for: value.value + "x", salt: value.salt))
            #expect(value.salt == commitment.place.salt(under: key))
            #expect(throws: PersonalValueError.doesNotOpen(field: commitment.place.field)) {
                try commitment.disclosed(sealed.ciphertext, under: wrong)
            }
        }
        #expect(Set(try zip(commitments, encoded.personal).map { try $0.disclosed($1.ciphertext, under: key).salt }).count == 4)
    }

    @Test("encrypted bytes that are no text are not disclosed")
    func noText() throws {
        let key = try Samples.key(Samples.portfolioLog, .user(Samples.ada))
        let place = PersonalFieldPath(record: Samples.id(3), field: "actorName")
        let (bytes, salt): ([UInt8], [UInt8]) = ([0x41, 0xFF], place.salt(under: key).bytes)
        let tuple = Array("\(place.record)\0actorName".utf8)
        let sealed = try #require(try AES.GCM.seal(bytes, using: key.sealing, authenticating: tuple).combined)
        let commitment = Digest32(SHA256.hash(data: Array("doorward/pii/1\0actorName\0".utf8) + salt + bytes))
        let personal = PersonalCommitment(place: place, owner: .user(Samples.ada), commitment: commitment)
        #expect(throws: PersonalValueError.commitmentMismatch(field: "actorName")) {
            try personal.disclosed(Array(sealed), under: key)
        }
    }
}
