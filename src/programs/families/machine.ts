/** Looking at the machine (systemd 252, NetworkManager 1.42, nftables 1.0, smartmontools 7.3): each of these also has verbs that change it, and those stay `system` or unknown. */
export const machine = `
# Without an operand they show what is there.
mount : text* !system@1 | -l,--show-labels -t,--types=text -v,--verbose
swapon : text* !system@0 | -s~ --summary~ --show=text?~ --noheadings --raw --bytes
losetup : text* !system@1 | -a,--all -l,--list -j,--associated=text -O,--output=text -n,--noheadings --raw -J,--json -f,--find
fdisk : read* !system@0 | -l~ --list~ -x~ --list-details~ -o=text --output=text --bytes -L=text? --color=text?
# Without a word it takes commands from its standard input.
parted : !system@0 | -l~ --list~ -m,--machine -s,--script
iptables ip6tables iptables-legacy ip6tables-legacy iptables-nft ip6tables-nft : text* !system@0 | -V~ -w,--wait -L~ --list~ -S~ --list-rules~ -n,--numeric -v,--verbose -x,--exact --line-numbers -t,--table=text
# All its words are one text, in which ; begins another command, so a word of somebody's own is none that is known.
nft : text* !system | -a,--handle -s,--stateless -n,--numeric -j,--json -y,--numeric-priority -S,--service -t,--terse
  list/ruleset list/tables list/chains list/sets list/maps list/counters list/quotas list/flowtables list/hooks list/limits list/meters list/ct/helpers :
  # A family, a table, and what is in it: a label holds no semicolon and no blank.
  list/table list/chain list/set list/map list/flowtable : label*
ufw : text* !system@0
  status status/verbose status/numbered version app/list show/added show/raw show/builtins show/listening :
  app/info : text
firewall-cmd : text* !system@0 | --permanent --zone=text --policy=text -q,--quiet
  | --state~ --list-all~ --list-all-zones~ --list-services~ --list-ports~ --list-protocols~ --list-source-ports~ --list-icmp-blocks~ --list-forward-ports~ --list-rich-rules~ --list-interfaces~ --list-sources~ --list-lockdown-whitelist-commands~ --list-all-policies~ --get-zones~ --get-services~ --get-icmptypes~ --get-policies~ --get-active-zones~
  | --get-active-policies~ --get-default-zone~ --get-log-denied~ --get-helpers~ --get-ipset-types~ --get-ipsets~ --get-target~ --get-description~ --get-short~ --get-zone-of-interface=text~ --get-zone-of-source=text~ --info-zone=text~ --info-service=text~ --info-icmptype=text~ --info-ipset=text~ --info-policy=text~
  | --query-service=text~ --query-port=text~ --query-masquerade~ --query-panic~ --query-interface=text~ --query-source=text~ --query-rich-rule=text~ --query-lockdown~ --query-forward~ --query-protocol=text~
update-alternatives : text* !system@0 | --list=name~ --display=name~ --query=name~ --get-selections~
ldconfig : text* !system@0 | -p~ --print-cache~
# Without a function it shows.
hwclock : | -r --show --get -v,--verbose -u,--utc -l,--localtime -w,--systohc!system -s,--hctosys!system -a,--adjust!system --systz!system --set!system --date=text
# With a word behind them these set: without one they show.
resolvectl : text* !system@1 | --no-pager --cache=text --json=text -[46] -i,--interface=text --legend=text -p,--protocol=text -t,--type=text -c,--class=text
  status statistics show-cache show-server-state : text* | --no-pager --json=text
  dns domain default-route llmnr mdns dnsovertls dnssec nta log-level : | --no-pager --json=text
  # A name that is looked up reaches a server that its owner chose: what is in the name is sent.
  query : host* !connects | -[46] -i,--interface=text --legend=text -p,--protocol=text -t,--type=text -c,--class=text --cache=text --no-pager --search=text
# Its options alone page as well, so it is asked to be told not to.
busctl : !runs-code@0 || --no-pager~ --user --system --no-legend -l,--full --json=text -j --acquired --activatable --unique --show-machine --list -q,--quiet --verbose --timeout=text --xml-interface
  list status tree introspect get-property : text* !runs-code@0
systemd-tmpfiles systemd-sysusers : !system@0 | --cat-config~ --tldr~ --no-pager
networkctl : || --no-pager -a,--all -s,--stats -l,--full -n,--lines=text --json=text --no-legend
  list status lldp label : text*
bootctl : || --no-pager --json=text -p,--print-esp-path -x,--print-boot-path -q,--quiet
  status list is-installed :
coredumpctl : || --no-pager --no-legend -1 -r,--reverse -F,--field=text -S,--since=text -U,--until=text -q,--quiet --all --json=text -n=text
  list info : text*
# verify starts man, to see whether the pages that a unit names are there.
systemd-analyze : || --no-pager --system --user --global --order --require --from-pattern=text --to-pattern=text --fuzz=text --man=text? --iterations=text --base-time=text --json=text -q,--quiet --tldr --threshold=text
  time blame critical-chain dot dump plot unit-paths unit-files architectures pcrs has-tpm2 smbios11 exit-status capability calendar timespan timestamp syscall-filter filesystems condition compare-versions : text*
  # A unit, or a path of one.
  security inspect-elf : read* | --offline=text
  # A name is looked for below /etc, /run and /usr/lib, and may leave them by "..".
  cat-config : list*
systemd-cgls : text* | -a,--all -l,--full -k -x,--xattr=text -c,--cgroup-id=text -u,--unit=text? --user-unit=text? --no-pager
systemd-cgtop : text | -[pctmiPbkr1] --order=text --cpu=text? -n,--iterations=text -d,--delay=text --recursive=text --depth=text --batch --raw
systemd-detect-virt : | -[cvqr] --container --vm --chroot --quiet --private-users --list --cvm --list-cvm
systemd-path : text* | --suffix=text
systemd-escape : text* | -[upm] --suffix=text --template=text --unescape --path --mangle --instance
systemd-id128 : || -[pu] --pretty --uuid --app-specific=text --value
  new machine-id boot-id invocation-id show : text*
udevadm : || --no-pager
  version :
  info : text* | -[xrae] -q,--query=text -p,--path=text -n,--name=text -P,--export-prefix=text --root --attribute-walk --export --export-db --property=text --value --device-id-of-file=read --json=text -t,--tree -w=text?
# Words may be abbreviated; secrets are shown only with -s.
nmcli : || -[tp] --terse --pretty -f,--fields=text -m,--mode=text -c,--colors=text -e,--escape=text -g,--get-values=text -o --overview -w,--wait=text
  general/status general/permissions g/status gen/status : text*
  general g gen general/hostname g/hostname gen/hostname networking networking/connectivity n/connectivity :
  device/lldp device/lldp/list dev/lldp dev/lldp/list monitor :
  connection/show con/show c/show c/s con/s : text* | --active -a --order=text
  connection con c :
  device/status device/show dev/status dev/show d/status d/show : text*
  radio/wifi radio/wwan r/wifi r/wwan general/logging g/logging :
  device dev d radio/all r/all device/wifi device/wifi/list dev/wifi dev/wifi/list d/wifi d/wifi/list :
lsb_release : | -[acdirsv] --all --codename --description --id --release --short --version
dpkg-deb : text* !unknown@0 | -c=read~ --contents=read~ -I=read~ --info=read~ -f=read~ --field=read~ -W=read~ --show=read~ --showformat=text
numactl : command first | -H,--hardware -s,--show -l,--localalloc -N,--cpunodebind=text -m,--membind=text -C,--physcpubind=text -i,--interleave=text -p,--preferred=text
blkid : read* | -[klipdD] -L,--label=text -U,--uuid=text -o,--output=text -s,--match-tag=text -t,--match-token=text -u,--usages=text -O,--offset=text -S,--size=text --list-one --list-filesystems --probe --info --no-part-details --no-encoding
smartctl : read* !unknown@0 | -a~ --all~ -x~ --xall~ -i~ --info~ -H~ --health~ -A~ --attributes~ -c~ --capabilities~ -l=(error|xerror|selftest|xselftest|selective|directory|background|devstat|defects|envrep|farm|genstats|scttemp|scttempsts|scttemphist|scterc|sasphy|sataphy|ssd|zdevstat|tapealert|tapedevstat)~ --log=(error|xerror|selftest|xselftest|selective|directory|background|devstat|defects|envrep|farm|genstats|scttemp|scttempsts|scttemphist|scterc|sasphy|sataphy|ssd|zdevstat|tapealert|tapedevstat)~ -g=text~ --get=text~ --scan~ --scan-open~ -V~ --identify=text?~ -d,--device=text -n,--nocheck=text -j --json=text? -q,--quietmode=text -f,--format=text -v,--vendorattribute=text
sensors : text* | -[ufAjJv] --no-adapter --fahrenheit
acpi : | -[abcistVSfkp] --battery --ac-adapter --thermal --cooling --everything --details --show-empty --fahrenheit --kelvin --celsius
upower : | -[edwmb] -i,--show-info=text --enumerate --dump --monitor --monitor-detail --battery --version
pmap : text* | -[xXdqpA] --extended --device --quiet --show-path --range=text
pwdx : text*
lshw : | -short -json -xml -html -businfo -quiet -sanitize -numeric -notime -class=text -C=text -c=text -disable=text -enable=text
nvidia-smi : | -[Lqx] -i,--id=text -d,--display=text -l,--loop=text? --loop-ms=text -lms=text --query-gpu=text --query-compute-apps=text --query-accounted-apps=text --format=text -f,--filename=write --list-gpus --help-query-gpu --help-query-compute-apps -h --help --version
  # With -f they write a log.
  dmon pmon : lone | -[icsdo]=text
  topo : lone | -m,--matrix -mp -p -p2p=text -[inc]=text
  # Of its links -r and -sc reset and set counters.
  nvlink : lone | -s,--status -i,--id=text
duf : read* | --all --avail-threshold=text --hide=text --hide-fs=text --hide-mp=text --inodes --json --only=text --only-fs=text --only-mp=text --output=text --sort=text --style=text --theme=text --usage-threshold=text --warnings --width=text
# On a terminal alone it starts a pager, unless it is told to always.
bat batcat : read* | -[ApdSfPsunLhV] -l,--language=text -H,--highlight-line=text --file-name=text --diff --diff-context=text --tabs=text --wrap=text --terminal-width=text --number --plain --show-all --nonprintable-notation=text --color=text --italic-text=text --decorations=text --force-colorization --paging=(never|auto) --no-paging --chop-long-lines
  | -m,--map-syntax=text --ignored-suffix=text --theme=text --theme-light=text --theme-dark=text --list-themes --squeeze-blank --squeeze-limit=text --strip-ansi=text --style=text -r,--line-range=text --list-languages --unbuffered --acknowledgements --no-config --binary=text --pager=code --config-dir --cache-dir --set-terminal-title
  cache : !writes
# Files that a configuration names are read as well.
promtool : !unknown@0 | -h~ --help~
  check/metrics :
  check/healthy check/ready : !connects !unknown@0 | --url=url~
  check/config check/web-config : list* | --syntax-only --lint=text --lint-fatal --agent
  check/rules : read* | --lint=text --lint-fatal
  query/instant query/range query/series query/labels query/analyze : url text* | -o,--format=text --start=text --end=text --step=text --match=text --time=text
# Servers: only what asks for their version is known.
nginx : !unknown@0 | -v~ -V~
haproxy : !unknown@0 | -v~ -vv~ --version~
redis-server mongod mongos memcached mysqld mariadbd postgres dockerd containerd etcd : !unknown@0 | --version~
prometheus alertmanager : !unknown@0 | -h~ --help~ --help-long~ --help-man~ --completion-script-bash~ --completion-script-zsh~
amtool : || -v,--verbose -o,--output=text --timeout=text --alertmanager.url=url!sends
  check-config : list*
  alert/query silence/query : text* !connects | -a,--active -i,--inhibited -s,--silenced -u,--unprocessed -r,--receiver=text -q,--quiet --expired --within=text --id=text --created-by=text
  config/show config/routes/show config/routes/test cluster/show : text* !connects | --tree --verify.receivers=text
`;
