/** Hardware, file systems, the kernel and the services of a machine: what shows them (pciutils 3.9, procps 4.0, LVM 2.03, NVIDIA 535, PostgreSQL 15; each by its manual). */
export const devices = `
dmidecode : | -q,--quiet -t,--type=text -s,--string=text -u,--dump -V,--version --no-sysfs -H,--handle=text -d,--dev-mem=read --from-dump=read --dump-bin=write
lsscsi : text* | -[cdgklLpstuUvwxz] --classic --device --generic --long --size --transport --unit --verbose --protection --lunhex
hwinfo : | --short --all --arch --bios --block --bluetooth --bridge --cdrom --chipcard --cpu --disk --gfxcard --hub --keyboard --listmd --memory --monitor --mouse --netcard --network --partition --pci --scsi --sound --storage --storage-ctrl --usb --usb-ctrl --wlan
# Its -i asks a server for the public address, -w one for the weather.
inxi : | -[ABCDEFGIMNPSabjlmnopszxZ]
nvme : !unknown
  list : | -o,--output-format=text -v,--verbose
  list-subsys show-topology : | -o,--output-format=text -v,--verbose
  version :
  # Without -O and its like they print what the device says of itself.
  smart-log id-ctrl id-ns list-ns list-ctrl error-log fw-log effects-log self-test-log endurance-log sanitize-log ana-log show-regs : text | -o,--output-format=text -H,--human-readable -v,--verbose -n,--namespace-id=text -e,--log-entries=text
efibootmgr : | -v,--verbose
mokutil : | --sb-state --list-enrolled --list-new --list-delete --db --dbx --pk --kek -l -N
cpupower : | -c,--cpu=text
  frequency-info : | -[efdlpgwsmno] --debug --boost --hwlimits --driver --policy --governors --freq --hwfreq --related-cpus --affected-cpus --stats --latency --proc --human --no-rounding --perf
  idle-info : | -[so] --silent --proc
  info :
rocminfo :
rocm-smi : | -[aitubPh] --showmeminfo=text --showallinfo --showid --showtemp --showuse --showmemuse --showpower --showclocks --showproductname --showdriverversion --showpids --json --csv
# Whether the kernel's modules are there, and what they would bring.
modinfo : read* | -[adlpn0] -F,--field=text -k,--set-version=text --author --description --license --parameters --filename --null
modprobe : text* !system@0 | -c~ --showconfig~ --show-config~ -D~ --show-depends~ -n~ --dry-run~ --show~ -v,--verbose -q,--quiet
dkms : !unknown
  status : text | -[mvka]=text --all
# Storage. dmsetup ls may start a command for each device, and zpool status a script, with options that are not here. A table shows its keys only when asked.
dmsetup : !unknown
  ls : | --tree --target=text -o=text --noheadings
  info status table deps : text* | -[cC] --columns --noheadings -o=text --target=text
  help :
  targets version :
pvs vgs lvs pvdisplay vgdisplay lvdisplay : text* | -[avmcCs] -o,--options=text -O,--sort=text -S,--select=text --all --verbose --maps --colon --columns --short --noheadings --nosuffix --unquoted --units=text --separator=text --reportformat=text --segments
pvscan vgscan : | -v,--verbose
lvscan : | -v,--verbose -a,--all
lvmdiskscan : | -v,--verbose -l,--lvmpartition
zpool : !unknown
  status : text* | -[vxLPgDst] -T=text
  list : text* | -[HLPpv] -o=text -T=text
  get : text* | -[Hp] -o=text
  iostat : text* | -[vlqyHpLPgrw] -T=text
  history : text* | -[il]
  # With -c it clears them.
  events : text | -[vHf]
  version :
zfs : !unknown
  list : text* | -[rHp] -[dosSt]=text
  get : text* | -[rHp] -[dost]=text
  holds : text* | -[rH]
  userspace groupspace projectspace : text | -[Hnpi] -[osSt]=text
  # With a second word it gives a right.
  allow : text !system@2
  version : | -j,--json
mountpoint : read | -[qdx] --quiet --fs-devno --devno --nofollow
filefrag : read* | -[vbeksxX]
exportfs : | -v -s
# Processes. prlimit without a number shows a limit; behind a word it starts it. pidstat starts what stands behind -e.
numastat : text* | -[cmnvVz] -p=text -s=text?
pidstat : text* apart undivided | -[dhHIlRrstuVvw] -[pCGT]=text --human --dec=text
slabtop : | -o,--once -[sd]=text --sort=text --delay=text --human
fuser : read* undivided | -[vmaucs46l] -n=(file|tcp|udp) --all --mount --namespace=(file|tcp|udp) --user --verbose --list-signals
prlimit : | -p,--pid=text -o,--output=text --noheadings --raw --verbose --as --core --cpu --data --fsize --locks --memlock --msgqueue --nice --nofile --nproc --rss --rtprio --rttime --sigpending --stack
ipcs : | -[aqmstclupb] -i,--id=text --human --bytes --all --queues --shmems --semaphores --time --creator --limits --summary --pid
lslogins : text* | -[acefGLmnprsuyzZ] -o,--output=text -g,--groups=text -l,--logins=text --notruncate --time-format=text --acc-expiration --export --failed --supp-groups --last --newline --noheadings --system-accs --user-accs --context --json --raw
lsirq : | -[JPnSr] -o,--output=text -s,--sort=text --json --pairs --noheadings
# Who may do what.
getcap : read* | -[vnh] -r>read-tree
getfattr : read* | -[dhLP] -R,--recursive>read-tree -n,--name=text -m,--match=text -e,--encoding=text --dump --no-dereference --only-values --absolute-names --logical --physical
getenforce :
getsebool : text* | -a
sestatus : | -[vb]
aa-status apparmor_status : | --enabled --profiled --enforced --complaining --json --pretty-json -v,--verbose
auditctl : | -l -s -v
chage : text !system@0 | -l~ --list~ -i,--iso8601
# Services, their clocks and their lists of jobs.
fail2ban-client : !unknown
  status : text
  ping version :
  banned : text*
  statistics stats :
  # A setting of the daemon, or one of a jail; behind an action's name stands what may be its password.
  get : text text
    loglevel logtarget syslogsocket dbfile dbmaxmatches dbpurgeage :
chronyc : !unknown | -[nNca46]
  tracking activity serverstats selectdata authdata rtcdata smoothing :
  # With the name of a host it is asked for what is known of it.
  clients ntpdata : | -p=text
  sources sourcestats : | -[va]
# Without -p it takes commands from its standard input.
ntpq : with:interpreter | -p,--peers~ -n,--numeric -w,--wide -[46] -c=(peers|lpeers|opeers|apeers|as|associations|rv|readvar|sysinfo|sysstats|kerninfo|iostats|timerstats|version)~ --command=(peers|lpeers|opeers|apeers|as|associations|rv|readvar|sysinfo|sysstats|kerninfo|iostats|timerstats|version)~
ntpstat :
atq : | -V -q=text
run-parts : read !runs-code@0 | --list~ --test~ --regex=text --lsbsysinit --reverse
postconf : setting* | -[dhnfxmlaAHp]
gsettings : !unknown
  list-schemas list-relocatable-schemas list-keys list-children list-recursively get range describe writable : text* | --print-paths
dconf : !unknown
  read list list-locks : text | -d
# It asks the daemon of the machine.
tailscale : !unknown
  status : | --json --active --self --peers=text -json -active
  ip : text | -4 -6 -1
  version : | --json --daemon
  dns/status exit-node/list lock/status serve/status funnel/status : | --all --json -json --filter=text
  switch : !persists@0 | --list~ -list~
  licenses :
pg_config : | --bindir --docdir --htmldir --includedir --pkgincludedir --includedir-server --libdir --pkglibdir --localedir --mandir --sharedir --sysconfdir --pgxs --configure --cc --cppflags --cflags --cflags_sl --ldflags --ldflags_ex --ldflags_sl --libs
pg_isready : !connects at:configured | -h,--host=host -p,--port=text -t,--timeout=text -U,--username=text -d,--dbname=database -q,--quiet
pg_lsclusters : | -[hsj] --no-header --start-conf --json
mysql_config mariadb_config : | --cflags --cxxflags --include --libs --libs_r --plugindir --socket --port --version --libmysqld-libs --variable=text
hwloc-ls lstopo lstopo-no-graphics : | -[plcsv] --no-io --no-bridges --no-caches --whole-io --only=text --of=(console|ascii|txt)
v4l2-ctl : | --list-devices --list-formats --list-formats-ext --list-ctrls --list-ctrls-menus -l -L -D --info --get-fmt-video -d,--device=text
aplay arecord : !unknown@0 | -l~ -L~ --list-devices~ --list-pcms~
# Terminals, time zones, numbers.
infocmp : name* | -[1CILKcdnrqx]
toe : | -[ahs]
zdump : text* | -[vVi] -[ct]=text
uuidparse : text* | -[Jnr] -o,--output=text
mcookie : | -v -m,--max-size=text -f,--file=read
ipcalc : text* | -[nbcmps] --network --broadcast --netmask --prefix
sipcalc : text*
`;
