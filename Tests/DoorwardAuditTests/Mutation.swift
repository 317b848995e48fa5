import DoorwardAudit
import DoorwardDomain
import DoorwardTesting
import FoundationEssentials

/// Random small damage to bytes.
enum Mutation {
    static func mutate(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty else { return bytes }
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[position] = UInt8.random(in: .min ... .max, using: &random)
        case 2: bytes.remove(at: position)
        case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: position)
        case 4: bytes.removeLast(bytes.count - position)
        // Another character that is likely to keep the record valid.
        default: bytes[position] = Array("aA0$\"\\{},:".utf8).randomElement(using: &random) ?? 0x61
        }
        return bytes
    }
}

/// Re-encodes a record that was decoded without its personal values.
enum Recommitted {
    /// Encodes the record with a placeholder for each personal value, then replaces the new commitments with the original ones.
    static func bytes(of bytes: [UInt8]) throws -> [UInt8] {
        let read = try RecordEncoding.decode(bytes) { _ in "some value" }
        let body = read.record.body
        var written = try Samples.encode(body, seq: read.record.seq).bytes
        for (old, new) in zip(read.commitments, try RecordEncoding.decode(written).commitments) {
            if let place = written.firstRange(of: new.commitment.bytes) {
                written.replaceSubrange(place, with: old.commitment.bytes)
            }
            let base64 = Array(Data(new.commitment.bytes).base64EncodedString().utf8)
            if let place = written.firstRange(of: base64) {
                written.replaceSubrange(place, with: Array(Data(old.commitment.bytes).base64EncodedString().utf8))
            }
        }
        return written
    }
}
