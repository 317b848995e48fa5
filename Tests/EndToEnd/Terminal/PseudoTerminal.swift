import Foundation
import Glibc

/// The user's end of a pseudo-terminal; the program has the other end.
///
/// The terminal is closed when this object is deallocated.
final class PseudoTerminal: Sendable {
    /// The size of the window in characters.
    struct Size: Equatable, Sendable {
        var columns: UInt16 = 80
        var rows: UInt16 = 24
    }

    /// TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>, which Swift cannot import because they are nested macros.
    private static let (setLock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))

    private let descriptor: CInt
    /// The path of the program's end, for example `/dev/pts/7`.
    let devicePath: String

    init(_ size: Size) throws {
        // The steps of posix_openpt, unlockpt and ptsname, whose declarations are not visible in Swift (ioctl_tty(2), pts(4)).
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number) = (CInt(0), CUnsignedInt(0))
        guard descriptor >= 0, ioctl(descriptor, Self.setLock, &isLocked) == 0, ioctl(descriptor, Self.number, &number) == 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        devicePath = "/dev/pts/\(number)"
        resize(to: size)
    }

    deinit { close(descriptor) }

    /// Changes the size; the kernel sends the program SIGWINCH.
    func resize(to size: Size) {
        var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &window)
    }

    /// Whether the terminal shows typed characters.
    var isEchoing: Bool {
        var settings = termios()
        return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Whether input is passed on line by line instead of key by key.
    var isLineByLine: Bool {
        var settings = termios()
        return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    /// Waits for output of the program and returns it, or `nil` when no process has the other end open.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count > 0 { return Array(bytes[..<count]) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Sends the text as typed input.
    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
