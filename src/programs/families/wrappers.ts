/** Programs that start another program: its words are analysed in turn. Options end at the first operand. */
export const wrappers = `
env : command first by:env | -i,--ignore-environment -0,--null -v,--debug -u,--unset=text -C,--chdir=directory -S,--split-string=text --block-signal=text? --default-signal=text? --ignore-signal=text? --list-signal-handling
xargs gxargs : command first by:xargs gnu
  | -0,--null -r,--no-run-if-empty -t,--verbose -x,--exit -p,--interactive -o,--open-tty -a,--arg-file=read -d,--delimiter=text -E=text -e,--eof=text? -I=text -i,--replace=text? -J=text -L=text -l,--max-lines=text?
  | -n,--max-args=text -P,--max-procs=text -s,--max-chars=text --show-limits --process-slot-var=variable -S=text -R=text
timeout : text command first gnu | -k,--kill-after=text -s,--signal=text --preserve-status --foreground -v,--verbose
nice : command first | -n,--adjustment=text -#
ionice : command first | -c,--class=text -n,--classdata=text -t,--ignore -p=text!processes
chrt : text command first | -[abfiorRvm] -p!processes
taskset : text command first | -c,--cpu-list -a -p!processes
# nohup writes nohup.out when its output is a terminal.
nohup : command first !writes
setsid : command first | -[cfw] --fork --wait --ctty
# A terminal of its own: what the command shows is handed to pagers, which a repository may name.
unbuffer : command first !runs-code | -p
stdbuf : command first gnu | -i,--input=text -o,--output=text -e,--error=text
time : command first | -p,--portability -v,--verbose -f,--format=text -a,--append -q,--quiet -o,--output=write
command builtin : command first | -p -v~ -V~
exec : command first | -c -l -a=text
caffeinate : command first | -[disum] -[tw]=text
chronic : command first
sudo doas run0 pkexec gosu su-exec : command first !privilege
  | -[AbEeHKknPSsViBlv] -[CDgGhprRtTUu]=text --user=text --group=text --login --preserve-env=text? --non-interactive --stdin --set-home --list --validate --chdir=text --close-from=text --host=text --prompt=text
su runuser login newgrp : text* !privilege !unknown | -[lmpfPc] --command=shell --login
chroot unshare nsenter setpriv capsh bwrap firejail : text* !privilege !unknown
# With -p BSD's script plays back what it recorded, and the one of Linux knows no such option.
script : read !unknown@0 !runs-code@0 | -p~ -[dq] -c=text
scriptreplay expect : text* !unknown !runs-code
parallel : text* !runs-code
flock : text* !runs-code
watchexec entr nodemon : text* !runs-code
# What runs in them is listed without a server's being started. A format may hold #(…), which is a command, so that none is known.
tmux : text* !runs-code@0 | -V~
  ls list-sessions :
  list-windows lsw : | -a
  list-panes lsp : | -a -s
  has-session has : | -t=text
screen : text* !runs-code@0 lone undivided | -ls~ -list~ -v~
byobu zellij dtach : text* !runs-code
# rtk 0.40 hands its words to the program of the same name, shortens what that shows, and keeps count in a database of its own. Other names mean something else to it
# than the program does (\`rtk npm\`, \`rtk grep\`), or are joined and handed to a shell (\`rtk run\`, \`rtk test\`).
rtk : | -v -vv -vvv --verbose --ultra-compact
  ls tree wc find rg git gh glab docker kubectl aws psql curl cargo go : same
  proxy : command first
  read : read* | -l,--level=text -m,--max-lines=text --tail-lines=text -n,--line-numbers
  json : read | -d,--depth=text --keys-only
  deps log smart : read
  diff : read read
  gain : | -[pgHqdwmaF] --project --graph --history --quota --daily --weekly --monthly --all --failures -t,--tier=text -f,--format=text
busybox toybox : by:busybox
# -k makes words behind a command assignments, -P lets cd follow links, -H expands history, -a exports every variable, -T lets a trap print into a
# substitution: with these a text means something else.
bash : text* first by:shell
  | -c -s -[ilr]!runs-code -[befhmnptuvxBC] --norc --noprofile --verbose --restricted --rcfile,--init-file=code-file --login!runs-code --debugger!runs-code -o=(errexit|nounset|pipefail|xtrace|verbose|noglob|noexec|noclobber)
  | -O=text!unknown --version~ --help~ --dump-strings --dump-po-strings
sh dash zsh ksh ash mksh yash : text* first by:shell
  | -c -s -[il]!runs-code -[befhmnptuvxC] -o=(errexit|nounset|pipefail|xtrace|verbose|noglob|noexec|noclobber) --version~
fish csh tcsh nu elvish xonsh pwsh powershell : text* !runs-code
`;
