internal import DoorwardAPI
internal import DoorwardControl
internal import DoorwardDomain

/// Creating and ending the links of guest accesses.
enum GuestLinkRoutes {
    static let all: [Route] = [
        .post(
            "/guest-access/:id/link", "Creates the link of a guest access. It replaces an earlier one.",
            .issued(
                .fields([
                    "link": .fields(["url": .text, "expiresAt": .instant, "qr": .nullable(.text), "warning": .nullable(.text)])
                ])),
            create),
        .delete("/guest-access/:id/link", "Ends the link of a guest access.", .removal, end),
    ]

    /// Ignores an idempotency key: the response contains a token, and such responses are not stored.
    private static func create(_ call: AuthenticatedRequest) async throws -> APIResponse {
        try call.readNothing()
        let link = try await call.control.guestLinks.create(call.caller, of: call.id("id"))
        let url = link.url(under: call.services.publicURL).reveal()
        return .success(201) { writer in
            writer.field("link") { writer in
                writer.object { writer in
                    writer.field("url", url)
                    writer.field("expiresAt", link.expiresAt)
                    writer.field("qr", QRCode(url)?.svg(title: "QR code of the guest link"))
                    writer.field("warning", call.services.linkWarning)
                }
            }
        }
    }

    private static func end(_ call: AuthenticatedRequest) async throws -> APIResponse {
        let isDryRun = try call.readDryRun()
        return .removal(try await call.control.guestLinks.end(call.caller, of: call.id("id"), isDryRun: isDryRun))
    }
}
