import Foundation
import Glibc

/// The end of a pseudo-terminal that a person would sit at; a program has the other.
///
/// It is closed when the last who holds it lets go.
final class PseudoTerminal: Sendable {
    /// How many characters fit.
    struct Size: Equatable, Sendable {
        var columns: UInt16 = 80
        var rows: UInt16 = 24
    }

    /// TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>, which are macros of macros.
    private static let (setLock, number) = (UInt(0x4004_5431), UInt(0x8004_5430))

    private let descriptor: CInt
    /// Where a program finds its end: `/dev/pts/7`.
    let devicePath: String

    init(_ size: Size) throws {
        // What posix_openpt, unlockpt and ptsname do: their declarations are hidden from Swift (ioctl_tty(2), pts(4)).
        descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (isLocked, number) = (CInt(0), CUnsignedInt(0))
        guard descriptor >= 0, ioctl(descriptor, Self.setLock, &isLocked) == 0, ioctl(descriptor, Self.number, &number) == 0
        else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        devicePath = "/dev/pts/\(number)"
        resize(to: size)
    }

    deinit { close(descriptor) }

    /// Another size, of which the kernel tells the program by SIGWINCH.
    func resize(to size: Size) {
        var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &window)
    }

    /// Whether what is typed is shown by the terminal itself.
    var isEchoing: Bool {
        var settings = termios()
        return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Whether a line is handed over when it is ended, and not each key by itself.
    var isLineByLine: Bool {
        var settings = termios()
        return tcgetattr(descriptor, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) != 0
    }

    /// What the program wrote since; waits for it. `nil` when nobody holds the other end any more.
    func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count > 0 { return Array(bytes[..<count]) }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Types the text.
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
