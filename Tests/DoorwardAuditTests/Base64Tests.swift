import DoorwardTesting
import FoundationEssentials
import Testing

@testable import DoorwardAudit

@Suite struct Base64Tests {
    @Test("any bytes are written as Foundation writes them, and read back", arguments: 0..<70)
    func roundTrip(length: Int) throws {
        var random = SeededGenerator(seed: UInt64(length))
        let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var text: [UInt8] = []
        Base64.append(bytes, to: &text)
        #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
        #expect(decode(text) == bytes)
    }

    @Test("only the one spelling of some bytes is accepted", arguments: 0..<200 as Range<UInt64>)
    func strictness(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let alphabet = Array("ABab01+/==-_ \n".utf8)
            let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
            let expected = SignedNote.base64(String(decoding: text, as: UTF8.self))
            #expect(decode(text) == expected, "\(String(decoding: text, as: UTF8.self))")
        }
    }

    @Test("decoding into a buffer writes the bytes of the text and no others, and nothing that does not fit", arguments: 0..<40)
    func buffer(length: Int) {
        var text: [UInt8] = []
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: 7 * $0 + 1) }
        Base64.append(bytes, to: &text)
        for room in [max(0, length - 1), length, length + 3] {
            var buffer = [UInt8](repeating: 0xEE, count: room)
            let count = text.withUnsafeBufferPointer { text in
                buffer.withUnsafeMutableBufferPointer { Base64.decode(text, into: $0) }
            }
            #expect(count == (room < length ? nil : length))
            let expected = room < length ? [] : bytes
            #expect(buffer == expected + [UInt8](repeating: 0xEE, count: room - expected.count))
        }
    }

    private func decode(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        return text.withUnsafeBufferPointer { Base64.decode($0, into: &bytes) } ? bytes : nil
    }
}
