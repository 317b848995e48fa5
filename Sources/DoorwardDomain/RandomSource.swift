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

    /// `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) } }
    }
}
