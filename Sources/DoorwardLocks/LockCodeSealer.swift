import Crypto
package import DoorwardDomain
package import DoorwardKernel
import FoundationEssentials

/// Encrypts the codes of locks for the store (ChaCha20-Poly1305, RFC 8439). Each ciphertext is bound to its device and cannot
/// be decrypted for another one.
package struct LockCodeSealer: Sendable {
    private let key: SymmetricKey

    /// The maximum length of a code, in bytes of UTF-8. Codes are padded to it, so that the ciphertext does not reveal the
    /// length.
    package static let maxBytes = 64

    /// - Parameter key: 32 bytes that are kept outside the store.
    package init(key: Secret<[UInt8]>) { self.key = SymmetricKey(data: key.reveal()) }

    /// - Throws: `.internalFailure` if the code is longer than `maxBytes`.
    package func seal(_ code: Secret<String>, for device: DeviceID, _ random: RandomSource) throws(GatewayError) -> [UInt8] {
        let bytes = Array(code.reveal().utf8)
        guard bytes.count <= Self.maxBytes else { throw .internalFailure("a lock's code is too long to be encrypted") }
        let padded = [UInt8(bytes.count)] + bytes + [UInt8](repeating: 0, count: Self.maxBytes - bytes.count)
        do {
            let nonce = try ChaChaPoly.Nonce(data: random.bytes(12))
            return Array(try ChaChaPoly.seal(padded, using: key, nonce: nonce, authenticating: Self.binding(device)).combined)
        } catch {
            throw .internalFailure("a lock's code could not be encrypted: \(error)")
        }
    }

    /// - Returns: `nil` if the ciphertext was encrypted under another key or for another device, or was modified.
    func open(_ sealed: [UInt8], of device: DeviceID) -> Secret<String>? {
        guard let box = try? ChaChaPoly.SealedBox(combined: sealed),
            let padded = try? ChaChaPoly.open(box, using: key, authenticating: Self.binding(device)), let count = padded.first,
            Int(count) < padded.count, let text = String(validating: padded.dropFirst().prefix(Int(count)), as: UTF8.self)
        else { return nil }
        return Secret(text)
    }

    private static func binding(_ device: DeviceID) -> [UInt8] { Array("doorward/lock-code/1\u{0}\(device)".utf8) }
}
