internal import Synchronization

/// The one source of randomness of the gateway, shared by all who make ids, keys and tokens; tests hand in a seeded one.
package final class RandomSource: Sendable {
    private let generator: Mutex<any RandomNumberGenerator & Sendable>

    /// The system's cryptographic generator unless told otherwise.
    package init(_ generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()) {
        self.generator = Mutex(generator)
    }

    /// A new id of any kind; see `EntityID.new`.
    package func id<Entity>(at time: Timestamp, of: Entity.Type = Entity.self) -> EntityID<Entity> {
        generator.withLock { EntityID<Entity>.new(at: time, using: &$0) }
    }

    /// `count` random bytes as hexadecimal digits, two for each.
    package func hexadecimal(byteCount count: Int) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes(count).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }

    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
    }
}
