import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { connectSupervisor, type SupervisorClient } from "../../../src/sandbox/supervisor/client.ts";
import { describeWithDocker } from "../../support/docker.ts";
import { builtProgram, sandboxDirectory } from "./process.ts";

/** The supervisor as PID 1 of a container: three capabilities, the seccomp profile, 64 processes, 256 MiB, no network. */
function startContainer(): { client: Promise<SupervisorClient>; ended: Promise<number | null> } {
  const limits = [
    "--pids-limit=64",
    "--memory=256m",
    "--memory-swap=256m",
    "--network=none",
    "--read-only",
    "--tmpfs=/tmp:size=64m,mode=1777,nosuid,nodev,exec",
  ];
  const rights = ["--cap-drop=ALL", "--cap-add=SETUID", "--cap-add=SETGID", "--cap-add=KILL", "--security-opt=no-new-privileges"];
  const profile = `--security-opt=seccomp=${join(sandboxDirectory, "seccomp.json")}`;
  const program = ["--volume", `${builtProgram("warder-supervisor")}:/.warder/supervisor:ro`, "--entrypoint=/.warder/supervisor"];
  const image = readFileSync(join(sandboxDirectory, "build/image-id"), "utf8").trim();
  const argv = ["run", "--rm", "--interactive", "--log-driver=none", "--user=0:0", ...limits, ...rights, profile, ...program, image];
  const child = spawn("docker", [...argv, "--uid=1000", "--gid=1000", "--root=rw:/tmp", "--root=ro:/"], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => undefined);
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  return { client: connectSupervisor({ readable: child.stdout, writable: child.stdin }, { helloTimeoutMs: 60_000 }), ended };
}

describeWithDocker("in a container, a command", () => {
  let client: SupervisorClient;
  let ended: Promise<number | null>;
  beforeAll(async () => {
    const started = startContainer();
    client = await started.client;
    ended = started.ended;
  });
  afterAll(async () => {
    client.close();
    await ended;
  });

  const run = async (script: string, timeoutMs = 120_000) => {
    const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/tmp" };
    const reply = await client.exec({ argv: ["/bin/bash", "--norc", "--noprofile", "-c", script], cwd: "/tmp", env, timeoutMs, outputBytes: 100_000 });
    return reply.kind === "ended" ? { ...reply, text: reply.stdout.text } : reply;
  };

  it.each([
    ["git", "git init -q r && cd r && echo a > a && git add a && git -c user.name=a -c user.email=a@b.c commit -qm a && git log --oneline | wc -l", "1\n"],
    ["node with a subprocess", `node -e 'require("child_process").exec("echo from-node", (_, out) => process.stdout.write(out))'`, "from-node\n"],
    ["npm", "npm --version > /dev/null && echo npm", "npm\n"],
    [
      "python with threads and processes",
      'python3 -c \'import subprocess, threading; t = threading.Thread(target=print, args=("thread",)); t.start(); t.join(); print(subprocess.check_output(["echo", "py"]).decode(), end="")\'',
      "thread\npy\n",
    ],
    ["curl, which finds no network", "curl -s --max-time 5 http://127.0.0.1:9 ; echo $?", "7\n"],
    ["make and a FIFO", "mkfifo f && printf 'all:\\n\\t@echo made\\n' > Makefile && make", "made\n"],
  ])("runs %s under the profile", async (_name, script, text) => {
    expect(await run(`rm -rf /tmp/* && ${script}`)).toMatchObject({ kind: "ended", exitCode: 0, text });
  });

  it("is refused the calls that the profile names", async () => {
    const sockets =
      "for f, p in ((40, 0), (38, 0), (17, 0), (16, 9), (16, 15)):\n  try: socket.socket(f, socket.SOCK_RAW if f != 40 else socket.SOCK_STREAM, p); print('open', f, p)\n  except OSError as e: assert e.errno in (1, 97), e";
    // Numbers of x86-64 and what each must fail with; the unused arguments are zero.
    const calls =
      "for n, e in ((101, 1), (425, 38), (447, 38), (323, 38), (321, 1), (250, 1), (29, 1), (154, 1), (272, 1), (304, 1), (310, 1), (435, 38), (165, 1), (135, None)):\n  r = c.syscall(n, 0x10000000, 0, 0, 0, 0)\n  if e is None: continue\n  if r != -1 or ctypes.get_errno() != e: print('call', n, r, ctypes.get_errno())";
    const script = `[ "$(uname -m)" = x86_64 ] || { echo done; exit; }; python3 - <<'END'\nimport socket, ctypes\nc = ctypes.CDLL(None, use_errno=True)\n${sockets}\n${calls}\nprint('done')\nEND`;
    expect(await run(script)).toMatchObject({ exitCode: 0, text: "done\n" });
  });

  it("is not the supervisor's equal: no signal, no descriptor, no limit of PID 1 is its to change", async () => {
    const reply = await run("kill -9 1; kill -STOP 1; ls /proc/1/fd; cat /proc/1/mem; prlimit --pid 1 --nofile=1; echo out");
    expect(reply).toMatchObject({ exitCode: 0, text: "out\n" });
    expect(await run("grep -E '^(CapEff|CapPrm|CapInh|CapAmb|Seccomp|NoNewPrivs):' /proc/self/status | tr -d '\\t'")).toMatchObject({
      text: "CapInh:0000000000000000\nCapPrm:0000000000000000\nCapEff:0000000000000000\nCapAmb:0000000000000000\nNoNewPrivs:1\nSeccomp:2\n",
    });
  });

  it("that fills the process limit or the memory is ended, and the next one works", async () => {
    expect(await run("bomb() { bomb | bomb & }; bomb; while :; do :; done", 1500)).toMatchObject({ kind: "ended", cause: "timed-out" });
    expect(await run("exec python3 -c 'a = []\nwhile True: a.append(bytearray(10**7))'")).toMatchObject({ kind: "ended", signal: "SIGKILL", cause: "itself" });
    expect(await run("set -- /proc/[0-9]*; echo alive $#")).toMatchObject({ text: "alive 2\n" });
  });

  it("reads nothing through a file verb that it could not read itself", async () => {
    expect(await client.read({ path: "/etc/shadow", offset: 0, length: 10 })).toMatchObject({ kind: "failed", code: "permission" });
    expect(await client.read({ path: "/etc/hostname", offset: 0, length: 10 })).toMatchObject({ kind: "done" });
    expect(await client.write({ path: "/etc/new", content: Buffer.from("x"), expectation: { kind: "any" } })).toMatchObject({
      kind: "failed",
      code: "permission",
    });
  });
});
