internal import Synchronization

/// The gateway's only source of randomness, shared by all code that generates ids, keys and tokens; tests inject a seeded one.
package final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// Draws from `generator`; by default from the operating system's cryptographic generator.
    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
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
