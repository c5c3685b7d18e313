"""Stream a motion live, 60 frames a second, to another program, and steer it meanwhile.

The other program here is this file again, with the word `receive`: it gets one line of JSON a
frame over a socket. Any program that can read a socket could be in its place.
"""

import json
import socket
import subprocess
import sys
import time

import amble

FPS, SECONDS = 60, 3.0


def send() -> None:
    person = amble.character("humanoid")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        other = subprocess.Popen([sys.executable, __file__, "receive", port])
        connection, _ = server.accept()
        with connection, amble.Planner(person, ahead=True) as planner:
            stream = connection.makefile("w")
            names = {"joints": ["root", *person.dof_names], "fps": FPS}
            print(json.dumps(names), file=stream)
            for frame in amble.live(planner, fps=FPS, seconds=SECONDS):
                line = {"time": round(frame.time, 4), "qpos": frame.qpos.round(5).tolist()}
                print(json.dumps(line), file=stream, flush=True)
                if frame.time == 1.0:
                    planner.command(speed=2.0, heading=30)
            stream.close()
        other.wait()


def receive(port: int) -> None:
    begin, frames = time.perf_counter(), 0
    with socket.create_connection(("127.0.0.1", port)) as connection:
        lines = connection.makefile()
        json.loads(next(lines))
        for line in lines:
            if frames == 0:
                begin = time.perf_counter()
            frames += 1
            x, y, z = json.loads(line)["qpos"][:3]
    rate = (frames - 1) / (time.perf_counter() - begin)
    print(
        f"received {frames} frames, {rate:.0f} a second; the pelvis is at {x:.1f} {y:.1f} {z:.1f}"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["receive"]:
        receive(int(sys.argv[2]))
    else:
        send()
