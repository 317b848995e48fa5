import Crypto
import DoorwardDomain
import FoundationEssentials

/// The one place that a personal value can stand in: a log, a record of it, and a field of that.
///
/// `field` is `actorName`, `clientAddress`, `statedReason`, `override.reason`, or a path into the details such as
/// `details.after.email` or `details.names[0]`; two places of one record never have the same field.
/// The formulas are those of docs/log-format.md, section "Personal values".
package struct PersonalPlace: Hashable, Sendable {
    /// The log of the record; keys are of one log alone.
    package let log: LogID
    /// The record's number in the log.
    package let seq: UInt64
    /// The name of the place inside the record, as above; holds no zero byte.
    package let field: String

    package init(log: LogID, seq: UInt64, field: String) { (self.log, self.seq, self.field) = (log, seq, field) }

    /// The 32 bytes that make the commitment say nothing to whoever has not got the key.
    package func salt(under key: PersonKey) -> [UInt8] {
        var mac = key.salting
        mac.update(data: tuple)
        return Array(mac.finalize())
    }

    /// What the record holds instead of `value`: 32 bytes.
    package func commitment(to value: String, salt: [UInt8]) -> [UInt8] {
        var input: [UInt8] = []
        input.reserveCapacity(48 + field.utf8.count + salt.count + value.utf8.count)
        input.append(contentsOf: "doorward/pii/1".utf8)
        input.append(0)
        input.append(contentsOf: field.utf8)
        input.append(0)
        input.append(contentsOf: salt)
        input.append(contentsOf: value.utf8)
        return Array(SHA256.hash(data: input))
    }

    /// `value` under AES-256-GCM: nonce (12 bytes), ciphertext, tag (16 bytes). The place is authenticated with it.
    ///
    /// The nonce is the beginning of the commitment, which a hash makes of the place's salt and the value. So it differs
    /// for each place and for each value at one place: a transaction that was rolled back and takes the same `seq` again
    /// with another value cannot repeat it, whether or not the key was kept, and with the same value it repeats the same
    /// ciphertext. Nobody without the key can foresee a salt, so nobody can look for two values that agree in 96 bits;
    /// by chance that takes some 2^48 values under one key. A nonce need not be secret.
    func seal(_ value: String, commitment: [UInt8], under key: PersonKey) throws -> [UInt8] {
        let nonce = try AES.GCM.Nonce(data: commitment[..<12])
        let box = try AES.GCM.seal(Array(value.utf8), using: key.sealing, nonce: nonce, authenticating: tuple)
        // The combined form is there for every nonce of 12 bytes.
        guard let bytes = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(bytes)
    }

    /// `logId ‖ 0x00 ‖ seq ‖ field`: no log's id holds a zero byte, and `seq` has always 8, so no two places share it.
    private var tuple: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(46 + field.utf8.count)
        bytes.append(log: log)
        bytes.append(0)
        bytes.append(bigEndian: seq)
        bytes.append(contentsOf: field.utf8)
        return bytes
    }

    /// The value of `sealed`, if it is the one that was sealed at this place under `key`.
    func open(_ sealed: [UInt8], under key: PersonKey) throws(PersonalValueError) -> String {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let bytes = try? AES.GCM.open(box, using: key.sealing, authenticating: tuple),
            let value = String(validating: bytes, as: UTF8.self)
        else { throw .doesNotOpen(field: field) }
        return value
    }
}

/// Why a personal value was not shown. Names the field, never the value.
package enum PersonalValueError: Error, Equatable, Sendable {
    /// The sealed value was altered, belongs elsewhere, or the key is another.
    case doesNotOpen(field: String)
    /// It opens, and is not the value that the record commits to.
    case commitmentMismatch(field: String)
}
