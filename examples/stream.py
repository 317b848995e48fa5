#!/usr/bin/env python3
"""Prints the state of every lock that the caller sees, and each change of it, for as long as it runs.

    DOORWARD_TOKEN=... python3 examples/stream.py http://127.0.0.1:8080
"""
import json, os, random, sys, time, urllib.error, urllib.request

doors, last_id, wait = {}, None, 0.5


def apply(event, data):
    if event == "reset" or event == "revoked":
        doors.clear()
    for door in data["objects"] if event == "snapshot" else [data["object"]] if event == "change" else []:
        if doors.get(door["id"]) != door:
            print(door["name"], door["state"], flush=True)
        doors[door["id"]] = door
    if event == "removed":
        doors.pop(data["id"], None)


while True:
    headers = {"Authorization": "Bearer " + os.environ["DOORWARD_TOKEN"], "Accept": "text/event-stream"}
    if last_id:
        headers["Last-Event-ID"] = last_id
    try:
        request = urllib.request.Request(sys.argv[1] + "/api/v1/stream?subscribe=doors:device", headers=headers)
        event = {}
        # The gateway sends something every 15 s: a connection that is silent for longer is dead.
        for line in urllib.request.urlopen(request, timeout=45):
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
            elif "data" in event:
                apply(event["event"], json.loads(event["data"]))
                last_id, event, wait = event["id"], {}, 0.5
    except (OSError, urllib.error.URLError) as error:
        if isinstance(error, urllib.error.HTTPError) and error.code == 401:
            sys.exit("the session has ended: sign in again")
    time.sleep(random.uniform(0, wait))
    wait = min(30, wait * 2)
