import DoorwardDomain
import Glibc
import Synchronization

/// A standard stream of the process, written without a buffer.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    /// Writes the text and a line break; a closed stream is not an error.
    ///
    /// - Returns: whether the text could be written.
    @discardableResult
    func line(_ text: String) -> Bool { write(text + "\n") }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                if self == .output { _ = Self.firstError.compareExchange(expected: 0, desired: errno, ordering: .relaxed) }
                return false
            }
            rest = rest.dropFirst(written)
        }
        return true
    }

    /// The number of the first error of writing to standard output; 0 for none.
    private static let firstError = Atomic<Int32>(0)

    /// Why standard output is not complete; `nil` if it is, or if its reader has closed it, as `head` does.
    static var outputFailure: CommandFailure? {
        switch firstError.load(ordering: .relaxed) {
        case 0, EPIPE: nil
        case let number: CommandFailure("The output could not be written: \(SystemFailure(number)).")
        }
    }
}
