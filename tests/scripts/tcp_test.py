"""Real TCP between network namespaces, whose links are limited by a token bucket, against what the network model
predicts: the time at which 1 to 8 transfers that start together have all arrived, within 5 %.

The predicted links carry rate x 1448 / 1514: a full Ethernet frame of 1514 bytes, which is what tc's tbf counts,
holds 1448 bytes of payload behind 14 bytes of Ethernet, 20 of IPv4, 20 of TCP and 12 of TCP timestamps.
"""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CONVOY_BUILD_DIR", ROOT / "build"))
PAYLOAD = 1448 / 1514

SERVER = """
import socket, sys, threading
listener = socket.create_server(("0.0.0.0", 5000), backlog=64)
print("ready", flush=True)
def receive(peer):
    left = int.from_bytes(peer.recv(8), "big")
    while left > 0:
        left -= len(peer.recv(min(left, 1 << 18)))
    peer.sendall(b"!")
while True:
    threading.Thread(target=receive, args=(listener.accept()[0],), daemon=True).start()
"""

# Waits for the start date on stdin, sends, and prints seconds from the start date to each acknowledgement.
CLIENT = """
import json, socket, sys, threading, time
address, sizes = sys.argv[1], json.loads(sys.argv[2])
peers = [socket.create_connection((address, 5000)) for _ in sizes]
print("ready", flush=True)
start = float(sys.stdin.readline())
ends = [0.0] * len(sizes)
def send(i):
    time.sleep(max(0.0, start - time.time()))
    peers[i].sendall(sizes[i].to_bytes(8, "big"))
    block = bytes(1 << 18)
    left = sizes[i]
    while left > 0:
        left -= peers[i].send(block[:min(left, len(block))])
    peers[i].recv(1)
    ends[i] = time.time() - start
threads = [threading.Thread(target=send, args=(i,)) for i in range(len(sizes))]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(json.dumps(ends))
"""


def run(*command):
    subprocess.run(command, check=True, capture_output=True, text=True)


class Namespaces:
    """Namespaces named after this process, each in its own subnet with the next; gone at the end."""

    def __init__(self, count, rates_mbit):
        self.names = [f"convoy{os.getpid()}n{i}" for i in range(count)]
        self.servers = []
        try:
            for name in self.names:
                run("ip", "netns", "add", name)
                run("ip", "-n", name, "link", "set", "lo", "up")
            for i, rate in enumerate(rates_mbit):
                left, right = self.names[i], self.names[i + 1]
                run("ip", "link", "add", f"cv{i}a", "netns", left, "type", "veth", "peer", "name", f"cv{i}b", "netns", right)
                for name, device, host in ((left, f"cv{i}a", 1), (right, f"cv{i}b", 2)):
                    run("ip", "-n", name, "address", "add", f"10.77.{i}.{host}/24", "dev", device)
                    run("ip", "-n", name, "link", "set", device, "up")
                run("tc", "-n", left, "qdisc", "add", "dev", f"cv{i}a", "root", "tbf", "rate", f"{rate}mbit",
                    "burst", "32kb", "latency", "20ms")
            if count == 3:
                run("ip", "netns", "exec", self.names[1], "sysctl", "-qw", "net.ipv4.ip_forward=1")
                run("ip", "-n", self.names[0], "route", "add", "default", "via", "10.77.0.2")
                run("ip", "-n", self.names[2], "route", "add", "default", "via", "10.77.1.1")
        except BaseException:
            self.close()
            raise

    def start(self, index, code, *arguments):
        process = subprocess.Popen(["ip", "netns", "exec", self.names[index], sys.executable, "-c", code, *arguments],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.servers.append(process)
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError("a process in a namespace did not start")
        return process

    def close(self):
        for process in self.servers:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stdin.close()
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def allowed():
    try:
        probe = Namespaces(2, [100])
    except (OSError, subprocess.CalledProcessError) as error:
        return str(getattr(error, "stderr", "") or error).strip()
    probe.close()
    return ""


def measured(spaces, address, senders):
    """senders: (namespace, sizes). Seconds from a common start to the end of each transfer, in their order."""
    clients = [spaces.start(index, CLIENT, address, json.dumps(sizes)) for index, sizes in senders]
    start = time.time() + 0.1
    for client in clients:
        client.stdin.write(f"{start}\n")
        client.stdin.flush()
    return [end for client in clients for end in json.loads(client.stdout.readline())]


def predicted(links, sends):
    names = sorted({name for link in links for name in link[:2]})
    lines = [f"host {name}" for name in names]
    lines += [f"link {a} {b} {mbit * 1e6 / 8 * PAYLOAD} 0.00005" for a, b, mbit in links]
    lines += [f"send {a} {b} {size} 0" for a, b, size in sends]
    done = subprocess.run([BUILD / "bin" / "predict_transfers"], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, check=True)
    return [float(word) for word in done.stdout.split()]


REASON = allowed() if (BUILD / "bin" / "predict_transfers").exists() else "predict_transfers is not built"


@unittest.skipIf(REASON, f"network namespaces cannot be made here: {REASON}")
class RealTcp(unittest.TestCase):
    def check_within(self, measure, model):
        """A machine that is busy with something else delays a measurement; it never makes three of them wrong."""
        for _ in range(3):
            real = measure()
            if abs(max(real) / max(model) - 1) < 0.05:
                break
        print(f"transfers {len(real)}: predicted {max(model):.3f} s, measured {max(real):.3f} s "
              f"({100 * (max(real) / max(model) - 1):+.1f} %)", file=sys.stderr)
        self.assertLess(abs(max(real) / max(model) - 1), 0.05)

    def test_one_link_with_1_to_8_transfers(self):
        spaces = Namespaces(2, [200])
        self.addCleanup(spaces.close)
        spaces.start(1, SERVER)
        for count in (1, 2, 4, 8):
            sizes = [16_000_000 // count] * count
            self.check_within(lambda: measured(spaces, "10.77.0.2", [(0, sizes)]),
                              predicted([("a", "b", 200)], [("a", "b", size) for size in sizes]))

    def test_two_links_where_the_second_is_shared_with_others(self):
        # a -> r at 150 Mbit/s, r -> b at 200 Mbit/s. Two transfers start in a, two larger ones in r, so that the
        # shared second link binds to the end, however fairly TCP divides it.
        spaces = Namespaces(3, [150, 200])
        self.addCleanup(spaces.close)
        spaces.start(2, SERVER)
        far, near = [4_000_000] * 2, [6_000_000] * 2
        sends = [("a", "b", size) for size in far] + [("r", "b", size) for size in near]
        self.check_within(lambda: measured(spaces, "10.77.1.2", [(0, far), (1, near)]),
                          predicted([("a", "r", 150), ("r", "b", 200)], sends))


if __name__ == "__main__":
    unittest.main(verbosity=2)
