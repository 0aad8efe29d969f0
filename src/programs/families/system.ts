/** The machine: its processes, users, clock and services (procps 4.0, util-linux 2.38, systemd 252). */
export const system = `
date : date gnu | -[uR] -I=text? -d,--date=text -f,--file=read -r,--reference=read --iso-8601=text? --rfc-email,--rfc-2822 --rfc-3339=text --utc,--universal -s,--set=text!system --debug --resolution
  | -j -v=text
sleep : text* inert
# On a Mac, arch runs a command as another architecture.
arch : command first | -32 -64 -i386 -x86_64 -x86_64h -arm64 -arm64e -ppc -arch=text -d=text -c -h -e=environment
uname hostid : inert | -[asnrvmpio] --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system
hostname : text !system@1 | -[aAdfiIsy] --fqdn --long --short --all-ip-addresses --ip-address --alias --domain -F,--file=read!system
# With a word they set it.
dnsdomainname domainname nisdomainname ypdomainname : text !system@1
nproc : gnu inert | --all --ignore=text
uptime : inert | -[psVh] --pretty --since
whoami logname tty groups : text* inert | -s --silent --quiet
users : read inert
id : text* gnu inert | -[agGnruzZAFMPp] --group --groups --name --real --user --zero --context
who w : read* inert | -[abdHlmpqrstTuwhfoi] --all --boot --count --heading --short --no-header
last lastb : text* inert | -[adFiRwx] --fullnames --fulltimes --hostlast --nohostname --system --since=text --until=text --present=text --limit=text --time-format=text -[nstp]=text -f,--file=read -#
lastlog : inert | -[btu]=text
pinky : text* inert | -[lbhfiqws]
finger : host* !connects@1 | -[lmps]
# A name that is looked up reaches a server, as with host.
# A service is the name of a library: only those that read files.
getent : || -s=(files|db|compat|systemd) --service=(files|db|compat|systemd)
  passwd group services protocols networks rpc ethers aliases initgroups netgroup : text* inert
  hosts ahosts ahostsv4 ahostsv6 : host* !connects@1
  shadow gshadow : text* !secrets
free : inert | -[bkmghtlvwL] --line --bytes --kibi --mebi --gibi --kilo --mega --giga --human --lohi --total --wide --si -s,--seconds=text -c,--count=text
vmstat iostat mpstat : read* inert | -[aAcdDfhkmNnprstuwxyzSPVb] -o=(JSON)
# With -o it writes.
sar : read* | -[aAcdDfhkmNnprstuwxyzSPVbqWBvHFjiIe] --human --pretty --dec=text
lscpu : | -[abBcJryxV] -e=text? -p=text? -C=text? --extended=text? --parse=text? --caches=text? --hierarchic=text? --all --online --offline --bytes --json --raw --hex --physical --output-all -s,--sysroot=read
lsblk lsusb lspci lsmem lsipc lsns lslocks lsmod findmnt : read* inert
  | -[abcdDefFhiJklmnNpPrRstTuvxyOXYSVC] -[IE]=text --fstab --mtab --kernel --verify --real --pseudo --shadowed --submounts --hierarchic=text? --output-all -o=text --json --all --list --noheadings --output=text --bytes --raw --tree --pairs --fs --extended=text? --parse=text? --online --offline --verbose --target=text --source=text --type=text --df --summary=text?
  | --ascii --dedup=text --discard --exclude=text --include=text --inverse --merge --nodeps --perms --scsi --sort=text --topology --width=text --zoned
lsof : read* inert with:sockets | -[aClnNoOPRtUvVwXh] -[dgisFSTb]=text? -[cpu]=text +c=text +D=read +d=read
ps : text* by:ps inert
  | -[AadefFHjlLMNTwyZcmVx] -[CGgOopqstUukn]=text --cols=text --columns=text --cumulative --forest --headers --no-headers --lines=text --rows=text --sort=text --width=text --pid=text --ppid=text --sid=text --tty=text
  | --user=text --User=text --group=text --Group=text --format=text --context --deselect --info --quick-pid=text
pgrep : text inert | -[alvxfcnoiLw] -[dgGPstuUrO]=text -F,--pidfile=read --list-name --list-full --full --exact --newest --oldest --count --delimiter=text --parent=text --euid=text --uid=text --ignore-case --older=text --inverse --terminal=text --session=text --pgroup=text --group=text --runstates=text --ns=text --nslist=text
pidof : text* inert | -[scqxzSo]
pstree : text inert | -[aAcglnNpsStTuUZC] -[Hho]=text?
# On a Mac, -l is how often, and words of several letters follow one dash.
top : inert | -[bcHiS1eE] -[dnpuUowFls]=text -stats=text -pid=text -ncols=text
# It takes keys from its standard input, whatever that is: they end processes and change its configuration.
htop : !processes !writes
jobs times : text* inert | -[lnprs]
# A list of signals is one only as the first word: \`kill 1 -l\` ends the process and then complains. To pkill, -l and -L are no list.
kill : text* !processes@0 first lone | -[lL]~ -[sn]=text!processes -#!processes -[HKT]!processes -HUP!processes -KILL!processes -TERM!processes -INT!processes -QUIT!processes -STOP!processes -CONT!processes -USR1!processes -USR2!processes
killall : text* !processes@0 first lone | -l~ -[sugytor]=text!processes -#!processes -[IeivwqZ]!processes -HUP!processes -KILL!processes -TERM!processes -INT!processes -QUIT!processes -STOP!processes -CONT!processes -USR1!processes -USR2!processes --signal=text!processes
pkill : text* !processes | -[lL] -[sqnugPtUFrGyo]=text -[9fxvIeiw] -# -[HKT] -HUP -KILL -TERM -INT -QUIT -STOP -CONT -USR1 -USR2 --signal=text --full --exact
renice : text* !processes
wait : text* inert
fg bg disown : text* !processes
ulimit umask : text* | -[aHScdfilmnpstuvx]
type : text* inert | -[afptP]
hash : | -[lr]
history : text | -c!persists -d=text!persists -a!writes -w!writes -r!writes -n!writes -p!unknown -s!persists -#
help : text* | -[dms]
alias : text* !unknown@1 | -p
clear reset tput stty : text* | -[aTVxg]
# These start a pager, which runs commands, on a terminal alone. What the agent starts has none.
dmesg : | -[deHJkPrtTuwWxS] -L=text? -[fls]=text --color=text? --ctime --decode --facility=text --human --json --kernel --level=text --nopager --noescape --raw --reltime --show-delta --since=text --until=text
  | --notime --time-format=text --userspace --follow --follow-new -p,--force-prefix -F,--file=read -c,-C,-D,-E,--clear,--read-clear,--console-off,--console-on!system -n,--console-level=text!system -K=read
journalctl : text*
  | -[aefhklmqrxb] -# -[ogtuUcMpSTF]=text -n=text? --all --boot=text? --catalog --dmesg --dump-catalog --disk-usage --field=text --fields -N --follow --full --grep=text --header --identifier=text
  | --interval=text --lines=text? --list-boots --local --merge --no-full --no-hostname --no-pager --no-tail --output=text --output-fields=text --pager-end --priority=text --quiet --reverse --since=text --system
  | --unit=text --until=text --user --user-unit=text --utc --case-sensitive=text? --truncate-newline --verify --facility=text --list-catalog --namespace=text --list-namespaces -I --invocation=text --list-invocations --exclude-identifier=text --show-cursor --cursor=text --after-cursor=text -D,--directory=read --file=read
  | --flush,--rotate,--sync,--relinquish-var,--smart-relinquish-var,--setup-keys,--update-catalog!system --vacuum-size,--vacuum-time,--vacuum-files=text!system --cursor-file=write --root=read -i,--image=read!system
systemctl : || -[npto]=text -[alqr] --no-pager --all --user --system --type=text --state=text --failed --plain --no-legend --property=text --value --full --quiet --lines=text --output=text --legend=text --recursive --show-types --timestamp=text --with-dependencies -P=text --no-ask-password
  status show is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets list-jobs list-machines cat get-default is-system-running list-paths list-automounts whoami : text* | --wait --reverse --after --before
  list-dependencies : text* | --reverse --after --before
  show-environment : !secrets
service initctl rc-service : text* !system
# A verb that is not here may set; without one they show.
loginctl : text* !system@1 || --no-pager --no-ask-password --no-legend -a,--all -l,--full -p,--property=text -P=text --value -n,--lines=text -o,--output=text --json=text -j
  list-sessions list-users list-seats session-status show-session user-status show-user seat-status show-seat : text*
hostnamectl : text* !system@1 || --no-ask-password --static --transient --pretty --json=text -j
  status :
  # With a word these set it.
  hostname icon-name chassis deployment location :
timedatectl : text* !system@1 || --no-pager --no-ask-password -a,--all -p,--property=text -P=text --value
  status show list-timezones timesync-status show-timesync :
localectl : text* !system@1 || --no-pager --no-ask-password -l,--full
  status list-locales list-keymaps list-x11-keymap-models list-x11-keymap-layouts list-x11-keymap-variants list-x11-keymap-options : text*
crontab : read !persists@0 | -u=text -l~ -e!persists -r!persists -i
at : text* !persists@0 | -l~ -f=read!persists -m!persists -q=text
batch : text* !persists | -f=read -m -q=text
systemd-run : !persists
sysctl : setting* | -[aAnNXeqbdhiox] -r,--pattern=text --all --names --values --ignore --quiet --binary --deprecated --write!system --load=text?!system -w!system -p!system --system!system
umount swapoff mkfs insmod rmmod depmod : text* !system
reboot shutdown halt poweroff init telinit useradd userdel usermod groupadd groupdel groupmod chpasswd visudo setcap chsh chfn : text* !system
passwd : text* !system@0 | -S~ --status~ -a --all
logger wall write mesg : text* !system
strace ltrace gdb perf valgrind : text* !runs-code
ldd : read* !runs-code | -[vudr]
@binutils = --dyn-syms --format=text --radix=text --all-headers --disassemble=text? --syms --dynamic --demangle=text? --section=text --file-headers --section-headers --reloc --headers --symbols --segments --wide --notes --dynamic-syms --defined-only --undefined-only --extern-only --print-size --size-sort --numeric-sort --line-numbers --no-show-raw-insn --start-address=text --stop-address=text --hex-dump=text --string-dump=text --debug-dump=text?
# A word that begins with @ names a file of further options, among which may be a plug-in. -j takes a value in some of these and none in nm: it hides no word.
# On a Mac -U of nm stands alone.
nm : object* gnu answers | --decompress -[aACDfgGhHijlLMmbEnoprsStTuUVwWxXdevcPIz] @binutils
readelf size addr2line : object* gnu answers | --lint --decompress -[aACDfgGhHijlLMmbEnoprsStTuVwWxXdevcPIz] @binutils
# Its -i writes a file of its own below /tmp. -S shows the files that the object names as its sources.
objdump : object* gnu answers | --dynamic-reloc --disassemble-zeroes --no-addresses --visualize-jumps=text? -[aACDfgGhHlnopRrstTuVwWxXdevcPIz] -[jMmbE]=text -S,--source!unknown @binutils
locale : text* inert | -[akmcv]
getconf : text* inert | -a
apropos whatis : text* inert | -[dvrwea] -[smMLf]=text
man : read* !runs-code@0 | -[aKil] -[kfwW]~ -[sS]=text -P,--pager=code -H,--html=code? -C,--config-file=code-file -M,--manpath=code -B,--browser=code
less more most : read* !runs-code
printenv : !secrets || -0 --null
  # By these names no program keeps a secret.
  HOME PATH USER LOGNAME SHELL PWD OLDPWD LANG LANGUAGE LC_ALL LC_CTYPE TERM COLORTERM COLUMNS LINES TZ EDITOR VISUAL PAGER DISPLAY HOSTNAME TMPDIR SHLVL XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_RUNTIME_DIR VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV JAVA_HOME GOPATH GOROOT GOBIN GOOS GOARCH CARGO_HOME RUSTUP_HOME NVM_DIR PYENV_ROOT PYTHONPATH NODE_PATH NODE_ENV LD_LIBRARY_PATH PKG_CONFIG_PATH MANPATH CC CXX CFLAGS CXXFLAGS LDFLAGS CI KUBECONFIG AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION :
watch : shell first | -[bcdegtpx] -n,--interval=text
`;
