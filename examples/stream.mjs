// Prints the state of every lock that the caller sees, and each change of it, for as long as it runs.
//
//     DOORWARD_TOKEN=... node examples/stream.mjs http://127.0.0.1:8080
const doors = new Map();
let lastID, wait = 500;

function apply(event, data) {
  if (event === "reset" || event === "revoked") doors.clear();
  for (const door of event === "snapshot" ? data.objects : event === "change" ? [data.object] : []) {
    if (JSON.stringify(doors.get(door.id)) !== JSON.stringify(door)) console.log(door.name, door.state);
    doors.set(door.id, door);
  }
  if (event === "removed") doors.delete(data.id);
}

for (;;) {
  try {
    const headers = { Authorization: `Bearer ${process.env.DOORWARD_TOKEN}`, ...(lastID && { "Last-Event-ID": lastID }) };
    const response = await fetch(`${process.argv[2]}/api/v1/stream?subscribe=doors:device`, { headers });
    if (response.status === 401) throw Object.assign(new Error("the session has ended: sign in again"), { isFinal: true });
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
        const fields = Object.fromEntries(text.slice(0, end).split("\n").map((line) => line.split(/: (.*)/s)));
        apply(fields.event, JSON.parse(fields.data));
        [lastID, wait] = [fields.id, 500];
      }
    }
  } catch (error) {
    if (error.isFinal) throw error;
  }
  await new Promise((resolve) => setTimeout(resolve, Math.random() * wait));
  wait = Math.min(30_000, wait * 2);
}
