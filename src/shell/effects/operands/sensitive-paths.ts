import { newEffect, type NewEffect } from "../../model/effects.ts";
import type { PathOperand } from "../../model/model.ts";

/** Paths that a shell, a service, a login or git reads on its own. Those with a hidden name come first. */
const RUN_LATER_HIDDEN = [
  /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xprofile|xsession|vimrc|exrc|emacs|tmux\.conf|screenrc|gitconfig|npmrc|pypirc|netrc|curlrc|wgetrc)$/,
  /\/\.(?:config\/(?:autostart|systemd|fish|git|nvim|environment\.d)|vim|emacs\.d|ssh)(?:\/|$)/,
  /\/\.git\/(?:hooks|config|info\/attributes|modules)(?:\/|$)/,
];
const RUN_LATER =
  /^\/(?:etc\/(?:cron|init|systemd|profile|bash|zsh|rc|ld\.so|sudoers|pam|passwd|shadow|environment|ssh|xdg)|(?:usr\/lib|lib)\/systemd\/|var\/spool\/(?:cron|at))/;
const RUN_LATER_ON_A_MAC = /\/Library\/Launch(?:Agents|Daemons)(?:\/|$)/;

const SECRET_HIDDEN = [
  /\/\.ssh\/(?:id_[^/]*(?<!\.pub)|identity|[^/]*key|authorized_keys)$/,
  /\/\.(?:aws\/(?:credentials|config)|azure\/[^/]*|kube\/config|docker\/config\.json|gnupg\/.*|password-store\/.*|config\/(?:gcloud\/.*|gh\/hosts\.yml|op\/.*))$/,
  /\/\.(?:netrc|pgpass|my\.cnf|npmrc|pypirc|git-credentials|vault-token|env|envrc|htpasswd)$/,
  /\/\.env\.(?!example$|sample$|template$|dist$)[^/]+$/,
];
const SECRET =
  /^\/(?:etc\/(?:g?shadow-?|sudoers|ssl\/private|ssh\/ssh_host_\w+_key)(?:\/|$)|proc\/(?:[^/]+\/)+(?:environ|mem|auxv|maps)$|proc\/(?:kcore|keys)$|dev\/(?:mem|kmem|port)$)/;
/** The ends of the names of keys. */
const KEY_ENDINGS: ReadonlySet<string> = new Set(["pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk"]);

/** What follows from where an effect acts: reading a key reads a secret, writing a start-up file persists, writing to `/dev/fd/3` writes any file. */
export function impliedEffects({ kind, path, span, cause }: NewEffect): readonly NewEffect[] {
  if (path === undefined || (kind !== "reads" && kind !== "writes")) return NOTHING;
  const place = placeOf(path);
  if (kind === "writes" && isRunLater(place)) {
    return [newEffect("persists", `\`${place}\` is read when somebody logs in, a service starts or git acts`, span, path)];
  }
  if (kind === "writes" && mayNameDescriptor(path))
    return [newEffect(kind, `${cause}: one that may have been opened before`, span, { kind: "dynamic", prefix: "" })];
  if (kind === "reads" && isSecret(place)) return [newEffect("secrets", `\`${place}\` holds secrets`, span, path)];
  return NOTHING;
}

/** The outputs, which show what is written to them. */
const OUTPUT = /^\/dev\/fd\/[12]$/;
const DESCRIPTORS = ["/dev/", "/proc/"];

/** A name of a descriptor, or what may become one, is some file that was opened before: opened anew, it is written. */
function mayNameDescriptor(path: PathOperand): boolean {
  if (path.kind === "literal") return /^\/dev\/(?:stdin$|fd\/)|^\/proc\/.*\/fd\//.test(path.path) && !OUTPUT.test(path.path);
  if (path.kind === "pattern") return /^\/(?:$|(?:dev|proc)(?:\/|$))/.test(path.directory);
  return DESCRIPTORS.some((place) => path.prefix.startsWith(place) || (path.prefix.length > 1 && place.startsWith(path.prefix)));
}

const NOTHING: readonly NewEffect[] = [];

function isRunLater(place: string): boolean {
  return RUN_LATER.test(place) || (place.includes("/Library/Launch") && RUN_LATER_ON_A_MAC.test(place)) || isHiddenAmong(place, RUN_LATER_HIDDEN);
}

function isSecret(place: string): boolean {
  return isKey(place) || SECRET.test(place) || isHiddenAmong(place, SECRET_HIDDEN);
}

/** `server.key`, and not `.key`. */
function isKey(place: string): boolean {
  for (let at = place.length - 1; at > 0; at -= 1) {
    const unit = place.charCodeAt(at);
    if (unit === SLASH) return false;
    if (unit === DOT) return place.charCodeAt(at - 1) !== SLASH && KEY_ENDINGS.has(place.slice(at + 1)) && place.includes("/");
  }
  return false;
}

const DOT = 46;
const SLASH = 47;

/** Most paths have no hidden name, and are not held against what begins with one. */
function isHiddenAmong(place: string, patterns: readonly RegExp[]): boolean {
  return place.includes("/.") && patterns.some((pattern) => pattern.test(place));
}

function placeOf(path: PathOperand): string {
  return path.kind === "literal" ? path.path : path.kind === "pattern" ? path.glob : path.prefix;
}
