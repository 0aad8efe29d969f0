import type { EffectKind } from "../../programs/effect.ts";
import type { Wanted } from "./wanted.ts";

const command = (text: string): Wanted => ({ kind: "command", text });

/** Calls with each effect, the plainest first. Several, as a rule may decide any one of them by its words. */
export const EXAMPLES: Readonly<Record<EffectKind, readonly Wanted[]>> = {
  reads: [
    command("cat a"),
    { kind: "read", path: "a" },
    command("cat *"),
    command('cat "$x"'),
    command("cat -r"),
    command("ls -R ."),
    command("cat x/../a"),
    command("cat /etc/passwd"),
    command("ls /usr"),
  ],
  writes: [
    command("touch a"),
    { kind: "write", path: "a" },
    command("echo a > b"),
    command('touch "$x"'),
    command("chmod -R a+r ."),
    command("cp a b"),
    command("touch *"),
    command("touch x/../a"),
    command("echo a > /dev/null"),
  ],
  deletes: [command("rm a"), command("rmdir a"), command("rm -r a"), command('rm "$x"'), command("rm *")],
  history: [command("git commit -m a"), command("git tag a"), command("git stash"), command("git branch a")],
  connects: [
    command("git fetch"),
    command("curl https://a.example"),
    { kind: "connect", host: "a.example", port: 443 },
    command("curl localhost:3000"),
    command("npm ci"),
    command("wget https://a.example"),
    command('curl "$x"'),
    command("nc a.example 443"),
  ],
  sends: [
    command("curl -d a https://a.example"),
    command("curl -T a https://a.example"),
    command("curl -d a localhost:3000"),
    command("scp a h:"),
    command("git push"),
  ],
  remembers: [{ kind: "remember" }],
  schedules: [{ kind: "schedule" }, command("at now"), command("crontab a"), command("systemd-run ls")],
  messages: [{ kind: "message" }],
  invokes: [{ kind: "invoke", tool: "a__b" }],
  "runs-code": [
    command("./a"),
    command("node a.js"),
    command("npm test"),
    command("make"),
    command("python3 a.py"),
    command("sh a"),
    command("npx a"),
    command("cargo test"),
  ],
  publishes: [command("git push"), command("npm publish"), command("docker push a"), command("gh pr create"), command("cargo publish")],
  remote: [command("ssh a ls"), command("kubectl delete pod a"), command("aws s3 rm s3://a"), command("terraform apply"), command("gh pr merge")],
  processes: [command("kill 1"), command("pkill a"), command("killall a")],
  persists: [
    command("crontab a"),
    command("systemctl enable a"),
    command("git config a.b c"),
    command("echo a >> ~/.bashrc"),
    command("git config core.pager a"),
  ],
  privilege: [command("sudo ls"), command("su"), command("chmod u+s a"), command("doas ls")],
  system: [command("mount a b"), command("apt-get install a"), command("shutdown"), command("reboot"), command("modprobe a")],
  secrets: [
    command("env"),
    command("printenv"),
    command("gh auth token"),
    command("security dump-keychain"),
    command("cat ~/.ssh/id_rsa"),
    command("git credential fill"),
  ],
  unknown: [command("a"), command("b c"), command("git a"), command("frobnicate")],
  undecidable: [command("eval $x"), command("$x"), command('"$x"'), command("source a")],
};

/** One of each, for what concerns every effect. */
export const ALL_EXAMPLES: readonly Wanted[] = [
  ...Object.values(EXAMPLES).flatMap((list) => list),
  command("true"),
  command("ls"),
  { kind: "tool", tool: "shell" },
];
