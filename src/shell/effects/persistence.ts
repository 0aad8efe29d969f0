import type { PathOperand } from "../model.ts";

const STARTS = [
  /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xinitrc|xprofile|xsession|vimrc|exrc|emacs|tmux\.conf|screenrc|gitconfig|npmrc|pypirc|netrc|curlrc|wgetrc)$/,
  /\/\.(?:config\/(?:autostart|systemd|fish|git|nvim|environment\.d)|vim|emacs\.d|ssh)(?:\/|$)/,
  /\/\.git\/(?:hooks|config|info\/attributes|modules)(?:\/|$)/,
  /^\/etc\/(?:cron|init|systemd|profile|bash|zsh|rc|ld\.so|sudoers|pam|passwd|shadow|environment|ssh|xdg)/,
  /^\/(?:usr\/lib|lib)\/systemd\//,
  /^\/var\/spool\/(?:cron|at)/,
  /\/Library\/Launch(?:Agents|Daemons)(?:\/|$)/,
];

/** Whether what is written there is run later by somebody else: a shell that starts, a service, a hook. */
export function runsLater(path: PathOperand): boolean {
  const text = path.kind === "literal" ? path.path : path.kind === "pattern" ? path.glob : path.prefix;
  return STARTS.some((start) => start.test(text));
}
