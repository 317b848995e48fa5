import Crypto

/// A pseudorandom function of 64-bit inputs whose value at single inputs can be destroyed, while all others stay computable.
///
/// This is the tree of Goldreich, Goldwasser and Micali: a secret for each node of a binary tree of depth 64, in which the two
/// children of a node are hashes of the node's secret. The input is the path from the root; the value is the leaf's secret. At
/// first only the root is kept. To destroy an input, the secret that leads to it is replaced by those of the siblings along the
/// path, from which all other inputs can still be computed, and this one cannot (Boneh and Waters, "Constrained pseudorandom
/// functions", 2013).
struct PuncturableKey: Sendable {
    /// The secret of one node. `depth` bits of `prefix`, from the highest, are the path to it; the others are zero.
    struct Node: Hashable, Sendable {
        let prefix: UInt64
        let depth: Int
        let secret: [UInt8]

        /// Returns whether the node is on the path to the input.
        func covers(_ input: UInt64) -> Bool { depth == 0 || (prefix ^ input) >> UInt64(64 - depth) == 0 }

        /// Returns the child on the side that the next bit selects.
        func child(_ bit: Bool) -> Node {
            Node(
                prefix: bit ? prefix | 1 << UInt64(63 - depth) : prefix, depth: depth + 1,
                secret: Array(SHA256.hash(data: [bit ? 1 : 0] + secret)))
        }
    }

    /// The length of a secret.
    static let byteCount = 32

    /// The kept nodes in ascending order of their prefixes. No node covers an input of another.
    private(set) var nodes: [Node]

    init(root: [UInt8]) { nodes = [Node(prefix: 0, depth: 0, secret: root)] }

    /// - Returns: `nil` if the nodes are not in order, overlap, or have a wrong form.
    init?(nodes: [Node]) {
        for node in nodes {
            guard (0...64).contains(node.depth), node.secret.count == Self.byteCount else { return nil }
            guard node.depth == 64 || node.prefix << UInt64(node.depth) == 0 else { return nil }
        }
        for (one, other) in zip(nodes, nodes.dropFirst()) {
            guard one.prefix < other.prefix, !one.covers(other.prefix) else { return nil }
        }
        self.nodes = nodes
    }

    /// Returns the 32-byte value at the input; `nil` if it was destroyed.
    func value(at input: UInt64) -> [UInt8]? {
        guard let index = index(covering: input) else { return nil }
        var node = nodes[index]
        while node.depth < 64 { node = node.child(Self.bit(of: input, after: node)) }
        return node.secret
    }

    /// Returns whether the value at the input was destroyed.
    func isDestroyed(at input: UInt64) -> Bool { index(covering: input) == nil }

    /// Destroys the value at the input.
    mutating func destroy(at input: UInt64) {
        guard let index = index(covering: input) else { return }
        var (node, kept): (Node, [Node]) = (nodes[index], [])
        while node.depth < 64 {
            let bit = Self.bit(of: input, after: node)
            kept.append(node.child(!bit))
            node = node.child(bit)
        }
        nodes.replaceSubrange(index...index, with: kept.sorted { $0.prefix < $1.prefix })
    }

    private static func bit(of input: UInt64, after node: Node) -> Bool { input >> UInt64(63 - node.depth) & 1 == 1 }

    private func index(covering input: UInt64) -> Int? {
        var (low, high) = (0, nodes.count)
        while low < high {
            let middle = (low + high) / 2
            if nodes[middle].prefix <= input { low = middle + 1 } else { high = middle }
        }
        guard low > 0, nodes[low - 1].covers(input) else { return nil }
        return low - 1
    }
}
