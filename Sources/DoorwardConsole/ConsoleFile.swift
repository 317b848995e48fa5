/// A file of the web console.
package struct ConsoleFile: Sendable {
    /// The name without a folder, such as `app.js`.
    package let name: String
    /// The media type, the value of `Content-Type`.
    package let type: String
    /// The bytes of the file, as they are served; of the page, with the placeholder in them.
    package let content: [UInt8]

    init(_ name: String, _ content: [UInt8]) {
        (self.name, self.content) = (name, content)
        type = Self.types.first { name.hasSuffix($0.suffix) }?.type ?? "application/octet-stream"
    }

    private static let types = [
        (suffix: ".js", type: "text/javascript; charset=utf-8"), (suffix: ".css", type: "text/css; charset=utf-8"),
        (suffix: ".html", type: "text/html; charset=utf-8"),
    ]
}

extension ConsoleFile {
    /// The page that loads the other files. It names their folder by ``folderPlaceholder``.
    package static let page = ConsoleFile("index.html", PackageResources.index_html)

    /// The placeholder in the page for the path of the folder with the other files.
    package static let folderPlaceholder = "{{folder}}"

    /// The style sheet and the modules. They import each other by `./NAME`, so they are served from one folder.
    package static let all: [ConsoleFile] = [
        ConsoleFile("console.css", PackageResources.console_css),
        ConsoleFile("app.js", PackageResources.app_js),
        ConsoleFile("api.js", PackageResources.api_js),
        ConsoleFile("view.js", PackageResources.view_js),
        ConsoleFile("ability.js", PackageResources.ability_js),
        ConsoleFile("words.js", PackageResources.words_js),
        ConsoleFile("live.js", PackageResources.live_js),
        ConsoleFile("parts.js", PackageResources.parts_js),
        ConsoleFile("commands.js", PackageResources.commands_js),
        ConsoleFile("sign-in.js", PackageResources.sign_in_js),
        ConsoleFile("doors.js", PackageResources.doors_js),
        ConsoleFile("door.js", PackageResources.door_js),
        ConsoleFile("door-move.js", PackageResources.door_move_js),
        ConsoleFile("door-replace.js", PackageResources.door_replace_js),
        ConsoleFile("door-settings.js", PackageResources.door_settings_js),
        ConsoleFile("door-test.js", PackageResources.door_test_js),
        ConsoleFile("todo.js", PackageResources.todo_js),
        ConsoleFile("edits.js", PackageResources.edits_js),
        ConsoleFile("records.js", PackageResources.records_js),
        ConsoleFile("guests.js", PackageResources.guests_js),
        ConsoleFile("guest-change.js", PackageResources.guest_change_js),
        ConsoleFile("guest-details.js", PackageResources.guest_details_js),
        ConsoleFile("guest-dialog.js", PackageResources.guest_dialog_js),
        ConsoleFile("guest-extend.js", PackageResources.guest_extend_js),
        ConsoleFile("guest-form.js", PackageResources.guest_form_js),
        ConsoleFile("guest-hours.js", PackageResources.guest_hours_js),
        ConsoleFile("guest-places.js", PackageResources.guest_places_js),
        ConsoleFile("guest-preview.js", PackageResources.guest_preview_js),
        ConsoleFile("guest-share.js", PackageResources.guest_share_js),
        ConsoleFile("guest-times.js", PackageResources.guest_times_js),
        ConsoleFile("log.js", PackageResources.log_js),
        ConsoleFile("log-charts.js", PackageResources.log_charts_js),
        ConsoleFile("log-filters.js", PackageResources.log_filters_js),
        ConsoleFile("log-export.js", PackageResources.log_export_js),
        ConsoleFile("opening.js", PackageResources.opening_js),
        ConsoleFile("download.js", PackageResources.download_js),
        ConsoleFile("check.js", PackageResources.check_js),
        ConsoleFile("account.js", PackageResources.account_js),
        ConsoleFile("property.js", PackageResources.property_js),
        ConsoleFile("property-form.js", PackageResources.property_form_js),
        ConsoleFile("zone-change.js", PackageResources.zone_change_js),
        ConsoleFile("unit.js", PackageResources.unit_js),
        ConsoleFile("unit-form.js", PackageResources.unit_form_js),
        ConsoleFile("scopes.js", PackageResources.scopes_js),
        ConsoleFile("removal.js", PackageResources.removal_js),
        ConsoleFile("people.js", PackageResources.people_js),
        ConsoleFile("people-export.js", PackageResources.people_export_js),
        ConsoleFile("people-import.js", PackageResources.people_import_js),
        ConsoleFile("people-lines.js", PackageResources.people_lines_js),
        ConsoleFile("invite.js", PackageResources.invite_js),
        ConsoleFile("share.js", PackageResources.share_js),
        ConsoleFile("csv.js", PackageResources.csv_js),
        ConsoleFile("person.js", PackageResources.person_js),
        ConsoleFile("picker.js", PackageResources.picker_js),
        ConsoleFile("rights.js", PackageResources.rights_js),
        ConsoleFile("portfolio.js", PackageResources.portfolio_js),
        ConsoleFile("found.js", PackageResources.found_js),
        ConsoleFile("gateway.js", PackageResources.gateway_js),
        ConsoleFile("more.js", PackageResources.more_js),
    ]
}
