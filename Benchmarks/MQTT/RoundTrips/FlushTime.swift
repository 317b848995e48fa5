import BenchmarkSupport
import Foundation

/// Measures the time to write 4 KiB into a file and to flush them to the disk. The writes do not extend the file.
enum FlushTime {
    private static let pages = 256

    /// - Returns: the median of several flushes, one after the other, in milliseconds.
    static func median(in folder: URL) throws -> Double {
        let descriptor = open(folder.appendingPathComponent("flush").path, O_CREAT | O_RDWR, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 4096)
        for index in 0..<pages { pwrite(descriptor, page, page.count, off_t(index * page.count)) }
        fsync(descriptor)
        var times: [UInt64] = []
        for index in 0..<pages {
            let watch = Stopwatch()
            pwrite(descriptor, page, page.count, off_t(index * page.count))
            fdatasync(descriptor)
            times.append(watch.wall)
        }
        return Double(percentile(0.5, of: &times)) / 1e6
    }
}
