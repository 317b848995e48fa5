import FoundationEssentials
import Glibc

/// A file that is read as raw bytes, or standard input.
struct BytesFile {
    /// `-` for standard input.
    let path: String

    /// - Throws: an error if the file cannot be read.
    func read() throws(CommandFailure) -> [UInt8] {
        guard path != "-" else { return Self.standardInput() }
        do { return [UInt8](try Data(contentsOf: URL(filePath: path))) } catch {
            throw CommandFailure("\(path.printable): the file cannot be read")
        }
    }

    /// Reads standard input to its end.
    private static func standardInput() -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = part.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }
}
