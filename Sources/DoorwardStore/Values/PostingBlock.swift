/// The encoding of a row of `postings`: ascending `seq`s of one log, as the first of them and the differences between neighbours.
enum PostingBlock {
    /// The maximum number of `seq`s in a block.
    static let capacity = 128

    /// The differences between neighbours as LEB128 (DWARF 5, section 7.6, unsigned).
    static func deltas(of seqs: some Collection<UInt64>) -> [UInt8] {
        guard var last = seqs.first else { return [] }
        var bytes: [UInt8] = []
        for seq in seqs.dropFirst() {
            append(seq - last, to: &bytes)
            last = seq
        }
        return bytes
    }

    static func append(_ delta: UInt64, to bytes: inout [UInt8]) {
        var rest = delta
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The `seq`s of a block; `nil` if the bytes are not the differences of `count` ascending ones up to `last`.
    static func seqs(first: Int64, last: Int64, count: Int64, deltas: [UInt8]) -> [UInt64]? {
        guard first >= 0, last >= first, (1...Int64(capacity)).contains(count) else { return nil }
        var seqs = [UInt64(first)]
        var (delta, shift): (UInt64, UInt64) = (0, 0)
        for byte in deltas {
            guard shift <= 35 else { return nil }
            delta |= UInt64(byte & 0x7F) << shift
            shift += 7
            guard byte < 0x80 else { continue }
            guard delta > 0 else { return nil }
            seqs.append(seqs[seqs.count - 1] + delta)
            (delta, shift) = (0, 0)
        }
        return shift == 0 && seqs.count == Int(count) && seqs.last == UInt64(last) ? seqs : nil
    }
}
