internal import Glibc
internal import Synchronization

/// The gateway's only source of randomness, shared by all code that generates ids, keys and tokens; tests inject a seeded one.
package final class RandomSource: Sendable {
    private let generator: Mutex<SourceGenerator>

    /// Draws from the operating system's cryptographic generator, in blocks.
    package init() { generator = Mutex(SourceGenerator()) }

    /// Draws from `generator`, one number at a time.
    package init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Mutex(SourceGenerator(injected: generator))
    }

    /// Generates an id of any type; see `EntityID.new`.
    package func id<Entity>(at time: Timestamp, of: Entity.Type = Entity.self) -> EntityID<Entity> {
        generator.withLock { EntityID<Entity>.new(at: time, using: &$0) }
    }

    /// `count` random bytes as hexadecimal digits, two for each.
    package func hexadecimal(byteCount count: Int) -> String { bytes(count).hexadecimal }

    /// A random number of 64 bits.
    package func word() -> UInt64 { generator.withLock { $0.next() } }

    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in
            var (bytes, word) = ([UInt8](), UInt64(0))
            bytes.reserveCapacity(count)
            for index in 0..<count {
                // Draw a new number after every eight bytes, so that each random bit is used only once.
                word = index.isMultiple(of: 8) ? generator.next() : word >> 8
                bytes.append(UInt8(truncatingIfNeeded: word))
            }
            return bytes
        }
    }
}

/// The generator of a `RandomSource`: the injected one, else blocks from the operating system.
private struct SourceGenerator: RandomNumberGenerator {
    private var injected: (any RandomNumberGenerator & Sendable)?
    private var block = RandomBlock()

    init(injected: (any RandomNumberGenerator & Sendable)? = nil) { self.injected = injected }

    mutating func next() -> UInt64 { injected?.next() ?? block.next() }
}

/// Random numbers from the operating system's cryptographic generator. The numbers are fetched in blocks, because one system call
/// per number would take most of the time. Each number is returned once and wiped from the block at the same time.
///
/// MUST NOT be copied: both copies would return the same numbers. Its one owner keeps it behind a mutex.
private struct RandomBlock {
    /// 256 bytes, the maximum that `getentropy` returns in one call.
    private static let wordCount = 32

    private var words: [UInt64] = []
    private var remaining = 0

    mutating func next() -> UInt64 {
        if remaining == 0 { refill() }
        remaining -= 1
        let word = words[remaining]
        words[remaining] = 0
        return word
    }

    private mutating func refill() {
        if words.isEmpty { words = Array(repeating: 0, count: Self.wordCount) }
        let result = words.withUnsafeMutableBytes { block in block.baseAddress.map { getentropy($0, block.count) } }
        guard result == 0 else {
            // End the process, as `SystemRandomNumberGenerator` does.
            fatalError("the operating system provides no random numbers")  // No id or token may be issued without them.
        }
        remaining = Self.wordCount
    }
}
