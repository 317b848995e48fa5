import BenchmarkSupport
import Foundation

/// Measures the disk itself: the time to write 4 KiB and to flush them, one write after the other.
struct FlushBenchmark {
    let folder: URL

    func run() throws {
        let file = folder.appendingPathComponent("flush")
        let descriptor = open(file.path, O_CREAT | O_RDWR | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 7, count: 4096)
        // Write the file first. The measured flushes then change no metadata, as with a log file that is reused.
        for _ in 0..<256 { _ = write(descriptor, page, page.count) }
        fsync(descriptor)
        var times: [UInt64] = []
        for index in 0..<512 {
            let start = Stopwatch.now()
            pwrite(descriptor, page, page.count, off_t(index % 256 * page.count))
            fdatasync(descriptor)
            times.append(Stopwatch.now() - start)
        }
        Figure("disk", "4 KiB written and flushed, p50", Double(percentile(0.5, of: &times)) / 1e6, "ms").report()
        Figure("disk", "4 KiB written and flushed, p99", Double(percentile(0.99, of: &times)) / 1e6, "ms").report()
    }
}
